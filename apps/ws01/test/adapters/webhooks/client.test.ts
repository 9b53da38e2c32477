import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { it, type TestContext } from 'node:test';
import { listen, originOf } from '../../../../../packages/asmx/test/kit/listen.ts';
import { steerTime } from '../../../../../packages/asmx/test/kit/steered-time.ts';
import { WebhookClient } from '../../../src/adapters/webhooks/client.ts';

it('a webhook reaches no private network that is not listed, by address, by name or by a redirect', async (t) => {
  let asked = 0;
  const server = createServer((req, res) => {
    asked++;
    if (req.url === '/elsewhere') res.writeHead(302, { Location: '/secret' });
    res.end();
  });
  const port = await listen(t, server);
  const post = (client: WebhookClient, host: string, path = '/') =>
    client.post(`http://${host}:${port}${path}`, {}, '{}', new AbortController().signal);

  const unlisted = new WebhookClient([]);
  for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '2130706433', '0.0.0.0']) {
    const { status, reply } = await post(unlisted, host);
    assert.equal(status, undefined, host);
    const refused =
      /^Not sent, because \S+ is in a private network; to allow it, list the network in WEBHOOK_NETWORKS\.$/;
    assert.match(reply, refused, host);
    assert.equal(await unlisted.refuses(`http://${host}/`), true, host);
  }
  assert.equal(asked, 0);

  const listed = new WebhookClient(['127.0.0.0/8']);
  assert.equal((await post(listed, '127.0.0.1')).status, 200);
  assert.equal((await post(listed, '127.0.0.1', '/elsewhere')).status, 302);
  assert.equal(asked, 2);
  assert.equal(await listed.refuses('http://127.0.0.1/'), false);
  for (const url of ['https://93.184.216.34/', 'https://nowhere.invalid/', 'gopher://x', 'no URL'])
    assert.equal(await unlisted.refuses(url), false, url);
});

it('a call ends, whatever the other server does with it', async (t) => {
  const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nx';
  const answers: Readonly<Record<string, string | undefined>> = {
    [upgrade]: 'gave no answer of HTTP.',
    'HTTP/1.1 101 X\r\n\r\n': undefined,
    'HTTP/1.1 99999 X\r\n\r\n': 'HPE_INVALID_STATUS.',
    'HTTP/1.1 200 OK\r\nContent-Le': 'ECONNRESET.',
    [`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}`]: 'HPE_HEADER_OVERFLOW.',
  };
  for (const [answer, reason] of Object.entries(answers)) {
    const { reply } = await post(await saying(t, answer));
    assert.ok(reply.endsWith(reason ?? 'HTTP 101'), `${answer.slice(0, 60)}: ${reply}`);
  }
});

it('a status is the answer of a call, whatever becomes of the body', async (t) => {
  const long = 'Content-Length: 9\r\n\r\nok';
  const answers: Readonly<Record<string, string>> = {
    // More than it says: of characters, not of bytes, or where there is none.
    'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nok é': 'ok \u{fffd}',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\nx': 'ok',
    'HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\nok': '',
    // Less than it says.
    [`HTTP/1.1 200 OK\r\n${long}`]: 'ok',
    [`HTTP/1.0 200 OK\r\n${long}`]: 'ok',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\nx': 'ok',
  };
  for (const [answer, body] of Object.entries(answers)) {
    const { status, answer: came } = await post(await saying(t, answer));
    assert.deepEqual([status, came], [answer.includes(' 204 ') ? 204 : 200, body], answer);
  }

  const time = steerTime(t);
  const server = createServer((_req, res) => {
    res.writeHead(200, { 'Content-Length': 9 }).write('ok');
  });
  const { promise: begun, resolve } = Promise.withResolvers<unknown>();
  subscribe(RECEIVED, resolve);
  t.after(() => unsubscribe(RECEIVED, resolve));
  const late = post(`${await originOf(t, server)}/`);
  await begun;
  assert.equal((await time.passUntil(late)).status, 200);
});

/** Node tells there of each answer whose head a client has read. */
const RECEIVED = 'http.client.response.finish';

const post = (url: string) =>
  new WebhookClient(['127.0.0.0/8']).post(url, {}, '{}', new AbortController().signal);

/** The address of a server that gives every request the same answer. */
async function saying(t: TestContext, answer: string): Promise<string> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {}).once('data', () => socket.end(answer));
  });
  return `${await originOf(t, server)}/`;
}
