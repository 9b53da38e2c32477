import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { it, type TestContext } from 'node:test';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { TEST_BINDINGS } from '../kit/bindings.ts';
import { forEachEngine } from '../kit/database.ts';
import { startMailServer } from '../kit/mail-server.ts';
import { startService, TOKEN } from '../kit/service.ts';

const SECRET = 'a-secret-of-the-relay';
const [soap11] = TEST_BINDINGS;
const basic = (password: string) => `Basic ${Buffer.from(`relay:${password}`).toString('base64')}`;

/** The status of the answer to the head of a report that is to be longer than a megabyte. */
async function tooLong(origin: string): Promise<number | undefined> {
  const headers = { 'Content-Length': 1024 * 1024 + 1 };
  const asked = request(`${origin}/mail/bounces`, { method: 'POST', headers });
  asked.flushHeaders();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  asked.on('error', () => {}).destroy();
  return answer.statusCode;
}

interface Item {
  readonly id: string;
  readonly status: string;
  readonly lastReply: string | null;
}

forEachEngine((_engine, fresh) => {
  /** A service that reports of mails come to, with a mail that was sent. */
  async function sentBy(t: TestContext, env: Record<string, string>) {
    const server = await startMailServer(t);
    const service = await startService(t, await fresh(t), {
      SMTP_URL: server.url,
      MAIL_FROM: 'board@ws01.example',
      ...env,
    });
    const { origin } = new URL(service.url);
    const report = async (): Promise<readonly Item[]> => {
      const params = { authorizationUserId: TOKEN, receiverEmail: '' };
      const { result } = await soap11!.call(service.url, 'queryEmailsent', params);
      return JSON.parse(result!).items;
    };
    const send = async (receiverEmail: string, status = 'sent') => {
      const params = { authorizationUserId: TOKEN, receiverName: '', receiverEmail };
      const { result } = await soap11!.call(service.url, 'SendEmail', {
        ...params,
        subject: `${Math.random()}`,
        body: 'x',
      });
      await until(async () => (await itemOf(result!)).status === status);
      return result!;
    };
    const itemOf = async (id: string) => (await report()).find((one) => one.id === id)!;
    const post = async (body: unknown, headers: Record<string, string> = {}) => {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const answer = await fetch(`${origin}/mail/bounces`, { method: 'POST', body: text, headers });
      return answer.status;
    };
    const suppressions = async () => {
      const answer = await fetch(`${origin}/api/v1/suppressions`, {
        headers: { Authorization: `Bearer ${TOKEN}` },
      });
      const { items } = (await answer.json()) as { items: Record<string, string>[] };
      return items.map(({ address, reason, mailId }) => [address, reason, mailId]);
    };
    return { server, origin, send, itemOf, post, suppressions };
  }

  it('Postmark: what bounces is told and suppressed; without the secret nothing is', async (t) => {
    const { origin, send, itemOf, post, suppressions } = await sentBy(t, {
      MAIL_BOUNCES: `postmark:${SECRET}`,
    });
    const id = await send('nobody@example.com');
    const hard = {
      RecordType: 'Bounce',
      Type: 'HardBounce',
      MessageID: '883953f4-6105-42a2-a16a-77a8eac79483',
      Email: 'Nobody@example.com',
      Details: 'smtp;550 5.1.1 No such user',
    };
    for (const headers of [{}, { Authorization: basic('wrong') }, { Authorization: SECRET }])
      assert.equal(await post(hard, headers as Record<string, string>), 403);
    assert.equal((await itemOf(id)).status, 'sent');
    const authorized = { Authorization: basic(SECRET) };
    assert.equal(await post('no JSON', authorized), 400);
    assert.equal(await tooLong(origin), 413);
    for (let times = 0; times < 2; times++) assert.equal(await post(hard, authorized), 204);
    const { status, lastReply } = await itemOf(id);
    assert.deepEqual([status, lastReply], ['bounced', 'smtp;550 5.1.1 No such user']);
    await send('nobody@example.com', 'suppressed');

    const soft = await send('full@example.com');
    const told = { ...hard, Type: 'SoftBounce', Email: 'full@example.com', Details: '552 Full' };
    assert.equal(await post(told, authorized), 204);
    assert.equal((await itemOf(soft)).status, 'bounced');
    await send('full@example.com');
    for (const Type of ['Transient', 'AutoResponder', 'SomethingNew'])
      assert.equal(await post({ ...told, Type }, authorized), 204);

    const spam = await send('eve@example.com');
    const complaint = { RecordType: 'SpamComplaint', Email: 'eve@example.com' };
    assert.equal(await post(complaint, authorized), 204);
    const item = await itemOf(spam);
    assert.deepEqual([item.status, item.lastReply], ['sent', 'Reported as abuse.']);
    assert.deepEqual(await suppressions(), [
      ['eve@example.com', 'complaint', spam],
      ['nobody@example.com', 'bounce', id],
    ]);
  });

  it('SES: what SNS has not signed is no report, with the secret too', async (t) => {
    const { send, itemOf, post } = await sentBy(t, { MAIL_BOUNCES: `ses:${SECRET}` });
    const id = await send('a@example.com');
    const recipient = { emailAddress: 'a@example.com', status: '5.1.1' };
    const bounced = {
      notificationType: 'Bounce',
      mail: { messageId: id },
      bounce: { bounceType: 'Permanent', bouncedRecipients: [recipient] },
    };
    const authorized = { Authorization: basic(SECRET) };
    for (const body of [bounced, { Type: 'Notification', Message: JSON.stringify(bounced) }])
      assert.equal(await post(body, authorized), 403);
    assert.equal(await post('no JSON', authorized), 400);
    assert.equal((await itemOf(id)).status, 'sent');
  });

  it('Mailgun: signed with the key of the account', async (t) => {
    const { send, itemOf, post, suppressions } = await sentBy(t, {
      MAIL_BOUNCES: `mailgun:${SECRET}`,
    });
    const id = await send('a@example.com');
    const event = {
      event: 'failed',
      severity: 'permanent',
      reason: 'bounce',
      recipient: 'a@example.com',
      message: { headers: { 'message-id': `${id}@ws01.example` } },
      'delivery-status': { code: 550, message: '5.1.1 The email account does not exist' },
    };
    const signed = (data: object, key: string) => {
      const [timestamp, token] = ['1529006854', 'a8ce0edb2dd8301dee6c2405235584e45aa91d1e9f979f3d'];
      const signature = createHmac('sha256', key).update(`${timestamp}${token}`).digest('hex');
      return { signature: { timestamp, token, signature }, 'event-data': data };
    };
    assert.equal(await post(signed(event, 'another-key-of-others')), 403);
    assert.equal(await post({ 'event-data': event }), 403);
    assert.equal(await post(signed({ ...event, severity: 'temporary' }, SECRET)), 204);
    assert.equal((await itemOf(id)).status, 'sent');
    assert.equal(await post(signed(event, SECRET)), 204);
    const { status, lastReply } = await itemOf(id);
    assert.deepEqual(
      [status, lastReply],
      ['bounced', '550 5.1.1 The email account does not exist'],
    );
    await send('b@example.com');
    assert.equal(
      await post(signed({ event: 'unsubscribed', recipient: 'b@example.com' }, SECRET)),
      204,
    );
    assert.deepEqual(
      (await suppressions()).map(([address, reason]) => [address, reason]),
      [
        ['a@example.com', 'bounce'],
        ['b@example.com', 'unsubscribed'],
      ],
    );
  });

  it('SendGrid: several events, signed with its private key', async (t) => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const key = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
    const { send, itemOf, post, suppressions } = await sentBy(t, {
      MAIL_BOUNCES: `sendgrid:${key}`,
    });
    const [gone, blocked] = [await send('a@example.com'), await send('b@example.com')];
    const events = [
      { event: 'delivered', email: 'a@example.com' },
      {
        event: 'bounce',
        type: 'bounce',
        status: '5.1.1',
        reason: '550 gone',
        email: 'a@example.com',
      },
      {
        ...{ event: 'bounce', type: 'blocked', status: '5.7.1', reason: '550 spam' },
        ...{ email: 'b@example.com', 'smtp-id': `<${blocked}@ws01.example>` },
      },
    ];
    const body = JSON.stringify(events);
    const headers = (text: string, at = '1600112502') => ({
      'X-Twilio-Email-Event-Webhook-Timestamp': at,
      'X-Twilio-Email-Event-Webhook-Signature': sign(
        'sha256',
        Buffer.from(at + text),
        privateKey,
      ).toString('base64'),
    });
    assert.equal(await post(body), 403);
    assert.equal(await post(`${body} `, headers(body)), 403);
    assert.equal(await post(body, headers(body)), 204);
    assert.deepEqual(
      [await itemOf(gone), await itemOf(blocked)].map(({ status, lastReply }) => [
        status,
        lastReply,
      ]),
      [
        ['bounced', '550 gone'],
        ['bounced', '550 spam'],
      ],
    );
    assert.deepEqual(await suppressions(), [['a@example.com', 'bounce', gone]]);
  });

  it('without MAIL_BOUNCES there is no door; mails carry no address to unsubscribe at', async (t) => {
    const { server, send, post } = await sentBy(t, {});
    await send('a@example.com');
    assert.equal(await post({}), 404);
    assert.equal(server.received[0]!.headers.get('list-unsubscribe'), undefined);
  });

  it('MAIL_UNSUBSCRIBE: one click of the mail program, or a page with a button', async (t) => {
    const base = 'https://board.example/ws';
    const { server, origin, send, suppressions } = await sentBy(t, {
      BASE_URL: base,
      MAIL_UNSUBSCRIBE: 'on',
    });
    const id = await send('Ada+news@example.com');
    const { headers } = server.received[0]!;
    assert.equal(headers.get('list-unsubscribe-post'), 'List-Unsubscribe=One-Click');
    const url = /^<(https:\/\/board\.example\/ws\/mail\/unsubscribe\/\S+)>$/.exec(
      headers.get('list-unsubscribe')!,
    )![1]!;
    const at = url.replace(base, origin);
    const page = await fetch(at, { headers: { 'Accept-Language': 'zh' } });
    assert.equal(page.status, 200);
    assert.match(await page.text(), /<form method="post"><button>不要再给我发邮件/);
    assert.deepEqual(await suppressions(), []);
    const body = 'List-Unsubscribe=One-Click';
    const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const wrong = await fetch(`${at}x`, { method: 'POST', body, headers: type });
    assert.equal(wrong.status, 404);
    for (let times = 0; times < 2; times++) {
      const answer = await fetch(at, { method: 'POST', body, headers: type });
      assert.equal(answer.status, 200);
    }
    assert.deepEqual(await suppressions(), [['ada+news@example.com', 'unsubscribed', id]]);
    await send('ada@example.com', 'suppressed');
  });
});
