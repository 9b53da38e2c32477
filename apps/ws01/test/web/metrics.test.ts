import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TEST_BINDINGS } from '../kit/bindings.ts';
import { freshDatabase } from '../kit/database.ts';
import { keptLog } from '../kit/log.ts';
import { startService, TOKEN } from '../kit/service.ts';
import { startWorkers } from '../kit/workers.ts';

/** The value of a sample; `undefined` when there is none. */
const sample = (text: string, name: string): number | undefined => {
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
};

describe('METRICS_PORT', () => {
  it('opens /metrics on loopback: calls, errors by code and fault, durations, lossy calls', async (t) => {
    const { log, lines } = keptLog();
    const { url } = await startService(t, await freshDatabase('sqlite', t), { METRICS_PORT: '0' }, log);
    const served = lines.find(({ msg }) => msg === 'metrics are served') as
      | { host?: string; port?: number }
      | undefined;
    assert.equal(served?.host, '127.0.0.1');
    const metrics = `http://127.0.0.1:${served?.port}/metrics`;

    for (const binding of TEST_BINDINGS) await binding.call(url, 'countIpPosted', { tokenId: TOKEN, IP: '192.0.2.1' });
    await TEST_BINDINGS[0]!.call(url, 'countIpPosted', { tokenId: 'a-secret-of-a-caller', IP: '192.0.2.1' });
    const latin = Buffer.from(
      `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><countIpPosted xmlns="urn:ws01"><tokenId>${TOKEN}</tokenId><IP>192.0.2.1</IP><level>caf\xe9</level></countIpPosted></e:Body></e:Envelope>`,
      'latin1',
    );
    await fetch(`${url}/WS01.asmx`, { method: 'POST', headers: { 'Content-Type': 'text/xml' }, body: latin });

    const response = await fetch(metrics);
    const text = await response.text();
    assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
    assert.equal(sample(text, 'ws01_calls_total{operation="countIpPosted",binding="get"}'), 1);
    assert.equal(sample(text, 'ws01_call_duration_seconds_count{operation="countIpPosted",binding="get"}'), 1);
    assert.equal(sample(text, 'ws01_errors_total{code="Unauthenticated",fault="client"}'), 1);
    assert.equal(sample(text, 'ws01_calls_lossy_total{operation="countIpPosted",binding="soap11"}'), 1);
    assert.ok(sample(text, 'nodejs_eventloop_lag_seconds') !== undefined);
    assert.doesNotMatch(text, /a-secret-of-a-caller|192\.0\.2\.1/);

    assert.equal((await fetch(metrics.replace('/metrics', '/'))).status, 404);
    assert.equal((await fetch(`${url}/metrics`)).status, 404, 'not on the port of the service');
  });

  it('adds up the workers of one service', async (t) => {
    const service = await startWorkers(t, await freshDatabase('postgres', t), { env: { METRICS_PORT: '0' } });
    await service.until(() => service.log('metrics are served').length === 1);
    const { port } = service.log('metrics are served')[0] as unknown as { port: number };
    for (let call = 0; call < 12; call++) {
      await service.get('countIpPosted', { IP: '192.0.2.1', lastFewDays: '0', level: 'all' });
    }
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    assert.equal(sample(text, 'ws01_calls_total{operation="countIpPosted",binding="get"}'), 12);
  });
});
