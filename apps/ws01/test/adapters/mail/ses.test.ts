import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, it } from 'node:test';
import { createRelayReader } from '../../../src/adapters/mail/notices/relays.ts';

const SECRET = 'a-secret-of-the-relay';
const CERTIFICATE =
  'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-01d088a6f77103d0fe307c0069e40ed6.pem';
const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

type Texts = Record<string, string>;

const BASE: Texts = {
  MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
  TopicArn: 'arn:aws:sns:eu-west-1:123456789012:bounces',
  Timestamp: '2026-11-28T09:00:00.000Z',
  SigningCertURL: CERTIFICATE,
};

/** A message as SNS signs it, whose members are changed after. */
function signed(members: Texts, version: '1' | '2' = '2', changed: Texts = {}): Texts {
  const message: Texts = { ...BASE, ...members };
  const names = ['Message', 'MessageId', 'Subject', 'SubscribeURL', 'Timestamp', 'Token'];
  const text = [...names, 'TopicArn', 'Type']
    .filter((name) => message[name] !== undefined)
    .map((name) => `${name}\n${message[name]}\n`)
    .join('');
  const Signature = sign(version === '1' ? 'sha1' : 'sha256', Buffer.from(text), privateKey);
  const all = { ...message, SignatureVersion: version, Signature: Signature.toString('base64') };
  return { ...all, ...changed };
}

/** A reader of SES, and the certificates that it asks for. */
function openReader() {
  const asked: string[] = [];
  const read = createRelayReader({ kind: 'ses', secret: SECRET }, async (address) => {
    asked.push(address);
    return publicKey;
  });
  return {
    asked,
    read: (body: unknown, secret = SECRET) =>
      read({
        header: (name) =>
          name === 'authorization'
            ? `Basic ${Buffer.from(`relay:${secret}`).toString('base64')}`
            : undefined,
        body: Buffer.from(JSON.stringify(body)),
      }),
  };
}

const bounced = {
  notificationType: 'Bounce',
  mail: { messageId: '0100018', commonHeaders: { messageId: '<one@ws01.example>' } },
  bounce: {
    bounceType: 'Permanent',
    bounceSubType: 'General',
    bouncedRecipients: [
      { emailAddress: 'a@example.com', status: '5.1.1', diagnosticCode: 'smtp; 550 5.1.1 unknown' },
    ],
  },
};
const notification = (message: object): Texts => ({
  Type: 'Notification',
  Message: JSON.stringify(message),
});
const confirmation: Texts = {
  Type: 'SubscriptionConfirmation',
  Message: 'You have chosen to subscribe …',
  Token: '2336412f37',
  SubscribeURL: 'https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&Token=2336412f37',
};

describe('notifications of SES', () => {
  it('are believed with either version of the signature of SNS, with the words of the bounce', async () => {
    const { read, asked } = openReader();
    for (const version of ['1', '2'] as const)
      assert.deepEqual(await read(signed({ ...notification(bounced), Subject: 'x' }, version)), {
        notices: [
          {
            ...{ kind: 'bounce', isForGood: true, detail: '550 5.1.1 unknown' },
            ...{ relayId: '0100018', messageId: '<one@ws01.example>', address: 'a@example.com' },
          },
        ],
      });
    const complained = {
      eventType: 'Complaint',
      complaint: { complainedRecipients: [{ emailAddress: 'b@example.com' }] },
    };
    const report = await read(signed(notification(complained)));
    assert.deepEqual(
      report?.notices.map(({ kind, address }) => [kind, address]),
      [['complaint', 'b@example.com']],
    );
    assert.deepEqual([...new Set(asked)], [CERTIFICATE]);
  });

  it('a subscription is confirmed at SNS alone', async () => {
    const { read } = openReader();
    const { SubscribeURL } = confirmation;
    assert.equal((await read(signed(confirmation)))?.confirmAt, SubscribeURL);
    for (const other of ['https://sns.evil.example/', 'http://sns.eu-west-1.amazonaws.com/'])
      assert.equal(
        (await read(signed({ ...confirmation, SubscribeURL: other })))?.confirmAt,
        undefined,
      );
  });

  it('are refused, and nothing is fetched, without the secret or with a certificate from elsewhere', async () => {
    const { read, asked } = openReader();
    assert.equal(await read(signed(notification(bounced)), 'wrong'), undefined);
    for (const SigningCertURL of [
      CERTIFICATE.replace('https', 'http'),
      CERTIFICATE.replace('amazonaws.com', 'amazonaws.com.evil.example'),
      CERTIFICATE.replace('sns.', 'evil.example/sns.'),
      CERTIFICATE.replace('//', '//evil.example@'),
      CERTIFICATE.replace('.com/', '.com:8443/'),
      CERTIFICATE.replace('/Simple', '/../x/Simple'),
      `${CERTIFICATE}?x=1`,
      'https://sns.eu-west-1.amazonaws.com/other.pem',
      'file:///etc/passwd',
      '',
    ])
      assert.equal(await read(signed({ ...notification(bounced), SigningCertURL })), undefined);
    assert.deepEqual(asked, []);
  });

  it('are refused when they are not signed, or changed after it', async () => {
    const { read } = openReader();
    const other = JSON.stringify({ ...bounced, notificationType: 'Complaint' });
    for (const changed of [
      { Message: other },
      { Timestamp: '2026-11-28T10:00:00.000Z' },
      { TopicArn: 'arn:aws:sns:eu-west-1:999999999999:other' },
      { Type: 'SubscriptionConfirmation', SubscribeURL: confirmation.SubscribeURL! },
      { Signature: '' },
      { SignatureVersion: '3' },
    ])
      assert.equal(await read(signed(notification(bounced), '2', changed)), undefined);
    // Raw delivery: what SES says alone.
    assert.equal(await read(bounced), undefined);
    assert.equal(await read({ ...BASE, ...notification(bounced) }), undefined);
    for (const body of [null, [], 'x', 1]) assert.equal(await read(body), undefined);
  });
});
