import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createEndpoint, int, operation, service, string } from '@ws01/asmx';
import { fetchHandler } from '@ws01/asmx/fetch';
import { Hono } from 'hono';
import { endpoint } from '../kit/hosts/orders.ts';
import { mountedHono, programOf, rowOf } from '../kit/hosts/page.ts';
import { hostFolder, startHost } from '../kit/hosts/start.ts';
import { tryHost } from '../kit/hosts/try.ts';
import { jsonRequest } from '../kit/http.ts';
import { freePort } from '../kit/listen.ts';
import { envelopeOf, SOAP11 } from '../kit/soap.ts';
import { SOURCE_ARGUMENTS } from '../kit/source-process.ts';
import { until } from '../kit/until.ts';

const MODULES = fileURLToPath(new URL('../../../../node_modules', import.meta.url));

describe('the program of a host on the site does what its row in the table says', () => {
  for (const [host, path, heading = host] of [
    ['node:http', ''],
    ['node:http', '', 'Beside other routes'],
    ['Express', '/v1'],
    ['Fastify', ''],
    ['Hono', ''],
    ['Hono', '/v1', 'Hono, mounted'],
  ] as const) {
    it(heading, async (test) => {
      const port = await freePort();
      const whole = heading === 'Hono, mounted' ? mountedHono() : programOf(heading);
      const program = whole.replace('8080', String(port));
      const folder = hostFolder(test, { 'server.ts': program }, MODULES);
      const node = [process.execPath, ...SOURCE_ARGUMENTS, 'server.ts'] as const;
      const origin = await startHost(test, folder, node, port);
      assert.deepEqual(await tryHost(`${origin}${path}/Orders.asmx`), rowOf(host));
    });
  }
});

describe('an endpoint as a function from Request to Response', () => {
  const serve = fetchHandler(endpoint);
  const elsewhere = () => new Response(null, { status: 404 });

  it('in tests, without a server', async (test) => {
    const program = programOf('No server');
    assert.match(program, /console.log\(await response\?\.text\(\)\)/);
    const exported = program.replace(/console.log\((.*)\);/, 'export const answer = $1;');
    const folder = hostFolder(test, { 'test.ts': exported }, MODULES);
    const { answer } = await import(`${folder}/test.ts`);
    assert.match(answer, />order 7</);
    const url = 'http://localhost/Orders.asmx';
    const send = async (request: Request) => serve(request) ?? elsewhere();
    assert.deepEqual(await tryHost(url, send), rowOf('No server'));
  });

  it('in the tests of Hono', async () => {
    const app = new Hono();
    app.use(async (c, next) => (await serve(c.req.raw)) ?? next());
    const send = async (request: Request) => app.request(request);
    assert.deepEqual(await tryHost('https://shop.example/Orders.asmx', send), rowOf('Hono'));
  });

  for (const [gateway, eventOf] of [
    ['an API Gateway', apiGatewayEvent],
    ['a load balancer', loadBalancerEvent],
  ] as const) {
    it(`in AWS Lambda, behind ${gateway}`, async (test) => {
      const folder = hostFolder(test, { 'lambda.ts': programOf('AWS Lambda') }, MODULES);
      const { handler } = await import(`${folder}/lambda.ts`);
      const send = async (request: Request) => {
        const { statusCode, headers, body, isBase64Encoded } = await handler(
          JSON.parse(JSON.stringify(await eventOf(request))),
        );
        assert.equal(isBase64Encoded, true);
        return new Response(Buffer.from(body, 'base64'), { status: statusCode, headers });
      };
      const url = 'https://shop.example/Orders.asmx';
      const can = { stream: false, abort: false };
      assert.deepEqual(await tryHost(url, send, can), rowOf('AWS Lambda'));
      const odd = await send(new Request(`${url}/GetOrder?x=a%26b+c%25&id=7`));
      assert.match(await odd.text(), />order 7</);
    });
  }

  it('is told by its server what a request does not say', async () => {
    const ask = async (request: Request, connection?: Parameters<typeof serve>[1]) =>
      (await serve(request, connection))!.text();
    const address = new Request('http://x/Orders.asmx/ClientAddress');
    assert.match(await ask(address, { remoteAddress: '192.0.2.7' }), />192\.0\.2\.7</);
    const wsdl = () =>
      new Request('http://inner:1/Orders.asmx?WSDL', { headers: { host: 'shop' } });
    assert.match(await ask(wsdl()), /location="http:\/\/shop\/Orders.asmx"/);
    assert.match(
      await ask(wsdl(), { encrypted: true, mountPath: '/v1' }),
      /location="https:\/\/shop\/v1\/Orders.asmx"/,
    );
  });

  it('says so when something else has read the body', async () => {
    const request = new Request('http://x/Orders.asmx/GetOrder', jsonRequest({ id: 7 }));
    await request.text();
    const told: unknown[] = [];
    const Orders = service('Orders', {
      namespace: 'urn:orders',
      operations: { GetOrder: operation({ input: { id: int }, result: string }) },
    });
    const orders = createEndpoint(Orders, {
      path: '/Orders.asmx',
      handlers: { GetOrder: () => '' },
      onAnswered: ({ error }) => told.push(error?.code),
    });
    const answer = (await fetchHandler(orders)(request))!;
    assert.deepEqual([answer.status, told], [500, ['Internal']]);
    assert.match(await answer.text(), /must come before body parsers/);
  });

  it('answers without content where there is none, and with each cookie by itself', async () => {
    const Notes = service('Notes', {
      namespace: 'urn:notes',
      operations: {
        Note: operation({ input: { text: string }, oneWay: true }),
        LogIn: operation({ result: string }),
      },
    });
    const notes = fetchHandler(
      createEndpoint(Notes, {
        path: '/Notes.asmx',
        handlers: {
          Note: () => {},
          LogIn: (_input, { reply }) => {
            reply.header('Set-Cookie', 'a=1');
            reply.header('Set-Cookie', 'b=2');
            return 'in';
          },
        },
      }),
    );
    const url = 'http://x/Notes.asmx';
    const noted = (await notes(
      new Request(url, {
        method: 'POST',
        headers: { 'Content-Type': SOAP11.contentType },
        body: envelopeOf(SOAP11, '<Note xmlns="urn:notes"><text>x</text></Note>'),
      }),
    ))!;
    assert.deepEqual([noted.status, noted.body], [202, null]);
    const { headers } = (await notes(new Request(`${url}/LogIn`)))!;
    assert.deepEqual(headers.getSetCookie(), ['a=1', 'b=2']);
    const wsdl = (await notes(new Request(`${url}?WSDL`)))!;
    const tag = wsdl.headers.get('etag')!;
    const again = await notes(new Request(`${url}?WSDL`, { headers: { 'If-None-Match': tag } }));
    assert.equal(again!.status, 304);
  });

  it('a body ends with the signal of its request, as a request that was cut off', async () => {
    const leaving = new AbortController();
    let pulled = false;
    const body = new ReadableStream<Uint8Array>({
      pull: () => {
        pulled = true;
        return new Promise(() => {});
      },
    });
    const answering = serve(
      new Request('http://x/Orders.asmx/GetOrder', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body,
        duplex: 'half',
        signal: leaving.signal,
      } as RequestInit),
    )!;
    await until(() => pulled);
    leaving.abort();
    const answer = await answering;
    assert.equal(answer.status, 400);
    assert.match(await answer.text(), /The connection ended before the request body did/);
  });
});

