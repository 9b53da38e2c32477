import assert from 'node:assert/strict';
import { existsSync, watch } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { BY_NIGHT } from '../../../../packages/asmx/test/kit/lane.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { SQLITE_FILE } from '../../src/store/sqlite/file.ts';
import { ws01 } from '../kit/command.ts';
import { type ServiceProcess, spawnService } from '../kit/process.ts';
import {
  articlesOf,
  ask,
  backedUpService,
  insert,
  type MadeBackup,
  type RestoreDesk,
} from '../kit/restored.ts';

/** Whether a step is there, by what changes in the data folder, and what changed before. */
type IsThere = (name: string, seen: readonly string[], dataDir: string) => boolean;

const hasBegun = (seen: readonly string[], what: string) =>
  seen.some((name) => name.startsWith(`${what}.partial-`));

const STEPS: Readonly<Record<string, IsThere>> = {
  'while the backup is checked': (name) => name.startsWith('backup.partial-'),
  'when the service closes': (name) => name.startsWith('exchange.partial-'),
  'while what is there is backed up': (name, seen) =>
    hasBegun(seen, 'exchange') && /^backups\/.*\.partial-/.test(name),
  'while the backup is fetched': (name) => name.startsWith('restore.partial-'),
  'while the databases change places': (name, seen) =>
    hasBegun(seen, 'restore') && name === SQLITE_FILE,
  'when the other database is there': (name, seen, dataDir) =>
    hasBegun(seen, 'restore') &&
    name.startsWith('restore.partial-') &&
    !existsSync(join(dataDir, name)),
};

/** By day one that leaves the old database to be put back, and one that leaves the new one. */
const BY_DAY = ['while the backup is fetched', 'when the other database is there'];

/** What a service has: its articles, and the restores that its trail tells of. */
async function stateOf(desk: RestoreDesk, service: ServiceProcess) {
  const { body } = await ask(desk, service, 'GET', '/audit?action=database.restore');
  return { articles: await articlesOf(desk, service), restores: body.items };
}

/** Restores a backup, asking until it is restored, and kills the service at a step. */
async function killedAt(
  isThere: IsThere,
  desk: RestoreDesk & { readonly backup: MadeBackup },
  service: ServiceProcess,
): Promise<void> {
  const { database, backup } = desk;
  const seen: string[] = [];
  // Each folder apart: with `recursive` Node looks into it when it hears of a change, and may find nothing any more.
  const watchers = ['', 'backups'].map((folder) =>
    watch(join(database.dataDir, folder), (_, changed) => {
      if (changed === null) return;
      const name = join(folder, changed);
      if (isThere(name, seen, database.dataDir)) service.child.kill('SIGKILL');
      seen.push(name);
    }),
  );
  try {
    const path = `/backups/${backup.id}/restore`;
    const asked = (...what: readonly [method: string, path: string, body?: object]) =>
      ask(desk, service, ...what).catch(() => undefined);
    // Where this process hears of the step late, the service is killed after it.
    await until(
      async () => {
        const told = await asked('GET', `${path}/progress`);
        // A process of the service before may still check the backup, or have the database open.
        if (told?.status === 200 && [undefined, 'failed'].includes(told.body.progress?.step))
          await asked('POST', path, { name: backup.name });
        const { signalCode, exitCode } = service.child;
        return (signalCode ?? exitCode) !== null;
      },
      () => seen.join(' '),
    );
    assert.equal(service.child.signalCode, 'SIGKILL', service.output());
    await service.ended;
  } finally {
    for (const watcher of watchers) watcher.close();
  }
}

it('a service that is killed amid a restore has the whole old or the whole new database at its next start', async (t) => {
  const { service: first, ...desk } = await backedUpService(t);
  const { database, backup } = desk;
  let service = first;
  for (const [step, isThere] of Object.entries(STEPS)) {
    if (!BY_NIGHT && !BY_DAY.includes(step)) continue;
    const before = await stateOf(desk, service);
    await killedAt(isThere, desk, service);
    service = await spawnService(t, database, { RATE_LIMITS: 'off' });
    assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
    const { articles, restores } = await stateOf(desk, service);
    const [entry] = restores;
    const isNew = entry !== undefined && entry.id !== before.restores[0]?.id;
    assert.deepEqual(articles, isNew ? ['before'] : before.articles, step);
    const { body: backups } = await ask(desk, service, 'GET', '/backups');
    const names = backups.items.map((made: { readonly name: string }) => made.name);
    assert.ok(names.includes(backup.name), step);
    if (isNew) assert.ok(names.includes(entry.details.undo), `${step}: it is known`);
    assert.match((await ws01(database, ['db', 'check'])).stdout, /^Sound/);
    assert.ok(!hasBegun(await readdir(database.dataDir), 'exchange'), `${step}: it is gone`);
    await insert(service, 'after');
  }
});
