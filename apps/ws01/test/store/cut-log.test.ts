import assert from 'node:assert/strict';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { it, type TestContext } from 'node:test';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { BY_NIGHT } from '../../../../packages/asmx/test/kit/lane.ts';
import { registerUsers } from '../../src/domain/users/users.ts';
import { openStore } from '../../src/store/open.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { quickCheck } from '../../src/store/sqlite/quick-check.ts';
import { JSON_BINDING } from '../kit/bindings.ts';
import { ws01 } from '../kit/command.ts';
import { freshDatabase, type TestDatabase } from '../kit/database.ts';
import { failedStart } from '../kit/failed-start.ts';
import { failMarks, healMarks } from '../kit/failing-sync.ts';
import { keptLog } from '../kit/log.ts';
import { startService, TOKEN } from '../kit/service.ts';

const COMMITS = 6;
const FILE = 'ws01.sqlite';
const LOG = `${FILE}-wal`;

/** The header of a log, and of each page in it (sqlite.org/fileformat.html#walformat); bytes. */
const HEADER = 32;
const FRAME = 24 + 4_096;
/** Of so many pages one is cut: each start takes as long as a service's. */
const STRIDE = BY_NIGHT ? 3 : 6;

/** A level of pino. */
const ERROR = 50;

/** The folder of a service that was killed when it had acknowledged {@link COMMITS} writes, each a commit of its own. */
async function killed(t: TestContext, folder: string): Promise<string> {
  const [live, dead] = [join(folder, 'live'), join(folder, 'dead')];
  await (await openStore({ dataDir: live })).close();
  const store = await openStore({ dataDir: live, service: true });
  t.after(() => store.close());
  for (let number = 1; number <= COMMITS; number++) {
    await registerUsers(store, [{ id: `u${number}`, name: 'n'.repeat(500) }], () => 1);
  }
  await cp(live, dead, { recursive: true });
  return dead;
}

/** Opens the folder as the service does at its start. @returns what is there, and what is said to be missing. */
async function startOn(
  dataDir: string,
): Promise<{ readonly there: number; readonly missing: number }> {
  let missing = 0;
  const store = await openSqlite({
    dataDir,
    service: true,
    schema: 'require',
    onMissing: (commits) => {
      assert.ok(commits > 0);
      missing = commits;
    },
  });
  try {
    const rows = await store.read((db) =>
      db.selectFrom('users').select('id').where('id', 'like', 'u%').execute(),
    );
    return { there: rows.length, missing };
  } finally {
    await store.close();
  }
}

it('a log that was cut or damaged at any place is noticed at the start, with how much is missing', async (t) => {
  const folder = await temporaryFolder(t, 'ws01-cut-');
  const dead = await killed(t, folder);
  const log = await readFile(join(dead, LOG));
  const copy = join(folder, 'copy');
  /** @param changed the log as it was left. */
  const startWith = async (changed: Uint8Array | undefined) => {
    await rm(copy, { recursive: true, force: true });
    await mkdir(copy);
    for (const name of [FILE, 'ws01.commits']) await cp(join(dead, name), join(copy, name));
    if (changed !== undefined) await writeFile(join(copy, LOG), changed);
    return startOn(copy);
  };
  assert.deepEqual(await startWith(log), { there: COMMITS, missing: 0 });
  const cuts = [0, HEADER - 1, HEADER];
  for (let at = HEADER; at < log.length; at += STRIDE * FRAME)
    cuts.push(at + 24, at + FRAME - 1, at + FRAME);
  const seen = new Set<number>();
  for (const at of cuts) {
    const { there, missing } = await startWith(log.subarray(0, at));
    assert.equal(there + missing, COMMITS, `cut at byte ${at} of ${log.length}`);
    seen.add(there);
  }
  assert.ok(seen.size > 3, `${seen.size} different ends`);
  for (let at = HEADER + 100; at < log.length; at += (2 * STRIDE + 1) * FRAME) {
    const damaged = Buffer.from(log);
    damaged[at]! ^= 1;
    const { there, missing } = await startWith(damaged);
    assert.equal(there + missing, COMMITS, `changed at byte ${at} of ${log.length}`);
  }
  assert.deepEqual(await startWith(undefined), { there: 0, missing: COMMITS });
  assert.deepEqual(await quickCheck(copy, new AbortController().signal), []);
});

