import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { attachFastPath } from '@ws01/fast-http';
import {
  createEndpoint,
  defineLimits,
  type Limits,
  nodeListener,
  operation,
  service,
  string,
} from '../../src/index.ts';
import { UPSTREAM_ANSWER_BYTES, Upstream } from '../../src/node/upstream/ask.ts';
import { Networks } from '../../src/node/upstream/networks.ts';
import { type Passed, passThrough } from '../../src/node/upstream/pass-through.ts';
import { exchange, RawConnection } from '../kit/http.ts';
import { steerTime } from '../kit/steered-time.ts';
import { until } from '../kit/until.ts';

const contract = service('New', {
  namespace: 'urn:new',
  operations: {
    Ask: operation({ input: { p: string }, result: string }),
    Later: operation({ result: string }),
  },
});

interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** An old server that keeps what it received. */
async function oldServer(
  t: TestContext,
  answer: (res: ServerResponse, received: Received) => void,
) {
  const received: Received[] = [];
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req as AsyncIterable<Buffer>) chunks.push(chunk);
    received.push({
      method: req.method!,
      url: req.url!,
      headers: req.headers,
      body: Buffer.concat(chunks),
    });
    answer(res, received.at(-1)!);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.closeAllConnections());
  t.after(() => server.close());
  return { received, server, port: (server.address() as AddressInfo).port };
}

interface Options {
  readonly networks?: readonly string[];
  readonly host?: string;
  readonly answers?: readonly string[];
  readonly requestBytes?: number;
  readonly answerBytes?: number;
  readonly timeoutMs?: number;
  readonly totalBytes?: number;
  readonly calls?: number;
  readonly headers?: readonly string[];
  readonly limits?: Partial<Limits>;
  readonly trusted?: string;
}

/** The new server before the old one: it answers Ask itself. */
async function newServer(t: TestContext, port: number, options: Options = {}) {
  const passed: Passed[] = [];
  const upstream = new Upstream({
    url: new URL(`http://${options.host ?? '127.0.0.1'}:${port}`),
    networks: new Networks(options.networks ?? ['127.0.0.0/8', '::1']),
    timeoutMs: options.timeoutMs ?? 10_000,
    answerBytes: options.answerBytes ?? UPSTREAM_ANSWER_BYTES,
  });
  t.after(() => upstream.close());
  const own = createEndpoint(contract, {
    handlers: { Ask: ({ p }) => `new ${p}`, Later: () => 'never' },
    path: '/New.asmx',
    baseUrl: () => 'http://localhost',
    limits: defineLimits(options.limits),
  });
  const endpoint = passThrough(own, {
    upstream,
    upstreamPath: '/old/Old.asmx',
    paths: ['/New.asmx'],
    answers: (operation) => (options.answers ?? ['Ask']).includes(operation),
    requestBytes: options.requestBytes ?? 1_000_000,
    ...(options.totalBytes === undefined ? {} : { totalBytes: options.totalBytes }),
    ...(options.calls === undefined ? {} : { calls: options.calls }),
    headers: options.headers ?? [],
    clientAddress: (peer, forwardedFor) => (peer === options.trusted && forwardedFor) || peer,
    onPassed: (call) => passed.push(call),
  });
  const listener = nodeListener(endpoint);
  const server = createServer((req, res) => listener(req, res) || res.writeHead(404).end());
  const connections = attachFastPath(server, { ...own, ...endpoint });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => connections.destroy());
  t.after(() => server.close());
  const ownPort = (server.address() as AddressInfo).port;
  return { url: `http://127.0.0.1:${ownPort}/New.asmx`, port: ownPort, passed, own };
}

const soap = (operation: string, inside = '') =>
  `<?xml version="1.0"?>\n<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><${operation} xmlns="urn:new">${inside}</${operation}></soap:Body></soap:Envelope>`;
const XML = { 'content-type': 'text/xml; charset=utf-8', soapaction: '""' };

