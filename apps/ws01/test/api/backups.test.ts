import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { issueToken } from '../../src/domain/credentials/tokens.ts';
import { sessionOf } from '../console/kit/browser.ts';
import { freshDatabase } from '../kit/database.ts';
import { spawnService } from '../kit/process.ts';

it('a backup is begun in the console, listed, and verified in the end; without a place for it none is', async (t) => {
  const database = await freshDatabase('sqlite', t);
  const store = await database.open();
  const { text } = await issueToken(store, { kind: 'service', scopes: ['manage'] }, Date.now);
  const Cookie = await sessionOf({ database: { ...database, open: async () => store } }, 'owner');
  await store.close();
  const headers = { Authorization: `Bearer ${text}` };
  const place = { BACKUP_TO: join(database.dataDir, 'backups') };
  const service = await spawnService(t, database, place);
  const ask = async (method: string) => {
    const response = await fetch(`${service.url}/api/v1/backups`, { method, headers });
    return { status: response.status, body: (await response.json()) as { items: { state: string }[]; detail: string } };
  };
  const form = { method: 'POST', headers: { Cookie, 'Sec-Fetch-Site': 'same-origin' } };
  assert.match(await (await fetch(`${service.url}/console/backups/new`, form)).text(), /It has begun\./);
  const again = await ask('POST');
  if (again.status !== 202) assert.match(again.body.detail, /being made/);
  const states = async () => (await ask('GET')).body.items.map(({ state }) => state);
  await until(async () => (await states()).includes('verified'), states);
  // The one that was begun last may still be on its way, and a verified one's process about to end.
  await until(async () => (await ask('POST')).status === 202, states);
  assert.equal(await service.end('SIGTERM'), 0, 'a stop cancels a backup, and is as good as any other');
  const without = await spawnService(t, database);
  const refused = await fetch(`${without.url}/api/v1/backups`, { method: 'POST', headers });
  assert.match(((await refused.json()) as { detail: string }).detail, /BACKUP_TO is not set/);
  await without.end('SIGTERM');
});
