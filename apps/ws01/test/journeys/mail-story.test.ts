import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { someOf } from '../../../../packages/asmx/test/kit/lane.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { TEST_BINDINGS, type TestBinding } from '../kit/bindings.ts';
import { ws01 } from '../kit/command.ts';
import { forEachEngine } from '../kit/database.ts';
import { HOSTILE_LINE } from '../kit/hostile-texts.ts';
import { startHttpGateway } from '../kit/http-gateway.ts';
import { startMailServer } from '../kit/mail-server.ts';
import { startService, TOKEN } from '../kit/service.ts';

const HOSTILE = `${HOSTILE_LINE} =?utf-8?Q?x?=`;
const MAIL = {
  authorizationUserId: TOKEN,
  receiverName: HOSTILE,
  receiverEmail: 'grace@example.com',
  subject: HOSTILE,
  body: `${HOSTILE}\nsecond line`,
};

interface Item {
  readonly id: string;
  readonly status: string;
  readonly lastReply: string | null;
}

async function reportOf(
  binding: TestBinding,
  url: string,
  receiverEmail = '',
): Promise<readonly Item[]> {
  const answer = await binding.call(url, 'queryEmailsent', {
    authorizationUserId: TOKEN,
    receiverEmail,
  });
  assert.equal(answer.status, 200, answer.body);
  return JSON.parse(answer.result!).items;
}

/** The report of a mail once it is as it should be. */
async function becomes(
  binding: TestBinding,
  url: string,
  id: string,
  status: string,
): Promise<Item> {
  let item: Item | undefined;
  await until(
    async () => {
      item = (await reportOf(binding, url)).find((one) => one.id === id);
      return item?.status === status;
    },
    () => `${JSON.stringify(item)} to become ${status}`,
  );
  return item!;
}

forEachEngine((_engine, fresh) => {
  for (const binding of someOf(TEST_BINDINGS, 2)) {
    describe(binding.name, () => {
      it('sends a mail, reports it, and refuses what is not allowed', async (t) => {
        const server = await startMailServer(t);
        server.behave((to) =>
          to === 'nobody@example.com'
            ? { at: 'RCPT', code: 550, text: '5.1.1 No such user' }
            : 'accept',
        );
        const env = { SMTP_URL: server.url, MAIL_FROM: 'Board <board@ws01.example>' };
        const { url } = await startService(t, await fresh(t), env);
        const sent = await binding.call(url, 'SendEmail', MAIL);
        assert.equal(sent.status, 200, sent.body);
        const { lastReply } = await becomes(binding, url, sent.result!, 'sent');
        assert.match(lastReply!, /^250 /);
        const [mail] = server.received;
        assert.deepEqual([mail?.from, mail?.to], ['board@ws01.example', 'grace@example.com']);
        assert.equal(mail?.headers.get('message-id'), `<${sent.result}@ws01.example>`);
        assert.equal((await binding.call(url, 'SendEmail', MAIL)).result, sent.result);
        assert.equal(server.received.length, 1);

        const bounced = await binding.call(url, 'SendEmail', {
          ...MAIL,
          receiverEmail: 'nobody@example.com',
        });
        await becomes(binding, url, bounced.result!, 'bounced');
        const again = await binding.call(url, 'SendEmail', {
          ...MAIL,
          receiverEmail: 'nobody@example.com',
          body: 'x',
        });
        await becomes(binding, url, again.result!, 'suppressed');
        assert.equal((await reportOf(binding, url, 'nobody@example.com')).length, 2);

        const list = await binding.call(url, 'SendEmail', {
          ...MAIL,
          receiverEmail: 'a@b.co, c@d.co',
        });
        assert.equal(list.code, 'MassMailNotAllowed', list.body);
        const wrong = await binding.call(url, 'SendEmail', { ...MAIL, subject: 'a\nBcc: c@d.co' });
        assert.equal(wrong.code, 'InvalidParameter', wrong.body);
      });
    });
  }

  it('mails are kept without a server, and sent by ws01 mail retry', async (t) => {
    const database = await fresh(t);
    const [binding] = TEST_BINDINGS;
    const { url } = await startService(t, database);
    const kept = await binding!.call(url, 'SendEmail', MAIL);
    const other = await binding!.call(url, 'SendEmail', { ...MAIL, body: 'other' });
    await becomes(binding!, url, kept.result!, 'kept');
    const without = await ws01(database, ['mail', 'retry', '--all']);
    assert.equal(without.code, 1);
    assert.match(without.stderr, /set SMTP_URL/);
    const cancelled = await ws01(database, ['mail', 'cancel', other.result!]);
    assert.equal(cancelled.stdout, `Cancelled ${other.result}.\n`);
    const server = await startMailServer(t);
    const retried = await ws01(database, ['mail', 'retry', '--all', '--json'], '', {
      SMTP_URL: server.url,
    });
    assert.equal(retried.code, 0, retried.stderr);
    assert.deepEqual(JSON.parse(retried.stdout), { queued: 1, sent: 1, cancelled: 1 });
    assert.match(retried.stderr, /1 of 1 mails, 100 %/);
    await becomes(binding!, url, kept.result!, 'sent');
    assert.equal(server.received.length, 1);
  });

  it('a code goes to the phone by the gateway, and the caller is told an id', async (t) => {
    const gateway = await startHttpGateway(t);
    const [binding] = TEST_BINDINGS;
    const env = {
      SMS_URL: `${gateway.url}/sms`,
      SMS_SECRET: 's'.repeat(32),
      SERVICE_NAME: '留言板',
    };
    const { url } = await startService(t, await fresh(t), env);
    const phone = { tokenId: TOKEN, userId: 'ada', cellphone: '+12125550100' };
    const created = await binding!.call(url, 'CreateVerifyCode', phone);
    assert.match(created.result!, /^[0-9a-f-]{36}$/);
    await until(() => gateway.calls.length > 0);
    const { id, to, text } = JSON.parse(gateway.calls[0]!.body);
    assert.deepEqual([id, to], [created.result, '+12125550100']);
    const VerifyCode = /^留言板: your code is ([0-9]{6})\. It is valid for 3 minutes\.$/.exec(
      text,
    )?.[1];
    const verified = await binding!.call(url, 'VerifyCodeForPhone', { ...phone, VerifyCode });
    assert.deepEqual([verified.status, verified.result], [200, '']);
  });
});
