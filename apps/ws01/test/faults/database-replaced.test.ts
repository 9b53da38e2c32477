import assert from 'node:assert/strict';
import { cp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { BY_NIGHT, someOf } from '../../../../packages/asmx/test/kit/lane.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { JSON_BINDING } from '../kit/bindings.ts';
import { ws01 } from '../kit/command.ts';
import { freshDatabase, type TestDatabase } from '../kit/database.ts';
import { keptLog } from '../kit/log.ts';
import { spawnService } from '../kit/process.ts';
import { startService, TOKEN } from '../kit/service.ts';

const FILE = 'ws01.sqlite';
const GONE = /was deleted or replaced while this service has it open, so nothing is written/;

interface Service {
  readonly url: string;
  /** What it has logged. */
  output(): string;
  /** Ends it, and waits. */
  stop(): Promise<unknown>;
}

/** Starts a service that is stopped, or one that is killed, which is a process of its own. */
async function start(
  t: TestContext,
  database: TestDatabase,
  end: 'a stop' | 'SIGKILL' = 'a stop',
): Promise<Service> {
  if (end === 'SIGKILL') {
    const { url, output, end: signal } = await spawnService(t, database);
    return { url, output, stop: () => signal(end) };
  }
  const { log, text } = keptLog();
  const { url, app } = await startService(t, database, {}, log);
  return { url, output: text, stop: () => app.stop() };
}

/** Writes articles one by one, each a commit of its own. */
async function write({ url }: Service, name: string, articles: number): Promise<void> {
  for (let index = 0; index < articles; index++) {
    const call = {
      token: TOKEN,
      guid: `${name}-${index}`,
      caption: name,
      content: 'x'.repeat(3_000),
    };
    assert.equal((await JSON_BINDING.call(url, 'InsertArticle', call)).status, 200);
  }
}

const writeOne = async ({ url }: Service, guid: string) =>
  (await JSON_BINDING.call(url, 'InsertArticle', { token: TOKEN, guid, caption: 'c' })).status;

/** The captions of the articles in a database that nobody has open, how many there are of each, and what is wrong. */
function inspect(file: string): {
  readonly articles: Record<string, number>;
  readonly check: unknown;
} {
  const database = new DatabaseSync(file);
  try {
    const rows = database
      .prepare('select caption, count(*) as count from articles group by 1 order by 1')
      .all();
    return {
      articles: Object.fromEntries(rows.map(({ caption, count }) => [caption, count])) as Record<
        string,
        number
      >,
      check: database.prepare('pragma integrity_check').get()?.integrity_check,
    };
  } finally {
    database.close();
  }
}

/** A data folder whose service has written articles and was stopped. */
async function filled(t: TestContext, name: string, articles: number): Promise<TestDatabase> {
  const database = await freshDatabase('sqlite', t);
  const service = await start(t, database);
  await write(service, name, articles);
  await service.stop();
  return database;
}

const named = async (dataDir: string, part: string) =>
  (await readdir(dataDir)).filter((name) => name.includes(part));

describe('a service whose database is deleted under it', () => {
  for (const part of someOf([FILE, `${FILE}-shm`, `${FILE}-wal`], 2)) {
    it(`${part}: refuses to write, is not ready, says what to do, and saves what it has when it stops`, async (t) => {
      const database = await freshDatabase('sqlite', t);
      const service = await start(t, database);
      await write(service, 'kept', 12);
      await rm(join(database.dataDir, part));
      assert.equal(await writeOne(service, 'late'), 503);
      const ready = await fetch(`${service.url}/readyz`);
      assert.deepEqual([ready.status, await ready.text()], [503, 'down: database\n']);
      await until(() => GONE.test(service.output()));
      await service.stop();
      const [saved] = await named(database.dataDir, '.saved-');
      assert.ok(service.output().includes(`what it held is in ${join(database.dataDir, saved!)}`));
      assert.deepEqual(inspect(join(database.dataDir, saved!)), {
        articles: { kept: 12 },
        check: 'ok',
      });
    });
  }

  it('writes again once the file is back', async (t) => {
    const database = await freshDatabase('sqlite', t);
    const service = await start(t, database);
    await write(service, 'kept', 2);
    const [file, away] = [join(database.dataDir, FILE), join(database.dataDir, 'away')];
    await rename(file, away);
    assert.equal(await writeOne(service, 'late'), 503);
    await rename(away, file);
    assert.equal(await writeOne(service, 'again'), 200);
    assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
    await service.stop();
    assert.deepEqual(inspect(file), { articles: { c: 1, kept: 2 }, check: 'ok' });
  });
});

describe('a database that is moved over the one of a service', () => {
  for (const end of ['SIGKILL', 'a stop'] as const) {
    for (const articles of BY_NIGHT ? [3, 200] : [end === 'SIGKILL' ? 3 : 200]) {
      it(`${articles} articles, ended by ${end}: loses nothing, then or at the next start`, async (t) => {
        const other = await filled(t, 'other', articles);
        const database = await freshDatabase('sqlite', t);
        const service = await start(t, database, end);
        await write(service, 'own', 40);
        const file = join(database.dataDir, FILE);
        await cp(join(other.dataDir, FILE), `${file}.new`);
        await rename(`${file}.new`, file);
        assert.equal(await writeOne(service, 'late'), 503);
        assert.equal((await fetch(`${service.url}/readyz`)).status, 503);
        const during = await ws01(database, ['token', 'list']);
        assert.deepEqual([during.code, during.stdout], [1, '']);
        assert.match(
          during.stderr,
          /^ws01: .*belongs to another database than ws01\.sqlite beside it.*\n$/,
        );
        await service.stop();

        const next = await start(t, database);
        await until(() =>
          /is another database than the one that the last service wrote to/.test(next.output()),
        );
        assert.equal(await writeOne(next, 'new'), 200);
        await next.stop();
        assert.deepEqual(inspect(file), { articles: { c: 1, other: articles }, check: 'ok' });
        assert.equal((await named(database.dataDir, '.of-another-database-')).length, 1);
        assert.equal((await named(database.dataDir, '.saved-')).length, end === 'a stop' ? 1 : 0);
      });
    }
  }

  it('an older state of it, from a backup: is served as it was', async (t) => {
    const database = await freshDatabase('sqlite', t);
    const service = await start(t, database, 'SIGKILL');
    await write(service, 'early', 10);
    const target = join(database.dataDir, 'backups');
    const backup = await ws01(database, ['backup', target, '--json']);
    assert.equal(backup.code, 0, backup.stderr);
    await write(service, 'late', 30);
    const file = join(database.dataDir, FILE);
    await cp(join(target, FILE), `${file}.new`);
    await rename(`${file}.new`, file);
    await service.stop();
    const next = await start(t, database);
    await next.stop();
    assert.deepEqual(inspect(file), { articles: { early: 10 }, check: 'ok' });
  });
});

it('a copied data folder, with its log, has all that was acknowledged', async (t) => {
  const database = await freshDatabase('sqlite', t);
  const service = await start(t, database, 'SIGKILL');
  await write(service, 'kept', 25);
  await service.stop();
  const copy = `${database.dataDir}-copy`;
  t.after(() => rm(copy, { recursive: true, force: true }));
  await cp(database.dataDir, copy, { recursive: true });
  const next = await start(t, { dataDir: copy } as TestDatabase);
  await next.stop();
  assert.deepEqual(inspect(join(copy, FILE)), { articles: { kept: 25 }, check: 'ok' });
  assert.deepEqual(await named(copy, '.of-another-database-'), []);
});