describe('pass-through', () => {
  test('own operations are answered here, also where only the body names them', async (t) => {
    const { port, received } = await oldServer(t, (res) => res.end('old'));
    const { url, passed } = await newServer(t, port);
    assert.match((await exchange(`${url}/Ask?p=1`)).body, /new 1/);
    const { status, body } = await exchange(url, {
      method: 'POST',
      headers: { ...XML, soapaction: '"urn:new/Ask"' },
      body: soap('Ask', '<p>2</p>'),
    });
    assert.equal(status, 200, body);
    assert.match(body, /new 2/);
    assert.equal((await exchange(`${url}?WSDL`)).status, 200);
    assert.equal((await exchange(url)).status, 200);
    assert.equal((await exchange(`${url}/js`)).status, 200);
    assert.deepEqual([received.length, passed.length], [0, 0]);
  });

  test('others are passed on and back byte for byte', async (t) => {
    const answer = gzipSync('<Gone>\r\n\u00e9</Gone>');
    const { port, received } = await oldServer(t, (res) => {
      const headers = [
        'X-Old',
        'a',
        'X-Old',
        'b',
        'Content-Encoding',
        'gzip',
        'Content-Type',
        'text/xml',
      ];
      res.writeHead(500, headers).end(answer);
    });
    const { url, passed } = await newServer(t, port, { headers: ['X-Mine', 'X-Old'] });
    const sent = Buffer.concat([
      Buffer.from(soap('Gone', '<v>')),
      Buffer.from([0xe9, 0x00, 0xff]),
      Buffer.from('  </v>'),
    ]);
    const got = await exchange(url, {
      method: 'POST',
      headers: { ...XML, 'x-mine': '1', connection: 'x-hop', 'x-hop': '1' },
      body: sent,
    });
    assert.equal(got.status, 500);
    assert.deepEqual(got.bytes, answer);
    assert.equal(got.headers['content-encoding'], 'gzip');
    assert.equal(got.headers['x-old'], 'a, b');
    const [asked] = received;
    assert.deepEqual(asked?.body, sent);
    assert.equal(asked?.url, '/old/Old.asmx');
    assert.deepEqual([asked?.headers['x-mine'], asked?.headers['x-hop']], ['1', undefined]);
    assert.equal(asked?.headers.host, `127.0.0.1:${port}`);
    assert.deepEqual(
      passed.map(({ operation, status }) => [operation, status]),
      [['Gone', 500]],
    );
  });

  test('GET, POST and chosen operations go by the path, with their query', async (t) => {
    const { port, received } = await oldServer(t, (res) => res.end('old'));
    const { url } = await newServer(t, port);
    assert.equal((await exchange(`${url}/Later?a=%E4&b=+`)).body, 'old');
    assert.equal(
      (
        await exchange(`${url}/Nobody`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{"a":1}',
        })
      ).body,
      'old',
    );
    assert.deepEqual(
      received.map(({ method, url: asked, body }) => [method, asked, body.toString()]),
      [
        ['GET', '/old/Old.asmx/Later?a=%E4&b=+', ''],
        ['POST', '/old/Old.asmx/Nobody', '{"a":1}'],
      ],
    );
  });

  test('a long message goes on whole, a compressed one by its action', async (t) => {
    const { port, received } = await oldServer(t, (res) => res.end('old'));
    const { url } = await newServer(t, port, { requestBytes: 3_000_000 });
    const long = soap('Gone', `<v>${'x'.repeat(2_000_000)}</v>`);
    assert.equal((await exchange(url, { method: 'POST', headers: XML, body: long })).body, 'old');
    assert.equal(received[0]?.body.toString(), long);
    const headers = { ...XML, soapaction: '"urn:new/Gone"', 'content-encoding': 'gzip' };
    assert.equal(
      (await exchange(url, { method: 'POST', headers, body: gzipSync(soap('Gone')) })).body,
      'old',
    );
  });

  test('a redirect is an answer', async (t) => {
    const { port, received } = await oldServer(t, (res) =>
      res.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
    );
    const { url } = await newServer(t, port);
    const { status, headers } = await exchange(`${url}/Later`);
    assert.deepEqual(
      [status, headers.location, received.length],
      [302, 'http://169.254.169.254/', 1],
    );
  });

  test('a private network that is not listed is not connected to, by address or by name', async (t) => {
    const { port, received } = await oldServer(t, (res) => res.end('old'));
    for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '0x7f.1']) {
      const { url, passed } = await newServer(t, port, { host, networks: ['10.0.0.0/8'] });
      const { status, body } = await exchange(`${url}/Later`);
      assert.equal(status, 502);
      assert.equal(body, 'The server that has this operation cannot be reached; try again.\n');
      assert.match(
        passed[0]?.error?.message ?? '',
        / is in a private network that is not listed\.$/,
      );
    }
    assert.equal(received.length, 0);
    const { url } = await newServer(t, port, { host: 'localhost' });
    assert.equal((await exchange(`${url}/Later`)).body, 'old');
  });

  test('bounds: the size of request and answer, the time', async (t) => {
    const { port } = await oldServer(t, (res, { url }) => {
      if (!url.endsWith('slow')) res.end('x'.repeat(1_000));
    });
    const answered = await newServer(t, port, { answerBytes: 1_000 });
    assert.equal((await exchange(`${answered.url}/Later`)).status, 200);
    const tooMuch = await newServer(t, port, { answerBytes: 999 });
    assert.equal((await exchange(`${tooMuch.url}/Later`)).status, 502);
    assert.equal(tooMuch.passed[0]?.error?.message, 'Its answer has more than 999 bytes.');
    const post = (body: string) => ({ method: 'POST', body });
    const small = await newServer(t, port, { requestBytes: 100 });
    assert.equal((await exchange(`${small.url}/Later`, post('x'.repeat(100)))).status, 200);
    assert.equal((await exchange(`${small.url}/Later`, post('x'.repeat(101)))).status, 413);
    const hasty = await newServer(t, port, { timeoutMs: 200 });
    assert.equal((await exchange(`${hasty.url}/slow`)).status, 502);
    assert.match(hasty.passed[0]?.error?.message ?? '', /did not answer within 0\.2 s\.$/);
  });

  test('a server that is down', async (t) => {
    const { port, server } = await oldServer(t, (res) => res.end('old'));
    server.close();
    await once(server, 'close');
    const { url, passed } = await newServer(t, port);
    assert.equal((await exchange(`${url}/Later`)).status, 502);
    assert.equal(
      passed[0]?.error?.message,
      `127.0.0.1:${port} cannot be asked: nothing listens there.`,
    );
  });
});