it('what another process has moved into the file, and what was written after, is not missing', async (t) => {
  const folder = await temporaryFolder(t, 'ws01-cut-');
  const dead = await killed(t, folder);
  // A command beside nobody: the last to close moves the log into the file and removes it.
  const guest = await openStore({ dataDir: dead, guest: true, schema: 'require' });
  await guest.write((tx) => tx.deleteFrom('users').where('id', '=', 'u1').execute());
  await guest.close();
  assert.deepEqual(await startOn(dead), { there: COMMITS - 1, missing: 0 });
});

it('the number behind the highest of a commit is 1', async (t) => {
  const folder = await temporaryFolder(t, 'ws01-cut-');
  await (await openStore({ dataDir: folder })).close();
  const file = new DatabaseSync(join(folder, FILE));
  file.exec(`pragma user_version = ${2 ** 31 - 1}`);
  const store = await openStore({ dataDir: folder });
  await registerUsers(store, [{ id: 'ada' }], Date.now);
  await store.close();
  assert.deepEqual({ ...file.prepare('pragma user_version').get() }, { user_version: 1 });
  file.close();
});

it('db check tells of a log that was cut, and of none that was not', async (t) => {
  const dataDir = await killed(t, await temporaryFolder(t, 'ws01-cut-'));
  const check = () => ws01({ dataDir, databaseUrl: undefined }, ['db', 'check']);
  const log = await readFile(join(dataDir, LOG));
  const whole = join(dataDir, '..', 'whole');
  await cp(dataDir, whole, { recursive: true });
  assert.equal((await ws01({ dataDir: whole, databaseUrl: undefined }, ['db', 'check'])).code, 0);
  await writeFile(join(dataDir, LOG), log.subarray(0, HEADER));
  const { code, stdout, stderr } = await check();
  assert.equal(code, 1);
  assert.equal(
    stdout,
    `the last ${COMMITS} commits are missing: the write-ahead log (${LOG}) was cut or damaged\n`,
  );
  assert.match(stderr, /^ws01: The database is damaged or changed; restore a backup: [^\n]*\n$/);
  // Looking has hidden nothing.
  assert.equal((await check()).stdout, stdout);
});

it('a loss stays in status, /readyz and db check over starts, until somebody accepts it', async (t) => {
  const dataDir = await killed(t, await temporaryFolder(t, 'ws01-cut-'));
  await rm(join(dataDir, LOG));
  const database = { dataDir, databaseUrl: undefined };
  for (let start = 0; start < 2; start++) {
    const { app, url } = await startService(t, { dataDir } as TestDatabase);
    const ready = await (await fetch(`${url}/readyz?verbose`)).json();
    assert.match(
      (ready as { parts: { commits: { reason: string } } }).parts.commits.reason,
      /has lost 6 commits/,
    );
    await app.stop();
    assert.match(
      (await ws01(database, ['status'])).stdout,
      /database: degraded\n {2}what {6}6 commits were lost/,
    );
    const { code, stdout } = await ws01(database, ['db', 'check']);
    assert.deepEqual([code, /^6 commits were lost before the last start/.test(stdout)], [1, true]);
  }
  assert.match((await ws01(database, ['db', 'accept-loss'])).stdout, /^Accepted: 6 commits/);
  assert.equal((await ws01(database, ['db', 'check'])).code, 0);
});

it('a mark that cannot be read or written is an error', async (t) => {
  const dataDir = await temporaryFolder(t, 'ws01-cut-');
  await (await openStore({ dataDir })).close();
  await rm(join(dataDir, 'ws01.commits'));
  await mkdir(join(dataDir, 'ws01.commits'));
  await assert.rejects(
    openStore({ dataDir, service: true }),
    /ws01\.commits cannot be used \(EISDIR\)/,
  );
  await rm(join(dataDir, 'ws01.commits'), { recursive: true });
  await (await openStore({ dataDir, service: true })).close();
});

