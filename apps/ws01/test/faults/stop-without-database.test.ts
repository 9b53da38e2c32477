import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { JSON_BINDING } from '../kit/bindings.ts';
import { freshDatabase } from '../kit/database.ts';
import { spawnService } from '../kit/process.ts';
import { TOKEN } from '../kit/service.ts';
import { startUnreliableProxy } from '../kit/unreliable-proxy.ts';

it('SIGTERM while PostgreSQL says nothing, with calls under way, ends the service by itself with 0', async (t) => {
  const database = await freshDatabase('postgres', t);
  const databaseUrl = new URL(database.databaseUrl!);
  const proxy = await startUnreliableProxy(t, Number(databaseUrl.port));
  databaseUrl.port = String(proxy.port);
  const service = await spawnService(t, { ...database, databaseUrl: databaseUrl.href });
  const article = (guid: string) =>
    JSON_BINDING.call(service.url, 'InsertArticle', { token: TOKEN, guid, caption: guid });
  assert.equal((await article('before')).status, 200);
  proxy.silent = true;
  const calls = ['a', 'b', 'c'].map((guid) => article(guid).catch(() => undefined));
  await sleep(200);
  assert.equal(await service.end('SIGTERM'), 0);
  await Promise.all(calls);
  assert.doesNotMatch(service.output(), /did not stop in time/);
});