/** A request as it is written, and all that comes for it. */
async function raw(port: number, request: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.end(request, 'latin1');
  return text(socket);
}

const ESCAPES = [
  ...[
    '..',
    '%2e%2e',
    '%2E.',
    '.%2e',
    '%252e%252e',
    '..;',
    '..;a=b',
    '%2e%2e%3b',
    '..%00',
    '..%20',
    '.. ',
    '\u00b7\u00b7',
  ],
  ...[
    '%c0%ae%c0%ae',
    '%u002e%u002e',
    '%uff0e%uff0e',
    '%ef%bc%8e%ef%bc%8e',
    '%e2%80%a5',
    '...',
    '.',
    'x',
    'x%2f..',
    '',
  ],
];
const SLASHES = [
  '/',
  '%2f',
  '%2F',
  '%5c',
  '\\',
  '%252f',
  '%255c',
  '%c0%af',
  '%ef%bc%8f',
  '%e2%88%95',
  '//',
  '/./',
];

describe('pass-through: what anybody reaches on the other server', () => {
  test('no target leads out of the old service, however it is written', async (t) => {
    const { port: oldPort, received } = await oldServer(t, (res) => res.end('old'));
    const { port } = await newServer(t, oldPort);
    const names = ESCAPES.flatMap((dots) =>
      SLASHES.flatMap((slash) => [
        `${dots}${slash}secret`,
        `${dots}${slash}${dots}${slash}secret`,
        `Later${slash}${dots}${slash}${dots}${slash}secret`,
        `${slash}secret`,
        `Later${slash}`,
        `Later${dots}`,
      ]),
    );
    const others = [
      '@evil.example',
      'Later@evil.example',
      'Later;x=1',
      'Later%3bx',
      'Later%23x',
      'Later%3fx',
      'Later:80',
    ];
    const wrong = [
      'Later%0d%0aX:y',
      'Later%20HTTP/1.1',
      'Later%09',
      '%00',
      'Later%00',
      '~user',
      '$metadata',
      '*',
      '(x)',
    ];
    const tried = [...new Set([...names, ...others, ...wrong])];
    const prefixes = [
      '/new.ASMX/',
      '//New.asmx/',
      '/x/../New.asmx/',
      'http://evil.example/New.asmx/',
    ];
    const targets = tried.map((name) => `/New.asmx/${name}`);
    for (const prefix of prefixes)
      targets.push(...tried.slice(-40).map((name) => `${prefix}${name}`));
    for (const [at, target] of targets.entries()) {
      const head = `${at % 2 === 0 ? 'GET' : 'POST'} ${target} HTTP/1.1`;
      await raw(port, `${head}\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    }
    const refused = await raw(
      port,
      'GET /New.asmx/%2e%2e/page HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    );
    assert.match(refused, /^HTTP\/1\.1 404 [\s\S]*\r\ncontent-security-policy: sandbox\r\n/i);
    const reached = new Set(received.map(({ url }) => url));
    for (const url of reached) assert.match(url, /^\/old\/Old\.asmx(?:\/[\w%-]+(?:\.[\w%-]+)*)?$/);
    for (const url of reached)
      assert.doesNotMatch(url, /%(?!(?:C2|B7))/i, 'no escape but of a letter');
  });

  test('letters of any language, digits, dots between them; the query goes as it came', async (t) => {
    const { port: oldPort, received } = await oldServer(t, (res) => res.end('old'));
    const { url } = await newServer(t, oldPort);
    for (const name of ['Größe', '查询', 'Get.Later', '_a-1']) {
      assert.equal(
        (await exchange(`${url}/${encodeURIComponent(name)}?a=../x&b=%2e%2f`)).body,
        'old',
      );
    }
    assert.deepEqual(
      received.map(({ url: asked }) => decodeURIComponent(asked.split('?')[0]!)),
      ['Größe', '查询', 'Get.Later', '_a-1'].map((name) => `/old/Old.asmx/${name}`),
    );
    assert.ok(received.every(({ url: asked }) => asked.endsWith('?a=../x&b=%2e%2f')));
  });

  test('GET and POST alone', async (t) => {
    const { port: oldPort, received } = await oldServer(t, (res) => res.end('old'));
    const { port } = await newServer(t, oldPort);
    const methods = [
      'PUT',
      'DELETE',
      'PATCH',
      'TRACE',
      'OPTIONS',
      'HEAD',
      'PROPFIND',
      'SEARCH',
      'LOCK',
      'MOVE',
    ];
    for (const method of methods) {
      for (const path of ['/New.asmx/Later', '/New.asmx/Nobody', '/New.asmx/', '/New.asmx']) {
        await raw(
          port,
          `${method} ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
        );
      }
    }
    assert.deepEqual(received, []);
  });

  test('a message that names an operation of ours anywhere is answered here', async (t) => {
    const { port: oldPort, received } = await oldServer(t, (res) => res.end('old'));
    const { url } = await newServer(t, oldPort);
    const post = (headers: Record<string, string>, body: string) =>
      exchange(url, { method: 'POST', headers, body });
    await post({ ...XML, soapaction: '"urn:new/Ask"' }, soap('Gone'));
    await post({ ...XML, soapaction: '"urn:new/Gone"' }, soap('Ask'));
    await post({ 'content-type': 'application/soap+xml; action="urn:new/Ask"' }, soap('Gone'));
    assert.equal(received.length, 0);
  });
});

