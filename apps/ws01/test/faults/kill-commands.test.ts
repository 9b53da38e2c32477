import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { BY_NIGHT } from '../../../../packages/asmx/test/kit/lane.ts';
import { tellProgress } from '../../src/domain/backup/records.ts';
import { LEASE_MS } from '../../src/records/backups.ts';
import { Clock } from '../kit/clock.ts';
import { environmentOf, type Place, ws01 } from '../kit/command.ts';
import { emptyDatabase, forEachEngine, freshDatabase, type TestDatabase } from '../kit/database.ts';
import { earlierDatabase } from '../kit/earlier-database.ts';
import { writeFolder } from '../kit/portable.ts';

/** How often each command is killed. */
const KILLS = BY_NIGHT ? 12 : 2;
const ARTICLES = BY_NIGHT ? 2_000 : 500;

/**
 * Runs a command in a process of its own, and kills it at a part of the time that it takes.
 * @returns that time; ms, if it was not killed.
 */
async function run(place: Place, args: readonly string[], killedAfter?: number): Promise<number> {
  const begun = performance.now();
  const child = spawn(process.execPath, ['bin/ws01.js', ...args], {
    env: environmentOf(place),
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  if (killedAfter !== undefined) {
    await Promise.race([ended, pause(killedAfter)]);
    child.kill('SIGKILL');
  }
  const [code, signal] = await ended;
  assert.ok(code === 0 || (signal === 'SIGKILL' && killedAfter !== undefined), `${args}: ${code}`);
  return performance.now() - begun;
}

/** The moments of the kills in something that takes so long: most of it, since a process starts first. */
const moments = (whole: number): readonly number[] =>
  Array.from({ length: KILLS }, (_, n) => whole * (0.4 + (0.6 * (n + 0.5)) / KILLS));

async function done(place: Place, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await ws01(place, args);
  assert.equal(code, 0, `${args.join(' ')}: ${stderr}`);
  return stdout;
}

async function withArticles(t: TestContext): Promise<TestDatabase> {
  const database = await freshDatabase('sqlite', t);
  const folder = await writeFolder(join(await temporaryFolder(t), 'in'), {
    'articles.jsonl': Array.from({ length: ARTICLES }, (_, n) => ({
      ...{ guid: `a-${n}`, owner: `user-${n % 7}`, caption: `Flat ${n}`, content: 'Two rooms.' },
      createdAt: new Date(1_400_000_000_000 + n * 1000).toISOString(),
    })),
  });
  await done(database, 'import', folder);
  return database;
}

const articlesIn = async (database: TestDatabase): Promise<number> => {
  const store = await database.open();
  const [row] = await store.read((db) =>
    db
      .selectFrom('articles')
      .select((eb) => eb.fn.countAll().as('n'))
      .execute(),
  );
  await store.close();
  return Number(row!.n);
};

it('a backup that is killed at any moment is none, or a whole one, and keeps no other from being made', async (t) => {
  const database = await withArticles(t);
  const place = join(await temporaryFolder(t), 'backups');
  const env = { BACKUP_TO: place };
  const list = async () => {
    const { code, stdout } = await ws01(database, ['backup', '--list', '--json'], '', env);
    assert.equal(code, 0);
    return JSON.parse(stdout) as { name: string; damage?: string; rows: number }[];
  };
  const folder = (n: number) => join(place, `by-hand-${n}`);
  const whole = await run(database, ['backup', folder(0)]);
  let n = 0;
  for (const moment of moments(whole)) {
    n += 1;
    await run(database, ['backup', folder(n)], moment);
    const { code, stderr } = await ws01(database, ['restore', folder(n)]);
    // It is not there, or it can be restored into a database that is not empty.
    assert.match(stderr, /There is no backup|To replace it and keep a copy of it, add --replace/);
    assert.equal(code, 1);
  }
  assert.equal((await ws01(database, ['backup'], '', env)).code, 0);
  const [made] = await list();
  assert.equal(made!.damage, undefined);
});

it('a check of a backup that is killed at any moment changes no backup, and is carried out by the next one', async (t) => {
  const clock = new Clock(t);
  const database = await withArticles(t);
  const env = { BACKUP_TO: join(await temporaryFolder(t), 'backups') };
  assert.equal((await ws01(database, ['backup'], '', env)).code, 0);
  const whole = await run(database, ['backup', '--verify', env.BACKUP_TO]);
  const store = await database.open();
  const rowAt = () =>
    store.read((db) => db.selectFrom('backups').selectAll().executeTakeFirstOrThrow());
  // The first and the last are killed before they have begun.
  for (const moment of [0, ...moments(whole), 0]) {
    const before = await rowAt();
    await run(database, ['backup', '--verify', env.BACKUP_TO], moment);
    const left = await rowAt();
    assert.ok(left.verdict === 'sound');
    const begun = left.check_started_at;
    if (begun === null || begun === before.check_started_at) continue;
    // Until the killed one counts as gone, nobody begins another.
    clock.stop();
    await tellProgress(store, left.id, undefined, Date.now());
    const early = await ws01(database, ['backup', '--verify'], '', env);
    assert.match(early.stderr, /A backup is being verified; wait for its end\./);
    clock.goOn();
    await tellProgress(store, left.id, undefined, Date.now() - LEASE_MS);
  }
  const { code, stdout } = await ws01(database, ['backup', '--verify'], '', env);
  assert.deepEqual([code, /: sound, /.test(stdout)], [0, true]);
  assert.equal((await rowAt()).check_started_at, null);
  await store.close();
});

forEachEngine((engine) => {
  it('a copy that is killed at any moment has brought nothing, or all of it', async (t) => {
    const from = await withArticles(t);
    const copyTo = ({ databaseUrl, dataDir }: Place) =>
      ['copy', '--from', from.dataDir, '--to', databaseUrl ?? dataDir] as const;
    const first = await emptyDatabase(engine, t);
    const whole = await run(from, copyTo(first));
    assert.equal(await articlesIn(first), ARTICLES);
    for (const moment of moments(whole)) {
      const target = await emptyDatabase(engine, t);
      await run(from, copyTo(target), moment);
      const { code } = await ws01(from, copyTo(target));
      assert.equal(await articlesIn(target), ARTICLES, `again: ${code}`);
    }
  });

  it('an upgrade that is killed at any moment is carried on by the next one', async (t) => {
    const whole = await run(await earlierDatabase(engine, t), ['migrate']);
    for (const moment of moments(whole)) {
      const database = await earlierDatabase(engine, t);
      await run(database, ['migrate'], moment);
      await done(database, 'migrate');
      assert.match(await done(database, 'db', 'check'), /^Sound/);
      assert.match(await done(database, 'user', 'list'), /\n/);
    }
  });
});
