import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { TwilioGateway } from '../../../src/adapters/sms/twilio.ts';
import { WebhookGateway } from '../../../src/adapters/sms/webhook.ts';
import { failureOf } from '../../kit/failure.ts';
import { startHttpGateway } from '../../kit/http-gateway.ts';

const SMS = {
  id: 'sms-1',
  to: '+12125550100',
  text: '留言板: 123456',
  expiresAt: Date.now() + 170_500,
  leftMs: 170_500,
};
const never = new AbortController().signal;

/** Answers in the shape that Twilio documents for Messages of 2010-04-01. */
const CREATED = {
  status: 201,
  body: JSON.stringify({
    account_sid: 'AC1',
    api_version: '2010-04-01',
    body: 'Sent from your trial account - 留言板: 123456',
    date_created: 'Sat, 21 Nov 2026 12:00:00 +0000',
    direction: 'outbound-api',
    error_code: null,
    error_message: null,
    from: '+15005550006',
    num_segments: '1',
    price: null,
    sid: 'SM0123456789abcdef0123456789abcdef',
    status: 'queued',
    to: '+12125550100',
    uri: '/2010-04-01/Accounts/AC1/Messages/SM0123456789abcdef0123456789abcdef.json',
  }),
};
const failure = (status: number, code: number, message: string) => ({
  status,
  body: JSON.stringify({
    code,
    message,
    more_info: `https://www.twilio.com/docs/errors/${code}`,
    status,
  }),
});

describe('Twilio', () => {
  it('is asked as its API wants it, and not to deliver after the end', async (t) => {
    const server = await startHttpGateway(t);
    server.answer = CREATED;
    const account = {
      account: 'AC1',
      user: 'SK1',
      password: 's:/',
      from: '+15005550006',
      api: server.url,
    };
    const reply = await new TwilioGateway(account).send(SMS, never);
    assert.equal(reply, '201 queued SM0123456789abcdef0123456789abcdef');
    const [call] = server.calls;
    assert.deepEqual(
      [call?.method, call?.path],
      ['POST', '/2010-04-01/Accounts/AC1/Messages.json'],
    );
    assert.equal(call?.headers.authorization, `Basic ${Buffer.from('SK1:s:/').toString('base64')}`);
    assert.equal(call?.headers['content-type'], 'application/x-www-form-urlencoded');
    const form = Object.fromEntries(new URLSearchParams(call!.body));
    const { ValidityPeriod, ...others } = form;
    assert.deepEqual(others, { To: SMS.to, From: '+15005550006', Body: SMS.text });
    assert.ok(
      Number(ValidityPeriod) > 100 && Number(ValidityPeriod) <= 170,
      String(ValidityPeriod),
    );
  });

  it('takes a messaging service for the sender', async (t) => {
    const server = await startHttpGateway(t);
    server.answer = CREATED;
    const from = `MG${'0'.repeat(32)}`;
    await new TwilioGateway({
      account: 'AC1',
      user: 'AC1',
      password: 's',
      from,
      api: server.url,
    }).send(SMS, never);
    const form = new URLSearchParams(server.calls[0]!.body);
    assert.deepEqual([form.get('MessagingServiceSid'), form.get('From')], [from, null]);
  });

  for (const [answer, kind] of [
    [failure(400, 21211, "The 'To' number is not a valid phone number."), 'refused'],
    [failure(429, 20429, 'Too Many Requests'), 'busy'],
    [failure(503, 20503, 'Service Unavailable'), 'busy'],
    [{ status: 502, body: '<html>' }, 'busy'],
    [failure(401, 20003, 'Authenticate'), 'unavailable'],
    [{ status: 302, headers: { location: 'http://127.0.0.1:2/' }, body: '' }, 'unavailable'],
  ] as const) {
    it(`${answer.status} means ${kind}`, async (t) => {
      const server = await startHttpGateway(t);
      server.answer = answer;
      const account = {
        account: 'AC1',
        user: 'AC1',
        password: 's',
        from: '+15005550006',
        api: server.url,
      };
      const failure = await failureOf(new TwilioGateway(account).send(SMS, never));
      assert.equal(failure.kind, kind);
      assert.ok(failure.message.startsWith(String(answer.status)));
    });
  }

  it('is not asked when too little time is left', async (t) => {
    const server = await startHttpGateway(t);
    const account = {
      account: 'AC1',
      user: 'AC1',
      password: 's',
      from: '+15005550006',
      api: server.url,
    };
    const { kind } = await failureOf(
      new TwilioGateway(account).send({ ...SMS, leftMs: 3_000 }, never),
    );
    assert.deepEqual([kind, server.calls.length], ['refused', 0]);
  });
});

