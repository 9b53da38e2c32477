import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { originOf } from '../../../../packages/asmx/test/kit/listen.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { exchange, TEST_BINDINGS } from '../kit/bindings.ts';
import { spawnWs01 } from '../kit/command-process.ts';
import { forEachEngine, freshDatabase } from '../kit/database.ts';
import { startHttpGateway } from '../kit/http-gateway.ts';
import { spawnService } from '../kit/process.ts';
import { startService, TOKEN } from '../kit/service.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const traceparent = `00-${TRACE}-${PARENT}-01`;
const PHONE = { tokenId: TOKEN, userId: 'ada', cellphone: '+12125550100' };

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly {
    readonly key: string;
    readonly value: Readonly<Record<string, unknown>>;
  }[];
}

/** A collector of traces as OTLP over HTTP with JSON speaks to one. */
async function startCollector(t: TestContext) {
  const spans: OtlpSpan[] = [];
  const resources: unknown[] = [];
  const server = createServer(async (req, res) => {
    assert.deepEqual([req.method, req.url], ['POST', '/v1/traces']);
    const sent = (await json(req)) as {
      resourceSpans: readonly {
        resource: unknown;
        scopeSpans: readonly { spans: readonly OtlpSpan[] }[];
      }[];
    };
    for (const { resource, scopeSpans } of sent.resourceSpans) {
      resources.push(resource);
      for (const scope of scopeSpans) spans.push(...scope.spans);
    }
    res.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  });
  const origin = await originOf(t, server);
  return { spans, resources, url: origin };
}

const attribute = ({ attributes }: OtlpSpan, name: string) =>
  Object.values(attributes.find(({ key }) => key === name)?.value ?? {})[0];

describe('OTEL_EXPORTER_OTLP_ENDPOINT', () => {
  forEachEngine((_engine, fresh) => {
    it('sends a span of each call with where its time went, in the trace of a trusted proxy, and passes it on', async (t) => {
      const collector = await startCollector(t);
      const old = await startHttpGateway(t);
      const gateway = await startHttpGateway(t);
      const service = await spawnService(t, await fresh(t), {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_SERVICE_NAME: 'board',
        OTEL_BSP_SCHEDULE_DELAY: '100',
        TRUSTED_PROXIES: 'loopback',
        UPSTREAM_URL: `${old.url}/old.asmx`,
        SMS_URL: gateway.url,
        SMS_SECRET: 's'.repeat(32),
      });
      const query = new URLSearchParams(PHONE);
      const created = await exchange(`${service.url}/WS01.asmx/CreateVerifyCode?${query}`, {
        headers: { traceparent },
      });
      assert.equal(created.status, 200, created.body);
      await exchange(`${service.url}/WS01.asmx/OnlyThere`, { headers: { traceparent } });
      await exchange(`${service.url}/WS01.asmx/countIpPosted?tokenId=no`, {
        headers: { traceparent: '00-0-0-01' },
      });
      const named = (name: string) => collector.spans.find((span) => span.name === name);
      await until(
        () =>
          ['CreateVerifyCode', 'passed on', 'countIpPosted'].every(
            (name) => named(name) !== undefined,
          ) && gateway.calls.length > 0,
      );
      const call = named('CreateVerifyCode')!;
      assert.deepEqual([call.traceId, call.parentSpanId, call.kind], [TRACE, PARENT, 2]);
      assert.equal(attribute(call, 'ws01.request_id'), created.headers['x-request-id']);
      assert.equal(Number(attribute(call, 'http.response.status_code')), 200);
      assert.ok(BigInt(call.endTimeUnixNano) > BigInt(call.startTimeUnixNano));
      const invoke = collector.spans.find(
        ({ name, parentSpanId }) => name === 'invoke' && parentSpanId === call.spanId,
      );
      assert.equal(invoke?.traceId, TRACE);
      assert.equal(gateway.calls[0]?.headers.traceparent, `00-${TRACE}-${call.spanId}-01`);
      assert.equal(
        old.calls[0]?.headers.traceparent,
        `00-${TRACE}-${named('passed on')!.spanId}-01`,
      );
      const refused = named('countIpPosted')!;
      assert.ok(
        refused.traceId !== TRACE && !refused.parentSpanId,
        'one of its own, since that is no traceparent',
      );
      assert.equal(attribute(refused, 'error.type'), 'Unauthenticated');
      assert.match(
        JSON.stringify(collector.resources[0]),
        /"service\.name","value":\{"stringValue":"board"\}/,
      );
      assert.doesNotMatch(JSON.stringify(collector.spans), new RegExp(`${TOKEN}|2125550100`));
      assert.equal(await service.end('SIGTERM'), 0);
    });
  });

  it('of a collector that is away harms no call, and is told once', async (t) => {
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
      OTEL_BSP_SCHEDULE_DELAY: '50',
      LOG_LEVEL: 'info',
    };
    const service = await spawnService(t, await freshDatabase('sqlite', t), env);
    for (let call = 0; call < 20; call++) {
      assert.equal(
        (await exchange(`${service.url}/WS01.asmx/countIpPosted?tokenId=${TOKEN}&IP=192.0.2.1`))
          .status,
        200,
      );
    }
    assert.equal(await service.end('SIGTERM'), 0);
    assert.ok(service.output().split('traces could not be sent').length <= 2, service.output());
  });

  it('without the packages ends the start with one line that says what to install', async (t) => {
    const hook = `import { registerHooks } from 'node:module';
registerHooks({ resolve(name, context, next) {
  if (name.startsWith('@opentelemetry/')) throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
  return next(name, context);
} });`;
    const { code, stderr } = await spawnWs01(await freshDatabase('sqlite', t), ['serve'], '', {
      PORT: '0',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}`,
    });
    assert.equal(code, 78);
    assert.match(
      stderr,
      /^ws01: OTEL_EXPORTER_OTLP_ENDPOINT is set, but .* run npm install @opentelemetry\/api [^\n]+\n$/,
    );
  });
});

describe('traceparent without OTEL_*', () => {
  it('is passed on to the SMS gateway and the server behind, of those who are trusted alone', async (t) => {
    const gateway = await startHttpGateway(t);
    const old = await startHttpGateway(t);
    const env = {
      ...{
        SMS_URL: gateway.url,
        SMS_SECRET: 's'.repeat(32),
        fixed: { smsPerPhone: [] },
      },
      ...{ UPSTREAM_URL: `${old.url}/old.asmx` },
    };
    for (const [TRUSTED_PROXIES, expected] of [
      ['loopback', traceparent] as const,
      ['192.0.2.1', undefined] as const,
    ]) {
      const { url, app } = await startService(t, undefined, { ...env, TRUSTED_PROXIES });
      const before = gateway.calls.length;
      const query = new URLSearchParams(PHONE);
      await exchange(`${url}/WS01.asmx/CreateVerifyCode?${query}`, { headers: { traceparent } });
      await until(() => gateway.calls.length > before);
      assert.equal(gateway.calls.at(-1)?.headers.traceparent, expected);
      if (expected !== undefined) {
        await exchange(`${url}/WS01.asmx/OnlyThere`, { headers: { traceparent } });
        assert.equal(old.calls.at(-1)?.headers.traceparent, expected);
      }
      await TEST_BINDINGS[0]!.call(url, 'countIpPosted', { tokenId: TOKEN, IP: '192.0.2.1' });
      await app.stop();
    }
  });
});
