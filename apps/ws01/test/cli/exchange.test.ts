import assert from 'node:assert/strict';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { it, type TestContext } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { pino } from 'pino';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { startApp } from '../../src/app/app.ts';
import type { App } from '../../src/app/running.ts';
import { DatabaseExchange } from '../../src/cli/serve/exchange.ts';
import { loadConfig } from '../../src/config/config.ts';
import { type RestoreProgress, Restores } from '../../src/domain/backup/restores.ts';
import { SQLITE_FILE } from '../../src/store/sqlite/file.ts';
import { ws01 } from '../kit/command.ts';
import { freshDatabase } from '../kit/database.ts';
import { ANY_DISK } from '../kit/fixed.ts';
import { withoutTable } from '../kit/restored.ts';

/** The service before, which is closed. */
const CLOSED = {
  async suspend() {},
  async leaveSides() {},
  async leave() {},
  async stop() {},
} as unknown as App;

/** A closed service, with a backup of its database. */
async function closedService(t: TestContext) {
  const database = await freshDatabase('sqlite', t);
  const { dataDir } = database;
  const made = await ws01(database, ['backup', '--json']);
  const folder: string = JSON.parse(made.stdout).backup;
  const file = join(dataDir, SQLITE_FILE);
  const variables = { PORT: '0', HOST: '127.0.0.1', METRICS_PORT: '0', DATA_DIR: dataDir };
  const config = loadConfig(variables, ANY_DISK);
  /** @param onStep what happens at a step, at the same time. */
  const exchange = async (onStep: (step: RestoreProgress['step']) => void) => {
    const restores = new Restores();
    const asked = {
      id: 'b',
      name: basename(folder),
      by: { tokenId: undefined, address: '127.0.0.1' },
    };
    restores.begin(asked);
    const tell = restores.tell.bind(restores);
    restores.tell = (progress) => {
      tell(progress);
      onStep(progress.step);
    };
    const stop = new AbortController().signal;
    const log = pino({ level: 'silent' });
    const app = await new DatabaseExchange({ config, log, restores, stop }).of(CLOSED, asked);
    t.after(() => app.stop());
    return restores.progress;
  };
  return { config, folder, file, exchange };
}

it('a database that could not be put back stays where the error says', async (t) => {
  const { folder, file, exchange } = await closedService(t);
  await withoutTable(folder, 'settings');
  let other: DatabaseSync | undefined;
  const open = (step: string) => {
    if (step !== 'opening') return;
    other = new DatabaseSync(file);
    other.exec('begin; select * from sqlite_schema');
  };
  t.after(() => other?.close());
  const error = await exchange(open).then(
    () => assert.fail('it started'),
    (reason: Error) => reason,
  );
  const [, kept = ''] = /It is (\S+\.sqlite);/.exec(error.message) ?? assert.fail(error.message);
  const there = new DatabaseSync(kept, { readOnly: true });
  t.after(() => there.close());
  assert.ok(there.prepare('select * from settings').all());
});

it('what a command writes after the backup of what was there is not lost: it is not restored', async (t) => {
  const { file, exchange } = await closedService(t);
  const write = (step: string) => {
    if (step !== 'restoring') return;
    const command = new DatabaseSync(file);
    command.exec("insert or ignore into categories values ('new', 1)");
    command.close();
  };
  const progress = await exchange(write);
  assert.equal(progress?.step, 'failed');
  assert.match(progress.fault!, /has changed the database meanwhile/);
});

it('the service before a restore is let go: nothing of it runs on, and the next one does not hold it', async (t) => {
  const { config } = await closedService(t);
  const log = pino({ level: 'silent' });
  const startNext = async () => {
    const before = await startApp(config, log);
    await before.suspend();
    const next = await startApp(config, log, undefined, undefined, { before });
    await before.stop(false);
    return { next, before: new WeakRef(before) };
  };
  const { next, before } = await startNext();
  t.after(() => next.stop());
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  await until(
    () => {
      collect();
      return before.deref() === undefined;
    },
    () => 'something holds the service before',
  );
});