/** As an HTTP API sends it (docs.aws.amazon.com, "Payload format version 2.0"). */
async function apiGatewayEvent(request: Request) {
  const { pathname, search, host } = new URL(request.url);
  const { cookie, ...headers } = Object.fromEntries(request.headers);
  return {
    version: '2.0',
    rawPath: pathname,
    rawQueryString: search.slice(1),
    ...(cookie === undefined ? {} : { cookies: cookie.split('; ') }),
    headers: { ...headers, host, 'x-forwarded-proto': 'https' },
    requestContext: { http: { method: request.method, path: pathname, sourceIp: '192.0.2.7' } },
    ...(await bodyOfEvent(request)),
  };
}

/** As a load balancer sends it: names and values of the query are still encoded. */
async function loadBalancerEvent(request: Request) {
  const { pathname, search, host } = new URL(request.url);
  return {
    requestContext: { elb: { targetGroupArn: 'arn:aws:elasticloadbalancing:x' } },
    httpMethod: request.method,
    path: pathname,
    queryStringParameters: Object.fromEntries(
      search
        .slice(1)
        .split('&')
        .filter((pair) => pair !== '')
        .map((pair) => [pair.split('=')[0]!, pair.split('=')[1] ?? '']),
    ),
    headers: { ...Object.fromEntries(request.headers), host, 'x-forwarded-proto': 'https' },
    ...(await bodyOfEvent(request)),
  };
}

async function bodyOfEvent(request: Request) {
  const body = Buffer.from(await request.arrayBuffer());
  const isText = /^(text|application\/(json|x-www))/.test(
    request.headers.get('content-type') ?? '',
  );
  return { body: body.toString(isText ? 'utf8' : 'base64'), isBase64Encoded: !isText };
}
