import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { machineCommands } from '../../src/config/environment.ts';
import { beginRecord } from '../../src/domain/backup/records.ts';
import { issueToken } from '../../src/domain/credentials/tokens.ts';
import { lastSlot } from '../../src/domain/values/schedule.ts';
import { sessionOf } from '../console/kit/browser.ts';
import { freshDatabase } from '../kit/database.ts';
import { spawnService } from '../kit/process.ts';

/** The longest interval between backups; ms. */
const MONTH_MS = 720 * 3_600_000;

interface Answer {
  readonly items: readonly {
    readonly id: string;
    readonly name: string;
    readonly state: string;
    readonly scheduledAt: string | null;
  }[];
  readonly detail: string;
}

it('a backup is begun in the console, listed, and verified in the end; without a place for it none is', async (t) => {
  const database = await freshDatabase('sqlite', t);
  const store = await database.open();
  // None is due by its time, which is a second or two after the start.
  const now = Date.now();
  for (const at of [now, now + MONTH_MS]) {
    const slot = lastSlot({ kind: 'every', ms: MONTH_MS }, at, 'UTC');
    const begun = await beginRecord(store, { slot, target: 'elsewhere', name: 'before', now });
    await store.write((tx) =>
      tx.updateTable('backups').set({ verified_at: now }).where('id', '=', begun!.id).execute(),
    );
  }
  const { text } = await issueToken(store, { kind: 'service', scopes: ['manage'] }, Date.now);
  const Cookie = await sessionOf({ database: { ...database, open: async () => store } }, 'owner');
  await store.close();
  const headers = { Authorization: `Bearer ${text}` };
  const place = { BACKUP_TO: join(database.dataDir, 'backups'), BACKUP_SCHEDULE: '720h' };
  const service = await spawnService(t, database, place);
  const ask = async (method: string) => {
    const response = await fetch(`${service.url}/api/v1/backups`, { method, headers });
    return { status: response.status, body: (await response.json()) as Answer };
  };
  const form = { method: 'POST', headers: { Cookie, 'Sec-Fetch-Site': 'same-origin' } };
  assert.match(
    await (await fetch(`${service.url}/console/backups/new`, form)).text(),
    /It has begun\./,
  );
  const states = async () => {
    const { items } = (await ask('GET')).body;
    return items.filter(({ scheduledAt }) => scheduledAt === null).map(({ state }) => state);
  };
  const again = await ask('POST');
  if (again.status === 202)
    assert.ok((await states()).includes('verified'), 'the first one was over');
  else assert.match(again.body.detail, /being made/);
  const begun = again.status === 202 ? 2 : 1;
  await until(async () => {
    const now = await states();
    return now.length === begun && now.includes('verified') && !now.includes('running');
  }, states);
  const made = (await ask('GET')).body.items.find(({ scheduledAt }) => scheduledAt === null)!;
  const plan = async () => {
    const answer = await fetch(`${service.url}/api/v1/backups/${made.id}/restore`, {
      headers: { Cookie },
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const [one, other] = await Promise.all([plan(), plan()]);
  assert.equal(one.status, 200, JSON.stringify(one.body));
  const { command, stop, start } = machineCommands();
  const restore = `${command} restore --name ${made.name} --yes --replace`;
  assert.deepEqual([one.body.command, one.body.commands], [restore, [stop, restore, start]]);
  for (const { body } of [one, other]) assert.match(String(body.present), /^[1-9]\d*$/);
  // The service goes on: it may have written a row between the two.
  const { present } = one.body;
  assert.deepEqual({ ...other.body, present }, one.body, 'asked for twice at once');
  assert.equal(
    (await ask('POST')).status,
    202,
    'at once, although the process of the one before may still be there',
  );
  assert.equal(
    await service.end('SIGTERM'),
    0,
    'a stop cancels a backup, and is as good as any other',
  );
  const without = await spawnService(t, database);
  const refused = await fetch(`${without.url}/api/v1/backups`, { method: 'POST', headers });
  assert.match(((await refused.json()) as { detail: string }).detail, /BACKUP_TO is not set/);
  await without.end('SIGTERM');
});
