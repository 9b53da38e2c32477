import assert from 'node:assert/strict';
import { existsSync, watch } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { BY_NIGHT } from '../../../../packages/asmx/test/kit/lane.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { SQLITE_FILE } from '../../src/store/sqlite/file.ts';
import { ws01 } from '../kit/command.ts';
import { spawnService } from '../kit/process.ts';
import { articlesOf, ask, backedUpService } from '../kit/restored.ts';

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

for (const [step, isThere] of Object.entries(STEPS).filter(
  ([name]) => BY_NIGHT || BY_DAY.includes(name),
))
  it(`a service that is killed ${step} has the whole old or the whole new database at its next start`, async (t) => {
    const desk = await backedUpService(t);
    const { service, backup, database } = desk;
    const seen: string[] = [];
    const watcher = watch(database.dataDir, { recursive: true }, (_, name) => {
      if (name === null) return;
      if (isThere(name, seen, database.dataDir)) service.child.kill('SIGKILL');
      seen.push(name);
    });
    t.after(() => watcher.close());
    const path = `/backups/${backup.id}/restore`;
    const asked = await ask(desk, service, 'POST', path, { name: backup.name });
    assert.equal(asked.status, 202);
    const over = until(async () => {
      const told = await ask(desk, service, 'GET', `${path}/progress`).catch(() => undefined);
      return service.child.signalCode !== null || told?.body.progress?.step === 'done';
    }, service.output);
    await Promise.race([service.ended, over]);
    assert.equal(service.child.signalCode, 'SIGKILL', seen.join(' '));
    await service.ended;
    watcher.close();

    const next = await spawnService(t, database, { RATE_LIMITS: 'off' });
    assert.equal((await fetch(`${next.url}/readyz`)).status, 200);
    const { body: audit } = await ask(desk, next, 'GET', '/audit?action=database.restore');
    const [entry] = audit.items;
    const whole = entry === undefined ? ['after', 'before'] : ['before'];
    assert.deepEqual(await articlesOf(desk, next), whole);
    const { body: backups } = await ask(desk, next, 'GET', '/backups');
    const names = backups.items.map((made: { readonly name: string }) => made.name);
    assert.ok(names.includes(backup.name));
    if (entry !== undefined) assert.ok(names.includes(entry.details.undo), 'it is known');
    assert.match((await ws01(database, ['db', 'check'])).stdout, /^Sound/);
    assert.ok(!hasBegun(await readdir(database.dataDir), 'exchange'), 'the old one is gone');
  });