describe('pass-through: headers', () => {
  const TO_OLD = {
    ...{
      cookie: 'ws01-session=secret; old-ASP.NET_SessionId=theirs; __Host-ws01-session=s',
      'x-forwarded-for': '6.6.6.6',
    },
    ...{
      forwarded: 'for=6.6.6.6',
      'x-forwarded-host': 'evil',
      'x-forwarded-proto': 'https',
      'x-real-ip': '6.6.6.6',
    },
    ...{
      'x-original-url': '/admin',
      'x-rewrite-url': '/admin',
      'x-client-ip': '6.6.6.6',
      'true-client-ip': '6.6.6.6',
    },
    ...{
      'x-http-method-override': 'DELETE',
      'x-remote-user': 'admin',
      'x-secret': '1',
      'proxy-authorization': 'Basic x',
    },
    ...{
      via: 'x',
      range: 'bytes=0-0',
      referer: 'http://localhost/console/set-up/secret',
      soapaction: '"urn:a#Later"',
    },
  };

  test('none of ours, nor of a proxy, nor of the client’s saying', async (t) => {
    const { port: oldPort, received } = await oldServer(t, (res) => res.end('old'));
    const { url } = await newServer(t, oldPort);
    const credentials = [
      'Bearer ws1_secret',
      'bearer x',
      'NTLM TlRM',
      'Negotiate YII',
      'BasicX y',
      'Basic dTpw',
      'Digest a=1',
    ];
    for (const authorization of credentials) {
      assert.equal(
        (await exchange(`${url}/Later`, { headers: { ...TO_OLD, authorization } })).status,
        200,
      );
    }
    for (const { headers } of received) {
      const { host, connection, authorization, ...others } = headers;
      assert.deepEqual(others, {
        ...{
          cookie: 'ASP.NET_SessionId=theirs',
          'x-forwarded-for': '127.0.0.1',
          soapaction: '"urn:a#Later"',
        },
      });
    }
    const told = received.map(({ headers }) => headers.authorization);
    assert.deepEqual(told, [...Array(5).fill(undefined), 'Basic dTpw', 'Digest a=1']);
  });

  test('behind a trusted proxy, the client’s address and that of the proxy', async (t) => {
    const { port: oldPort, received } = await oldServer(t, (res) => res.end('old'));
    const { url } = await newServer(t, oldPort, { trusted: '127.0.0.1' });
    await exchange(`${url}/Later`, { headers: TO_OLD });
    await exchange(`${url}/Later`);
    const told = received.map(({ headers }) => headers['x-forwarded-for']);
    assert.deepEqual(told, ['6.6.6.6, 127.0.0.1', '127.0.0.1']);
  });

  test('an answer runs nothing here, and its cookies are confined', async (t) => {
    const { port: oldPort, received } = await oldServer(t, (res) => {
      res.writeHead(401, [
        ...['Content-Type', 'text/html', 'Content-Security-Policy', "script-src 'unsafe-inline'"],
        ...[
          'Set-Cookie',
          'ws01-session=evil; Path=/; Domain=example.com; HttpOnly; Secure; SameSite=None; Max-Age=60',
        ],
        ...[
          'Set-Cookie',
          '__Host-ws01-session=evil; Path=/',
          'Set-Cookie',
          '=x',
          'Set-Cookie',
          'a b=x',
          'Set-Cookie',
          'x',
        ],
        ...[
          'Strict-Transport-Security',
          'max-age=1',
          'Clear-Site-Data',
          '"*"',
          'Alt-Svc',
          'h2="evil:443"',
          'X-Other',
          '1',
        ],
        ...[
          'X-Accel-Redirect',
          '/etc/passwd',
          'X-Sendfile',
          '/etc/passwd',
          'Service-Worker-Allowed',
          '/',
          'Refresh',
          '0',
        ],
        ...[
          'WWW-Authenticate',
          'NTLM',
          'WWW-Authenticate',
          'Negotiate',
          'WWW-Authenticate',
          'Basic realm="old"',
        ],
        ...['X-Content-Type-Options', 'none', 'jsonerror', 'true', 'Location', '/elsewhere'],
      ]);
      res.end('<script>alert(1)</script>');
    });
    const { url } = await newServer(t, oldPort);
    const { headers, status } = await exchange(`${url.replace('New', 'NEW')}/Later`);
    const { date, connection, 'keep-alive': kept, ...others } = headers;
    assert.equal(status, 401);
    assert.deepEqual(others, {
      ...{
        'content-type': 'text/html',
        'content-length': '25',
        jsonerror: 'true',
        location: '/elsewhere',
      },
      ...{
        'www-authenticate': 'Basic realm="old"',
        'content-security-policy': 'sandbox',
        'x-content-type-options': 'nosniff',
      },
      'set-cookie': [
        'old-ws01-session=evil; HttpOnly; Secure; Max-Age=60; Path=/NEW.asmx; SameSite=Lax',
        'old-__Host-ws01-session=evil; Path=/NEW.asmx; SameSite=Lax',
      ],
    });
    assert.equal(received.length, 1);
  });

  test('no option has a header pass that is made here', async (t) => {
    for (const name of [
      'Cookie',
      'Host',
      'X-Forwarded-For',
      'x-rewrite-url',
      'Content-Security-Policy',
      'Set-Cookie',
    ]) {
      await assert.rejects(
        newServer(t, 1, { headers: [name] }),
        new RegExp(`The header ${name} is not passed on`),
      );
    }
  });
});

