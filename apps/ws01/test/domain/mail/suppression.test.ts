import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MINUTE_MS } from '@ws01/asmx/time';
import { retryMail } from '../../../src/domain/mail/change.ts';
import { suppress, unsuppress } from '../../../src/domain/mail/suppressions.ts';
import { forEachEngine } from '../../kit/database.ts';
import { openMailDesk } from '../../kit/mail.ts';
import { startMailServer } from '../../kit/mail-server.ts';
import { refused } from '../../kit/refused.ts';
import { rowsOf } from '../../kit/rows.ts';

forEachEngine((_engine, fresh) => {
  it('an unknown mailbox is suppressed, with the reply and the mail as the reason', async (t) => {
    const server = await startMailServer(t);
    server.behave({ at: 'RCPT', code: 550, text: '5.1.1 No such user' });
    const desk = await openMailDesk(t, fresh, { server });
    const id = await desk.send();
    const queued = await desk.send({ subject: 'queued before' });
    assert.equal((await desk.after(0, id)).status, 'bounced');
    const [suppression] = await rowsOf(desk.store, 'mail_suppressions', 'address');
    assert.deepEqual(
      [suppression?.address, suppression?.reason, suppression?.detail],
      ['grace@example.com', 'bounce', '550 5.1.1 No such user'],
    );
    server.behave('accept');
    desk.now += MINUTE_MS;
    await desk.work();
    const later = await desk.send({
      subject: 'queued afterwards',
      receiverEmail: 'GRACE@example.com',
    });
    for (const one of [queued, later]) {
      const { status, lastReply } = await desk.status(one);
      // Both were on their way at once; the one that came second bounced as well or was suppressed.
      assert.ok(status === 'suppressed' || (one === queued && status === 'bounced'), status);
      assert.match(lastReply!, /550 5\.1\.1 No such user/);
    }
    assert.equal(server.received.length, 0);
  });

  for (const [reply, suppresses] of [
    ['550 No such user', true],
    ['553 5.1.3 Bad address', true],
    ['550 5.2.1 Disabled', true],
    ['550 5.7.1 Spam', false],
    ['552 5.2.2 Mailbox full', false],
    ['554 Rejected', false],
  ] as const) {
    it(`${reply} ${suppresses ? 'suppresses' : 'does not suppress'} the address`, async (t) => {
      const server = await startMailServer(t);
      server.behave({ at: 'RCPT', code: Number(reply.slice(0, 3)), text: reply.slice(4) });
      const desk = await openMailDesk(t, fresh, { server });
      assert.equal((await desk.after(0, await desk.send())).status, 'bounced');
      assert.equal(
        (await rowsOf(desk.store, 'mail_suppressions', 'address')).length,
        suppresses ? 1 : 0,
      );
    });
  }

  it('what the message says suppresses no address', async (t) => {
    const server = await startMailServer(t);
    server.behave({ at: 'DATA', code: 550, text: '5.1.1 Whatever' });
    const desk = await openMailDesk(t, fresh, { server });
    assert.equal((await desk.after(0, await desk.send())).status, 'bounced');
    assert.deepEqual(await rowsOf(desk.store, 'mail_suppressions', 'address'), []);
  });

  it('a mailbox is suppressed with all its tags; a tag that bounces is suppressed alone', async (t) => {
    const server = await startMailServer(t);
    const desk = await openMailDesk(t, fresh, { server });
    const by = undefined;
    for (const address of ['Ada+news@example.com', 'bob@example.com'])
      await desk.store.write((tx) => suppress(tx, { address, note: '', by, at: desk.now }));
    const bounce = { address: 'eve+x@example.com', reason: 'bounce', detail: '550' } as const;
    await desk.store.write((tx) =>
      tx
        .insertInto('mail_suppressions')
        .values({ ...bounce, mail_id: null, created_at: desk.now })
        .execute(),
    );
    for (const [receiverEmail, status] of [
      ['ada@example.com', 'suppressed'],
      ['ADA+other@example.com', 'suppressed'],
      ['ada+news@example.com', 'suppressed'],
      ['bob+any@example.com', 'suppressed'],
      ['eve+x@example.com', 'suppressed'],
      ['eve@example.com', 'sent'],
      ['eve+y@example.com', 'sent'],
      ['ada+news@example.org', 'sent'],
      ['adam@example.com', 'sent'],
      ['ad+a@example.com', 'sent'],
    ] as const) {
      const id = await desk.send({ receiverEmail, subject: receiverEmail });
      assert.equal((await desk.after(0, id)).status, status, receiverEmail);
    }
  });

  it('an operator suppresses and lets go again; retried mails go out then', async (t) => {
    const server = await startMailServer(t);
    const desk = await openMailDesk(t, fresh, { server });
    const by = { by: undefined, at: desk.now };
    const add = (address: string, note: string) =>
      desk.store.write((tx) => suppress(tx, { address, note, ...by }));
    const remove = (address: string) =>
      desk.store.write((tx) => unsuppress(tx, { address, ...by }));
    assert.deepEqual(
      [await add('Grace@Example.com', 'asked us to'), await add('grace@example.com', 'again')],
      [true, false],
    );
    const id = await desk.send();
    const { status, attempts, lastReply, finishedAt } = await desk.after(0, id);
    assert.deepEqual([status, attempts], ['suppressed', 0]);
    assert.match(lastReply!, /asked us to/);
    assert.notEqual(finishedAt, null);
    assert.equal(await remove('GRACE@example.com'), true);
    assert.equal(await remove('grace@example.com'), false);
    await refused(add('a@b.co, c@d.co', ''), 'InvalidParameter');
    await desk.store.write((tx) => retryMail(tx, { id, by: undefined, at: desk.now }));
    assert.equal((await desk.after(0, id)).status, 'sent');
  });
});