it('a mark whose text is not the number of a commit is an error, for the service and for commands', async (t) => {
  const dataDir = await killed(t, await temporaryFolder(t, 'ws01-cut-'));
  const mark = join(dataDir, 'ws01.commits');
  const whole = await readFile(mark);
  const texts = [
    ...[0, 1, 5, 10].map((bytes) => whole.subarray(0, bytes)),
    Buffer.concat([whole, Buffer.from('0')]),
    Buffer.alloc(whole.length),
    Buffer.from('garbled'),
    Buffer.from('9999999999\n'),
    Buffer.from('-000000001\n'),
    Buffer.alloc(100_000, 'x'),
  ];
  for (const text of texts) {
    await writeFile(mark, text);
    const shown = JSON.stringify(text.toString('latin1', 0, 20));
    await assert.rejects(
      startOn(dataDir),
      /ws01\.commits cannot be used \(its text is not the number/,
      shown,
    );
    const { code, stderr } = await ws01({ dataDir, databaseUrl: undefined }, ['db', 'check']);
    assert.deepEqual(
      [code, /^ws01: .*ws01\.commits cannot be used .* delete it\.\n$/.test(stderr)],
      [78, true],
      shown,
    );
  }
  // A refused start has changed nothing, and the advice helps.
  await writeFile(mark, whole);
  assert.deepEqual(await startOn(dataDir), { there: COMMITS, missing: 0 });
  await rm(mark);
  assert.deepEqual(await startOn(dataDir), { there: COMMITS, missing: 0 });
});

it('a mark that an earlier release made before the first commit is none', async (t) => {
  const dataDir = await temporaryFolder(t, 'ws01-cut-');
  await writeFile(join(dataDir, 'ws01.commits'), '');
  await (await openStore({ dataDir, service: true })).close();
  assert.match(await readFile(join(dataDir, 'ws01.commits'), 'latin1'), /^\d{9}[1-9]\n$/);
});

it('the front door: a mark that is no number stops the start with one line that says what to do', async (t) => {
  const database = await freshDatabase('sqlite', t);
  await (await startService(t, database)).app.stop();
  await writeFile(join(database.dataDir, 'ws01.commits'), 'garbled');
  const { told } = await failedStart(t, database);
  assert.match(told, /^.*ws01\.commits cannot be used .* delete it\.$/);
  await rm(join(database.dataDir, 'ws01.commits'));
  await (await startService(t, database)).app.stop();
});

it('a mark that cannot be written later is told, and writes go on: once in the log, and in /readyz until it can', async (t) => {
  const database = await freshDatabase('sqlite', t);
  const { log, lines } = keptLog();
  const { url } = await startService(t, database, {}, log);
  const write = async (guid: string) => {
    const call = { token: TOKEN, guid, caption: guid, CreateUserId: 'u' };
    assert.equal((await JSON_BINDING.call(url, 'InsertArticle', call)).status, 200);
  };
  const commits = async () => {
    const ready = await fetch(`${url}/readyz?verbose`);
    const { parts } = (await ready.json()) as {
      parts: { commits: { state: string; reason?: string } };
    };
    return [ready.status, parts.commits.state, parts.commits.reason?.slice(0, 37)];
  };
  const OK = [200, 'ok', undefined];
  // Both by Node's pool, and by the thread that takes over when there are many.
  await write('before');
  assert.deepEqual(await commits(), OK);
  failMarks();
  for (let number = 0; number < 30; number++) await write(`unmarked-${number}`);
  assert.deepEqual(await commits(), [200, 'degraded', 'The number of the last commit cannot ']);
  const told = lines.filter(({ msg }) =>
    msg?.includes('cannot be written to ws01.commits (ENOSPC'),
  );
  assert.deepEqual(
    told.map(({ level }) => level),
    [ERROR],
  );
  healMarks(database.dataDir);
  await write('after');
  assert.deepEqual(await commits(), OK);
  await rm(join(database.dataDir, 'ws01.commits'));
  await write('deleted');
  assert.equal((await commits())[1], 'degraded');
});
