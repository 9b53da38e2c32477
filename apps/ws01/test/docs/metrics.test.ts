import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { words } from '../../../../packages/asmx/src/contract/words.ts';
import { exchange, TEST_BINDINGS } from '../kit/bindings.ts';
import { freshDatabase } from '../kit/database.ts';
import { startHttpGateway } from '../kit/http-gateway.ts';
import { keptLog } from '../kit/log.ts';
import { metricsUrl, Scrape } from '../kit/scrape.ts';
import { startService, TOKEN } from '../kit/service.ts';

/** What may have no sample while nothing much happens. */
const UNUSED = new Set<string>(
  words(
    'ws01_calls_lossy_total ws01_outbox_attempts_total nodejs_active_requests',
    'nodejs_active_resources nodejs_active_handles nodejs_gc_duration_seconds',
  ),
);

test('docs/operations/metrics.md lists each metric of both engines with its type and labels', async (t) => {
  const page = await readFile('docs/operations/metrics.md', 'utf8');
  const listed = page
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map(([, name, type, labels, meaning]) => ({
      name: name!.replaceAll('`', ''),
      type: type!.split(',', 1)[0]!,
      labels: [...labels!.matchAll(/`(\w+)`/g)].map(([, label]) => label!).sort(),
      engines: ['SQLite', 'PostgreSQL'].filter((engine) => meaning!.startsWith(`${engine}. `)),
    }));

  for (const [engine, title] of [
    ['sqlite', 'SQLite'] as const,
    ['postgres', 'PostgreSQL'] as const,
  ]) {
    const upstream = await startHttpGateway(t);
    const sms = await startHttpGateway(t);
    const { log, lines } = keptLog();
    const env = { UPSTREAM_URL: `${upstream.url}/old.asmx` };
    const service = {
      METRICS_PORT: '0',
      SMS_URL: sms.url,
      SMS_SECRET: 's'.repeat(32),
      ...env,
    };
    const { url } = await startService(t, await freshDatabase(engine, t), service, log);
    await exchange(`${url}/WS01.asmx/Unknown`);
    await exchange(`${url}/WS01.asmx/countIpPosted`);
    await TEST_BINDINGS[0]!.call(url, 'countIpPosted', { tokenId: TOKEN, IP: '192.0.2.1' });
    const metrics = (await Scrape.of(metricsUrl(lines))).metrics();

    const expected = listed.filter(
      ({ engines }) => engines.length === 0 || engines.includes(title),
    );
    assert.deepEqual([...metrics.keys()].sort(), expected.map(({ name }) => name).sort(), engine);
    for (const { name, type, labels } of expected) {
      const metric = metrics.get(name)!;
      assert.equal(metric.type, type, name);
      if (metric.labels.size > 0 || !UNUSED.has(name))
        assert.deepEqual([...metric.labels].sort(), labels, name);
    }
  }
});
