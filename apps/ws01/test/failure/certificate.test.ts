import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { filesUnavailable } from '../../src/adapters/files/errors.ts';
import { SmtpFailure } from '../../src/adapters/mail/smtp-failure.ts';
import { WebhookClient } from '../../src/adapters/webhooks/client.ts';
import { meaningOfReply } from '../../src/console/replies.ts';
import { connectError } from '../../src/store/postgres/errors.ts';
import { CERTIFICATES, ENDED_CERTIFICATE } from '../kit/certificates.ts';

const [OURS] = CERTIFICATES;

/** A server with a certificate, which takes nothing. */
async function serverWith(t: TestContext, certificate: { cert: string; key: string }) {
  const server = createServer(certificate, (socket) => socket.on('error', () => {}).destroy());
  server.on('tlsClientError', () => {});
  t.after(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

/** Why a client does not accept it. */
async function refusalOf(port: number, ca: string | undefined, servername: string): Promise<Error> {
  const socket: TLSSocket = connect({ host: '127.0.0.1', port, ca, servername });
  const [error] = await once(socket, 'error');
  return error;
}

for (const [what, certificate, isTrusted, host, meaning, key] of [
  ['is signed by nobody', OURS, false, 'localhost', /is signed by nobody/, 'Unknown'],
  ['has ended', ENDED_CERTIFICATE, true, 'localhost', /has expired/, 'Expired'],
  ['is of another host', OURS, true, 'other.example', /is of another host/, ''],
] as const) {
  test(`mail, database and files say in one sentence that a certificate ${what}`, async (t) => {
    const port = await serverWith(t, certificate);
    const error = await refusalOf(port, isTrusted ? certificate.cert : undefined, host);
    for (const { message } of [
      new SmtpFailure(error, 'opening'),
      connectError(error),
      filesUnavailable(error),
    ]) {
      assert.match(message, meaning);
      assert.doesNotMatch(message, /Node\.js|altnames|\n/);
    }
    assert.equal(
      meaningOfReply(new SmtpFailure(error, 'opening').message),
      `reply.certificate${key}`,
    );
  });
}

test('nothing is posted to a webhook whose certificate nobody has signed', async (t) => {
  const port = await serverWith(t, OURS);
  const client = new WebhookClient(['127.0.0.0/8']);
  const { signal } = new AbortController();
  const { status, reply } = await client.post(`https://127.0.0.1:${port}/`, {}, '{}', signal);
  assert.equal(status, undefined);
  assert.match(reply, /^the certificate of the server is signed by nobody/);
});
