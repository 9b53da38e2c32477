import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { it } from 'node:test';
import { WebhookClient } from '../../../src/adapters/webhooks/client.ts';

it('a webhook reaches no private network that is not listed, by address, by name or by a redirect', async (t) => {
  let asked = 0;
  const server = createServer((req, res) => {
    asked++;
    if (req.url === '/elsewhere') res.writeHead(302, { Location: '/secret' });
    res.end();
  });
  t.after(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const post = (client: WebhookClient, host: string, path = '/') =>
    client.post(`http://${host}:${port}${path}`, {}, '{}', new AbortController().signal);

  const unlisted = new WebhookClient([]);
  for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '2130706433', '0.0.0.0']) {
    const { status, reply } = await post(unlisted, host);
    assert.equal(status, undefined, host);
    assert.match(reply, /WEBHOOK_NETWORKS/, `${host}: ${reply}`);
  }
  assert.equal(asked, 0);

  const listed = new WebhookClient(['127.0.0.0/8']);
  assert.equal((await post(listed, '127.0.0.1')).status, 200);
  assert.equal((await post(listed, '127.0.0.1', '/elsewhere')).status, 302);
  assert.equal(asked, 2);
});
