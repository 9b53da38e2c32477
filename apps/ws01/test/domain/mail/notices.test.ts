import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readReturnedMessage } from '../../../src/adapters/mail/notices/returned-message.ts';
import { recordNotice } from '../../../src/domain/mail/notices.ts';
import { forBothEngines } from '../../kit/database.ts';
import { openMailDesk } from '../../kit/mail.ts';
import { startMailServer } from '../../kit/mail-server.ts';
import { complaintReport, deliveryReport } from '../../kit/returned-mails.ts';
import { rowsOf } from '../../kit/rows.ts';

forBothEngines((_engine, fresh) => {
  /** A desk with a mail that was sent, and what reads a message that comes back. */
  async function sent(t: Parameters<typeof openMailDesk>[0]) {
    const server = await startMailServer(t);
    const desk = await openMailDesk(t, fresh, { server });
    const id = await desk.send();
    assert.equal((await desk.after(0, id)).status, 'sent');
    const comesBack = async (raw: string) => {
      const notice = await readReturnedMessage(Buffer.from(raw));
      return notice && recordNotice(desk.store, notice, 'mailbox', desk.now);
    };
    const suppressed = async () =>
      (await rowsOf(desk.store, 'mail_suppressions', 'address')).map(
        ({ address, reason, mail_id }) => [address, reason, mail_id],
      );
    return { desk, id, raw: server.received[0]!.raw, comesBack, suppressed };
  }

  for (const [told, status, reply, suppresses] of [
    [{ diagnosis: '550 5.1.1 No such user' }, 'bounced', '550 5.1.1 No such user', true],
    [{ status: '5.2.1', part: 'text/rfc822-headers' }, 'bounced', /status 5\.2\.1/, true],
    [{ status: '5.0.0', diagnosis: '550-5.1.1 gone' }, 'bounced', '550-5.1.1 gone', true],
    [{ status: '5.2.2', diagnosis: '552 Full' }, 'bounced', '552 Full', false],
    [{ status: '5.7.1', diagnosis: '550 5.7.1 Spam' }, 'bounced', '550 5.7.1 Spam', false],
    [{ status: '5.1.8' }, 'bounced', /5\.1\.8/, false],
    [{ status: '4.4.7' }, 'bounced', /4\.4\.7/, false],
    [{ action: 'delayed', status: '4.4.1' }, 'sent', /^250/, false],
    [{ action: 'delivered', status: '2.0.0' }, 'sent', /^250/, false],
  ] as const) {
    it(`a report of delivery: ${JSON.stringify(told)}`, async (t) => {
      const { desk, id, raw, comesBack, suppressed } = await sent(t);
      for (let times = 0; times < 2; times++) await comesBack(deliveryReport(raw, told));
      const item = await desk.status(id);
      assert.equal(item.status, status);
      if (typeof reply === 'string') assert.equal(item.lastReply, reply);
      else assert.match(item.lastReply!, reply);
      assert.deepEqual(await suppressed(), suppresses ? [['grace@example.com', 'bounce', id]] : []);
    });
  }

  it('a report in other forms: of addresses in Unicode, as text of qmail and of an older Exim', async (t) => {
    const { desk, id, raw, comesBack, suppressed } = await sent(t);
    const global = deliveryReport(raw, { status: '5.5.0', diagnosis: '550 5.1.1 gone' })
      .replace('message/delivery-status', 'message/global-delivery-status')
      .replace('message/rfc822', 'message/global-headers');
    const told = await readReturnedMessage(Buffer.from(global));
    assert.deepEqual([told?.isForGood, told?.detail], [true, '550 5.1.1 gone']);
    const plain = (head: string, reply: string) =>
      `${head}\r\nSubject: failure notice\r\n\r\n<grace@example.com>:\r\n${reply}\r\n\r\n--- A copy.\r\n\r\n${raw}`;
    const exim = plain('From: a@b.example\r\nX-Failed-Recipients: grace@example.com', '    550 no');
    assert.equal((await readReturnedMessage(Buffer.from(exim)))?.isForGood, false);
    // What a person sends, or is no failure, is no report.
    for (const other of [
      plain('From: grace@example.com', '550 5.1.1 x'),
      plain('From: MAILER-DAEMON@mx', '250 Ok'),
    ])
      assert.equal(await comesBack(other), undefined);
    for (const type of ['auth-failure', 'virus'])
      assert.equal(await comesBack(complaintReport(raw, type)), undefined);
    await comesBack(plain('From: MAILER-DAEMON@mx.example', 'mx said: 550 5.1.1 no such user'));
    const item = await desk.status(id);
    assert.deepEqual([item.status, item.lastReply], ['bounced', '550 5.1.1 no such user']);
    assert.deepEqual(await suppressed(), [['grace@example.com', 'bounce', id]]);
  });

  it('a complaint suppresses the whole mailbox; the mail stays sent, and its report tells it', async (t) => {
    const { desk, id, raw, comesBack, suppressed } = await sent(t);
    assert.equal(await comesBack(complaintReport(raw, 'not-spam')), undefined);
    await comesBack(complaintReport(raw));
    const { status, lastReply } = await desk.status(id);
    assert.deepEqual([status, lastReply], ['sent', 'Reported as abuse.']);
    assert.deepEqual(await suppressed(), [['grace@example.com', 'complaint', id]]);
    const later = await desk.send({ receiverEmail: 'grace+tag@example.com', subject: 'later' });
    const after = await desk.after(0, later);
    assert.equal(after.status, 'suppressed');
    assert.match(after.lastReply!, /called an earlier mail spam/);
  });

  it('a forged report does nothing: without the secret of the mail, or of another mail', async (t) => {
    const { desk, id, raw, comesBack, suppressed } = await sent(t);
    const reference = /^X-Mail-Reference:\s+(\S+)/m.exec(raw)![1]!;
    const forged = [
      raw.replace(/^X-Mail-Reference:\s+\S+\r\n/m, ''),
      raw.replace(reference, id),
      raw.replace(reference, `${id}.`),
      raw.replace(reference, `${id}.${'A'.repeat(22)}`),
      // In the text, as in an answer that quotes it, it is no header.
      `Subject: x\r\n\r\nX-Mail-Reference: ${reference}\r\n`,
    ];
    for (const mail of forged) assert.ok(!(await comesBack(deliveryReport(mail))), mail);
    // No report at all, but a mail that has one attached.
    const attached = deliveryReport(raw).replaceAll('multipart/report', 'multipart/mixed');
    assert.equal(await comesBack(attached), undefined);
    assert.equal((await desk.status(id)).status, 'sent');
    assert.deepEqual(await suppressed(), []);
    // The secret stays the same when the mail is sent again, and is in no answer.
    assert.ok(!JSON.stringify(await desk.report()).includes(reference.split('.')[1]!));
  });
});