/** Connections that send so much of a longer body, and then nothing. */
async function stalled(
  t: TestContext,
  port: number,
  count: number,
  path: string,
  bytes: number,
): Promise<Socket[]> {
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: ${bytes + 100}\r\n\r\n`;
  const sockets: Socket[] = [];
  for (let at = 0; at < count; at++) {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    t.after(() => socket.destroy());
    socket.write(head);
    socket.write('x'.repeat(bytes));
    sockets.push(socket);
  }
  return sockets;
}

describe('pass-through: what it costs', () => {
  for (const [what, path] of [
    ['of operations', '/New.asmx/Later'],
    ['of messages', '/New.asmx'],
  ] as const) {
    test(`bodies ${what} that stall are in the endpoint's account, and the oldest gives way`, async (t) => {
      const { port: oldPort, received } = await oldServer(t, (res) => res.end('old'));
      const { port } = await newServer(t, oldPort, {
        limits: { totalUnauthenticatedBytes: 250_000 },
      });
      // Of a message no more is looked at than its beginning, until it is known whose it is.
      const bytes = path === '/New.asmx' ? 60_000 : 100_000;
      const sockets = await stalled(t, port, 6, path, bytes);
      const answered = sockets.map((socket) => text(socket).catch(() => ''));
      const left = 6 - Math.floor(250_000 / bytes);
      assert.match(await Promise.any(answered), /^HTTP\/1\.1 503 /);
      let ended = 0;
      for (const each of answered) each.then(() => ended++);
      await until(() => ended >= left);
      assert.equal(received.length, 0);
    });
  }

  test('a body that pauses too long is refused', async (t) => {
    const { port: oldPort } = await oldServer(t, (res) => res.end('old'));
    const { port } = await newServer(t, oldPort, {
      limits: { bodyPauseMs: 100 },
    });
    for (const path of ['/New.asmx/Later', '/New.asmx']) {
      const [socket] = await stalled(t, port, 1, path, 10);
      assert.match(await text(socket!), /^HTTP\/1\.1 (408|500) [\s\S]*the limit bodyPauseMs/);
    }
  });

  test('a body that was asked for is not slow while it comes fast enough', async (t) => {
    const { pass } = steerTime(t);
    const { port: oldPort, received } = await oldServer(t, (res) => res.end('old'));
    const limits = { bodyGraceMs: 300, minBodyRate: 100, slowBodies: 1 };
    const { port } = await newServer(t, oldPort, { limits });
    const begin = async (bytes: number) => {
      const connection = await RawConnection.open(t, port);
      const length = `Content-Length: ${bytes}`;
      connection.send('POST /New.asmx/Later HTTP/1.1', 'Host: x', 'Expect: 100-continue', length);
      connection.send('', '', '');
      assert.equal((await connection.answer()).status, 100);
      return connection;
    };
    const moves = await begin(2_000);
    // The slower of two that are slow is refused.
    pass(10);
    const still = await begin(2);
    for (let sent = 0; sent < 2_000; sent += 100) {
      moves.socket.write('x'.repeat(100));
      await moves.read();
      pass(900);
    }
    still.send('yz');
    for (const connection of [moves, still]) assert.equal((await connection.answer()).status, 200);
    assert.deepEqual(received.map(({ body }) => body.length).sort(), [2, 2_000]);
  });

  test('chunks of any size are passed on; a body of tiny ones is refused', async (t) => {
    const { port: oldPort, received } = await oldServer(t, (res) => res.end('old'));
    const { port } = await newServer(t, oldPort);
    const post = (size: number, bytes: number) =>
      'POST /New.asmx/Later HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n' +
      `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`.repeat(bytes / size) +
      '0\r\n\r\n';
    const answerTo = (request: string) => {
      const socket = connect(port, '127.0.0.1');
      socket.write(request);
      return text(socket);
    };
    for (const size of [1, 64, 1_024, 8_192]) {
      const bytes = size === 1 ? 1_000 : 32_768;
      assert.match(await answerTo(post(size, bytes)), /^HTTP\/1\.1 200 /, `${size}`);
      assert.equal(received.pop()?.body.length, bytes);
    }
    assert.match(await answerTo(post(1, 10_000)), /^HTTP\/1\.1 400 [\s\S]*the limit chunkOverhead/);
    assert.equal(received.length, 0);
  });

  test('calls that wait for the other server, and what they hold, are bounded', async (t) => {
    const waiting: ServerResponse[] = [];
    const { port: oldPort, received } = await oldServer(t, (res, { url }) => {
      if (url.endsWith('Long')) res.end('x'.repeat(5_000));
      else waiting.push(res);
    });
    const { url } = await newServer(t, oldPort, { calls: 3, totalBytes: 10_000 });
    const post = (bytes: number) =>
      exchange(`${url}/Later`, { method: 'POST', body: 'x'.repeat(bytes) });
    const kept = [post(4_000), post(4_000)];
    await until(() => received.length === 2);
    assert.equal((await post(2_001)).status, 503);
    kept.push(post(2_000));
    await until(() => waiting.length === 3);
    assert.equal((await exchange(`${url}/Later`)).status, 503, 'more calls than three');
    for (const res of waiting) res.end('old');
    assert.deepEqual(
      (await Promise.all(kept)).map(({ status }) => status),
      [200, 200, 200],
    );
    for (let round = 0; round < 3; round++) {
      assert.equal(
        (await exchange(`${url}/Long`)).status,
        200,
        'what was answered is counted no longer',
      );
    }
  });

  test('answers that arrive are bounded together', async (t) => {
    const arriving: ServerResponse[] = [];
    const { port: oldPort } = await oldServer(t, (res) => {
      res.write('x'.repeat(6_000));
      arriving.push(res);
    });
    const { url, passed } = await newServer(t, oldPort, { totalBytes: 10_000 });
    const asked = [exchange(`${url}/Later`), exchange(`${url}/Later`)];
    await until(() => passed.length === 1);
    assert.equal(passed[0]?.error?.message, 'Too many answers arrive at a time.');
    for (const res of arriving) res.end('y');
    assert.deepEqual((await Promise.all(asked)).map(({ status }) => status).sort(), [200, 502]);
  });

  test('bodies on both sides of every buffer go whole', async (t) => {
    const { port: oldPort, received } = await oldServer(t, (res) => res.end('old'));
    const { url } = await newServer(t, oldPort, { requestBytes: 2_000_000 });
    const sizes = [0, 1, 65_535, 65_536, 65_537, 131_072, 1_000_000];
    for (const size of sizes) {
      const body = soap('Gone', 'x'.repeat(size));
      assert.equal((await exchange(url, { method: 'POST', headers: XML, body })).body, 'old');
      assert.equal(
        (await exchange(`${url}/Later`, { method: 'POST', body: 'y'.repeat(size) })).body,
        'old',
      );
      assert.equal(received.at(-2)?.body.toString(), body);
      assert.equal(received.at(-1)?.body.length, size);
    }
  });
});
