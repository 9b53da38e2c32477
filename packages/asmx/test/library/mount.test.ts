import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { createEndpoint, nodeListener, operation, service, string } from '@ws01/asmx';
import express from 'express';
import Fastify from 'fastify';
import { acceptRawTarget } from '../../src/node/raw-targets.ts';
import { ask } from '../kit/ask.ts';
import { exchange, postTo, RawConnection } from '../kit/http.ts';
import { listen, originOf } from '../kit/listen.ts';
import { envelopeOf, SOAP11, SOAP12 } from '../kit/soap.ts';

const NAMESPACE = 'urn:shout';
const TEXT = '中 🏠 <&>"\'';
const LARGE = TEXT.repeat(20_000);

const Shout = service('Shout', {
  namespace: NAMESPACE,
  operations: { Shout: operation({ input: { text: string }, result: string }) },
});
const endpoint = createEndpoint(Shout, {
  handlers: { Shout: ({ text }) => `${text}!` },
  path: '/Shout.asmx',
  baseUrl: () => 'http://localhost',
  authorize: () => undefined,
});
const serve = nodeListener(endpoint);

type Listener = (req: IncomingMessage, res: ServerResponse) => void;

const shout = (text: string) =>
  `<Shout xmlns="${NAMESPACE}"><text>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</text></Shout>`;

/** Calls the operation in every binding, with texts that come whole and texts that are streamed. */
async function assertServed(url: string): Promise<void> {
  const post = async (path: string, type: string, body: string) => {
    const answer = await postTo(`${url}/Shout.asmx${path}`, body, type);
    assert.equal(answer.status, 200, answer.body.slice(0, 500));
    return answer.body.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
  };
  for (const text of [TEXT, LARGE]) {
    for (const version of [SOAP11, SOAP12]) {
      const answer = await post('', version.contentType, envelopeOf(version, shout(text)));
      assert.ok(answer.includes(`<ShoutResult>${text}!</ShoutResult>`));
    }
    const form = await post(
      '/Shout',
      'application/x-www-form-urlencoded',
      `text=${encodeURIComponent(text)}`,
    );
    assert.ok(form.includes(`>${text}!</string>`));
    assert.deepEqual(
      JSON.parse(await post('/Shout', 'application/json', JSON.stringify({ text }))),
      { d: `${text}!` },
    );
  }
  const get = await exchange(`${url}/Shout.asmx/Shout?text=${encodeURIComponent('中')}`);
  assert.ok(get.body.includes('>中!<'));
  assert.equal((await exchange(`${url}/Shout.asmx?WSDL`)).status, 200);
  assert.equal((await exchange(`${url}/elsewhere`)).status, 404);
}

