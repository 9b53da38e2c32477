import assert from 'node:assert/strict';
import { Agent, createServer, request } from 'node:http';
import { connect } from 'node:net';
import { it, type TestContext } from 'node:test';
import { createEndpoint, operation, service, string } from '@ws01/asmx';
import { acceptPromptly, inTurn, nodeListener } from '@ws01/asmx/node';
import { listen } from '../kit/listen.ts';

const SERVICE = service('Work', {
  namespace: 'urn:work',
  operations: { Work: operation({ result: string }) },
});
/** How long a call keeps the event loop; ms. */
const CALL_MS = 5;
const CALLERS = 8;
const NEWCOMERS = 40;

/**
 * So many calls a service carries out while it answers those who have no connection yet, and who come all at once.
 * Callers and newcomers live on its own event loop; nobody else's time counts.
 */
async function callsBefore(test: TestContext, promptly: boolean): Promise<number> {
  let calls = 0;
  const endpoint = createEndpoint(SERVICE, {
    handlers: {
      Work() {
        calls++;
        for (const until = performance.now() + CALL_MS; performance.now() < until; );
        return 'done';
      },
    },
    path: '/Work.asmx',
    baseUrl: () => 'http://localhost',
  });
  const listener = nodeListener(endpoint);
  const server = createServer(
    inTurn((req, res) => {
      if (!listener(req, res)) res.end('alive');
    }),
  );
  if (promptly) acceptPromptly(server, endpoint);
  const port = await listen(test, server);
  const agent = new Agent({ keepAlive: true });
  test.after(() => agent.destroy());
  let over = false;
  const call = () =>
    new Promise<void>((resolve, reject) => {
      const sent = request({ port, path: '/Work.asmx/Work', agent }, (answer) =>
        answer.resume().on('end', resolve),
      );
      sent.on('error', reject).end();
    });
  const calling = Array.from({ length: CALLERS }, async () => {
    while (!over) await call();
  });
  while (calls < CALLERS) await call();
  const before = calls;
  const askHealth = async () => {
    const socket = connect(port, '127.0.0.1').setEncoding('latin1');
    socket.write('GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    let answer = '';
    for await (const piece of socket) answer += piece;
    assert.match(answer, /^HTTP\/1\.1 200 /);
  };
  await Promise.all(Array.from({ length: NEWCOMERS }, askHealth));
  const meanwhile = calls - before;
  over = true;
  await Promise.all(calling);
  return meanwhile;
}

it('who has no connection yet does not wait behind the calls of all others, and they go on', async (test) => {
  const [without, withIt] = [await callsBefore(test, false), await callsBefore(test, true)];
  assert.ok(withIt > 0 && withIt < 0.75 * without, `${withIt} calls instead of ${without}`);
});
