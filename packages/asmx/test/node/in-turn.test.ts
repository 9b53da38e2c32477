import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { inTurn } from '../../src/node/in-turn.ts';
import { RawConnection } from '../kit/http.ts';
import { listen } from '../kit/listen.ts';
import { until } from '../kit/until.ts';

const CONNECTIONS = 10;
const EACH = 90;

test('requests that came in one packet leave turns of the event loop to others', async (t) => {
  let served = 0;
  let now = 0;
  let most = 0;
  const server = createServer(
    inTurn((_req, res) => {
      served++;
      now++;
      most = Math.max(most, now);
      res.end('ok');
    }),
  );
  const port = await listen(t, server);
  let turn = setImmediate(function again() {
    now = 0;
    turn = setImmediate(again);
  });
  t.after(() => clearImmediate(turn));
  const clients = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => RawConnection.open(t, port)),
  );
  for (const client of clients)
    client.socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(EACH));
  await until(() => served === CONNECTIONS * EACH);
  // The first of each connection, and one that waited.
  assert.ok(most <= CONNECTIONS + 1, `${most} in one turn`);
});
