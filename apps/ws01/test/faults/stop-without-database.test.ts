import assert from 'node:assert/strict';
import { it } from 'node:test';
import { exchange } from '../../../../packages/asmx/test/kit/http.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { JSON_BINDING } from '../kit/bindings.ts';
import { freshDatabase } from '../kit/database.ts';
import { processEnv } from '../kit/fixed.ts';
import { spawnService } from '../kit/process.ts';
import { TOKEN } from '../kit/service.ts';
import { startUnreliableProxy } from '../kit/unreliable-proxy.ts';

const LIMITS_PASS = new URL('../kit/limits-pass.ts', import.meta.url).href;

it('while PostgreSQL says nothing, /readyz is 503 before any call is answered, and SIGTERM ends the service by itself with 0', async (t) => {
  const database = await freshDatabase('postgres', t);
  const databaseUrl = new URL(database.databaseUrl!);
  const proxy = await startUnreliableProxy(t, Number(databaseUrl.port));
  databaseUrl.port = String(proxy.port);
  // Calls wait far longer than a probe.
  const env = processEnv({ databaseStatementSeconds: 240 }, LIMITS_PASS);
  const service = await spawnService(t, { ...database, databaseUrl: databaseUrl.href }, env);
  const article = (guid: string) =>
    JSON_BINDING.call(service.url, 'InsertArticle', { token: TOKEN, guid, caption: guid });
  assert.equal((await article('before')).status, 200);
  proxy.silent = true;
  service.child.kill('SIGUSR2');
  let answered = 0;
  const calls = ['a', 'b', 'c'].map((guid) =>
    article(guid)
      .catch(() => undefined)
      .finally(() => answered++),
  );
  await until(async () => (await exchange(`${service.url}/readyz`)).status === 503);
  assert.equal(answered, 0);
  assert.equal((await exchange(`${service.url}/healthz`)).status, 200);
  assert.equal(await service.end('SIGTERM'), 0, service.output());
  await Promise.all(calls);
  assert.doesNotMatch(service.output(), /did not stop in time/);
});
