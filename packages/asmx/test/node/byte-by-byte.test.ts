import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createEndpoint, nodeListener, operation, service, string } from '@ws01/asmx';
import { fastPath } from '@ws01/asmx/fast';
import { attachFastPath } from '@ws01/fast-http';
import { RawConnection } from '../kit/http.ts';
import { listen } from '../kit/listen.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const Echo = service('Echo', {
  namespace: 'urn:echo',
  operations: { Say: operation({ input: { text: string }, result: string }) },
});
const BYTES = 10_000;
/** What is kept one by one takes 300 bytes each. */
const MOST = (BYTES * 300) / 4;

const WAYS = {
  'on the fast path': [],
  'on the fast path, which asked for it': ['Expect: 100-continue'],
  'with node:http': ['TE: trailers'],
};

for (const [way, headers] of Object.entries(WAYS)) {
  it(`a body that comes byte by byte takes little more than its bytes, ${way}`, async (t) => {
    const endpoint = createEndpoint(Echo, {
      handlers: { Say: ({ text }) => String(text?.length) },
      path: '/Echo.asmx',
      baseUrl: () => 'http://localhost',
      fastPath,
    });
    const serve = nodeListener(endpoint);
    const server = createServer((req, res) => void serve(req, res));
    const connections = attachFastPath(server, endpoint);
    const port = await listen(t, server);
    t.after(() => connections.destroy());
    const connection = await RawConnection.open(t, port);
    connection.socket.setNoDelay(true);
    const type = 'Content-Type: application/x-www-form-urlencoded';
    connection.ask('POST /Echo.asmx/Say', [type, ...headers, `Content-Length: ${BYTES}`]);
    if (headers[0]?.startsWith('Expect')) assert.equal((await connection.answer()).status, 100);
    connection.send('text=');
    const send = async (bytes: number) => {
      for (let sent = 0; sent < bytes; sent++) {
        connection.socket.write('x');
        // Otherwise the server would read several at once.
        await turn();
      }
    };
    await send(1_000);
    collect();
    const before = process.memoryUsage().heapUsed;
    await send(BYTES - 1_000 - 'text=x'.length);
    collect();
    const taken = process.memoryUsage().heapUsed - before;
    await send(1);
    assert.match((await connection.answer()).body, new RegExp(`>${BYTES - 'text='.length}<`));
    assert.ok(taken < MOST, `${taken} bytes`);
  });
}