describe('a webhook', () => {
  const SECRET = 'x'.repeat(32);

  it('that repeats what it was sent tells nobody the keys', async (t) => {
    const server = await startHttpGateway(t);
    const url = `${server.url.replace('http://', 'http://user:pa%3Ass@')}/in/T0123456789AB?k=0123456789abcdef`;
    const login = Buffer.from('user:pa:ss').toString('base64');
    server.answer = {
      status: 404,
      body: `Cannot POST /in/T0123456789AB?k=0123456789abcdef, Basic ${login}, pa:ss, ${SECRET}`,
    };
    const { message } = await failureOf(new WebhookGateway(url, SECRET).send(SMS, never));
    const shown =
      'HTTP 404: Cannot POST /in/(secret)?k=(secret), Basic (secret), (secret), (secret)';
    assert.equal(message, shown);
  });

  it('is called with a signature that it can check', async (t) => {
    const server = await startHttpGateway(t);
    const url = server.url.replace('http://', 'http://user:pa%3Ass@');
    const reply = await new WebhookGateway(`${url}/sms?x=1`, SECRET).send(SMS, never);
    assert.equal(reply, 'HTTP 200');
    const [call] = server.calls;
    assert.deepEqual([call?.method, call?.path], ['POST', '/sms?x=1']);
    assert.equal(
      call?.headers.authorization,
      `Basic ${Buffer.from('user:pa:ss').toString('base64')}`,
    );
    assert.deepEqual(JSON.parse(call!.body), {
      id: 'sms-1',
      to: SMS.to,
      text: SMS.text,
      encoding: 'ucs2',
      parts: 1,
      expiresAt: new Date(SMS.expiresAt).toISOString(),
    });
    const {
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signature,
    } = call!.headers;
    assert.equal(id, 'sms-1');
    assert.ok(Math.abs(Number(timestamp) - Date.now() / 1000) < 60);
    const expected = createHmac('sha256', SECRET)
      .update(`${id}.${timestamp}.${call!.body}`)
      .digest('base64');
    assert.equal(signature, `v1,${expected}`);
  });

  for (const [status, kind] of [
    [301, 'unavailable'],
    [401, 'unavailable'],
    [422, 'refused'],
    [429, 'busy'],
    [500, 'busy'],
  ] as const) {
    it(`${status} means ${kind}, and what else it answers is not kept`, async (t) => {
      const server = await startHttpGateway(t);
      server.answer = { status, body: SMS.text };
      const failure = await failureOf(new WebhookGateway(server.url, SECRET).send(SMS, never));
      assert.deepEqual(
        [failure.dependency, failure.kind, failure.message],
        ['sms', kind, `HTTP ${status}: ${SMS.text}`],
      );
    });
  }

  it('204 means that it was taken', async (t) => {
    const server = await startHttpGateway(t);
    server.answer = { status: 204, body: '' };
    assert.equal(await new WebhookGateway(server.url, SECRET).send(SMS, never), 'HTTP 204');
  });

  it('that is not there is unavailable, and one that is given up too', async (t) => {
    const server = await startHttpGateway(t);
    const gone = await failureOf(
      new WebhookGateway('http://127.0.0.1:2/', SECRET).send(SMS, never),
    );
    assert.equal(gone.kind, 'unavailable');
    server.answer = undefined;
    const abort = new AbortController();
    const waiting = failureOf(new WebhookGateway(server.url, SECRET).send(SMS, abort.signal));
    setTimeout(() => abort.abort(), 50);
    assert.equal((await waiting).kind, 'unavailable');
  });
});
