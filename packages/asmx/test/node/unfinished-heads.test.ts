import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import { createEndpoint, defineLimits, nodeListener, operation, service, string } from '@ws01/asmx';
import { attachFastPath } from '@ws01/fast-http';
import { boundHeads } from '../../src/node/unfinished-heads.ts';
import { RawConnection } from '../kit/http.ts';
import { listen } from '../kit/listen.ts';
import { steerTime } from '../kit/steered-time.ts';

const Echo = service('Echo', {
  namespace: 'urn:echo',
  operations: { Say: operation({ input: { text: string }, result: string }) },
});

async function start(t: TestContext, fast: boolean): Promise<RawConnection> {
  const endpoint = createEndpoint(Echo, {
    handlers: { Say: ({ text }) => text ?? '' },
    path: '/Echo.asmx',
    baseUrl: () => 'http://localhost',
    limits: defineLimits({ totalUnauthenticatedBytes: 10_000 }),
  });
  const listener = nodeListener(endpoint);
  const server = createServer((req, res) => {
    if (!listener(req, res)) res.writeHead(404, { 'Content-Length': 0 }).end();
  });
  boundHeads(server, endpoint);
  server.on('clientError', (error, socket) => socket.end(error.message));
  if (fast) attachFastPath(server, endpoint);
  const port = await listen(t, server);
  return RawConnection.open(t, port);
}

const head = (line: string, ...headers: string[]) =>
  [`${line} HTTP/1.1`, 'Host: x', ...headers, '', ''].join('\r\n');
const get = head('GET /other');
const form = 'Content-Type: application/x-www-form-urlencoded';
const posted = `${head('POST /Echo.asmx/Say', form, 'TE: trailers', 'Content-Length: 6')}text=x`;
const unfinished = `GET / HTTP/1.1\r\nX-Long: ${'x'.repeat(11_000)}`;

for (const fast of [false, true]) {
  describe(`a head that does not end${fast ? ', behind the fast path' : ''}`, () => {
    const ways = {
      alone: [],
      'with a GET': [get],
      'with a POST': [posted],
      'with both': [posted, get],
    };
    for (const [way, before] of Object.entries(ways)) {
      it(`counts when it comes ${way}`, async (t) => {
        const { passUntil } = steerTime(t);
        const connection = await start(t, fast);
        connection.socket.write([...before, unfinished].join(''));
        assert.match(
          await passUntil(connection.ended()),
          /The head of the request does not end\.$/,
        );
      });
    }

    it('is none when all that came is whole, however clients write', async (t) => {
      const { pass } = steerTime(t);
      const connection = await start(t, fast);
      const answered = async (count: number) => {
        for (let at = 0; at < count; at++) await connection.answer();
        pass(1_000);
      };
      const odd = head('GET /other', 'X-None:y', `X-Blanks: ${' '.repeat(900)}y`);
      for (const request of [odd, get, posted]) {
        for (let round = 0; round < 20; round++) {
          connection.socket.write(request);
          await answered(1);
        }
      }
      connection.socket.write(`${get}${posted}`.repeat(100));
      await answered(200);
      const oddHead = head(
        'POST /Echo.asmx/Say',
        form,
        `X: ${' '.repeat(900)}y`,
        'Content-Length: 6',
      );
      for (let round = 0; round < 20; round++) {
        connection.send(oddHead);
        await connection.read();
        connection.send('text=x');
        await answered(1);
      }
      connection.send(get);
      assert.equal((await connection.answer()).status, 404);
    });
  });
}