describe('the endpoint is mounted', () => {
  const notFound: Listener = (_req, res) => void res.writeHead(404).end();

  it('in a bare node:http server', async (test) => {
    await assertServed(
      await originOf(
        test,
        createServer((req, res) => serve(req, res) || notFound(req, res)),
      ),
    );
  });

  for (const [what, checkContinue] of [
    ['where Node answers Expect: 100-continue by itself', false],
    ['where the listener answers it', true],
  ] as const) {
    it(`in a bare node:http server, ${what}: it is answered once`, async (test) => {
      const server = createServer((req, res) => serve(req, res) || notFound(req, res));
      if (checkContinue)
        server.on('checkContinue', (req, res) => serve(req, res, true) || notFound(req, res));
      const url = await originOf(test, server);
      const connection = await RawConnection.open(test, Number(new URL(url).port));
      connection.ask('POST /Shout.asmx/Shout', [
        'Content-Type: application/json',
        'Expect: 100-continue',
        'Content-Length: 12',
      ]);
      assert.equal((await connection.answer()).status, 100);
      connection.send('{"text":"a"}');
      assert.equal((await connection.answer()).body, '{"d":"a!"}');
    });
  }

  const expressApp = (...before: Parameters<ReturnType<typeof express>['use']>[0][]) => {
    const app = express();
    for (const middleware of before) app.use(middleware as never);
    app.use((req, res, next) => serve(req, res) || next());
    return createServer(app);
  };

  it('in Express', async (test) => {
    await assertServed(await originOf(test, expressApp()));
  });

  it('in Express, below a path', async (test) => {
    const app = express();
    app.use('/old/site', (req, res, next) => serve(req, res) || next());
    await assertServed(`${await originOf(test, createServer(app))}/old/site`);
  });

  it('in Express, behind a parser that leaves the raw bytes or the text', async (test) => {
    await assertServed(
      await originOf(test, expressApp(express.raw({ type: '*/*', limit: '10mb' }) as never)),
    );
    const url = await originOf(test, expressApp(express.text({ type: '*/*' }) as never));
    const answer = await postTo(`${url}/Shout.asmx/Shout`, '{"text":"中"}', 'application/json');
    assert.equal(answer.body, '{"d":"中!"}');
  });

  it('in Express, behind a parser that takes the body away: the answer says so', async (test) => {
    const url = await originOf(
      test,
      expressApp(express.json() as never, express.urlencoded() as never),
    );
    for (const [type, body] of [
      ['application/json', '{"text":"a"}'],
      ['application/x-www-form-urlencoded', 'text=a'],
    ] as const) {
      const answer = await postTo(`${url}/Shout.asmx/Shout`, body, type);
      assert.equal(answer.status, 500);
      assert.match(answer.body, /the endpoint must come before body parsers/);
    }
  });

  it('in Fastify', async (test) => {
    const fastify = Fastify();
    fastify.register(async (scope) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
      for (const path of ['/Shout.asmx', '/Shout.asmx/*']) {
        scope.all(path, (request, reply) => {
          reply.hijack();
          serve(request.raw, reply.raw);
        });
      }
    });
    fastify.post('/elsewhere', async ({ body }) => body);
    const url = await fastify.listen({ port: 0, host: '127.0.0.1' });
    test.after(() => fastify.close());
    await assertServed(url);
    const headers = { 'Content-Type': 'application/json' };
    const elsewhere = await postTo(`${url}/elsewhere`, '{"a":1}', headers);
    assert.equal(elsewhere.body, '{"a":1}', 'the parsers of other routes are untouched');
  });

  it('nowhere: as a function', async () => {
    const answer = await ask(endpoint, {
      target: '/Shout.asmx/Shout',
      headers: { 'content-type': 'application/json' },
      body: '{"text":"a"}',
    });
    assert.equal(answer.body, '{"d":"a!"}');
    assert.equal(ask(endpoint, { target: '/' }), undefined, 'elsewhere');
  });
});

describe('a contract that cannot be served is refused at once', () => {
  const plain = { name: 'A', documentation: '', parameters: [], result: 'string' } as const;
  const parameter = { type: 'string', documentation: '', sample: '' } as const;
  const create = (change: {
    namespace?: string;
    path?: `/${string}`;
    name?: string;
    operations?: readonly object[];
  }) =>
    createEndpoint(
      { name: change.name ?? 'S', operations: (change.operations ?? [plain]) as [] },
      {
        handlers: { A: () => '' } as never,
        namespace: change.namespace ?? 'urn:x',
        path: change.path ?? '/S.asmx',
      },
    );

  for (const [what, change] of [
    ['an empty namespace', { namespace: ' ' }],
    ['a namespace that XML cannot hold', { namespace: 'urn:\0' }],
    ['a path with a slash at its end', { path: '/S.asmx/' }],
    ['a name that is no element’s', { name: '1 S' }],
    ['an operation that stands twice', { operations: [plain, plain] }],
    ['an operation with a slash', { operations: [{ ...plain, name: 'A/B' }] }],
    [
      'parameters that differ in case alone',
      {
        operations: [
          {
            ...plain,
            parameters: [
              { ...parameter, name: 'id' },
              { ...parameter, name: 'Id' },
            ],
          },
        ],
      },
    ],
  ] as const) {
    it(what, () => assert.throws(() => create(change)));
  }

  it('and a good one is not', () => assert.ok(create({})));
});

it('plain node:http refuses raw UTF-8 in a target; with acceptRawTarget it is taken, as by IIS', async (t) => {
  const request = Buffer.from(
    'GET /Shout.asmx/Shout?text=中é HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  );
  const ask = async (server: Server): Promise<string> => {
    const port = await listen(t, server);
    const socket = connect(Number(port), '127.0.0.1').end(request);
    return text(socket);
  };
  const listener: Listener = (req, res) => serve(req, res) || res.writeHead(404).end();
  assert.match(await ask(createServer(listener)), /^HTTP\/1\.1 400 /);
  const server = createServer(listener);
  server.on('clientError', (error, socket: Socket) => {
    if (!acceptRawTarget(server, error, socket))
      socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
  });
  assert.match(await ask(server), />中é!</);
});
