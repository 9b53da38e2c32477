import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@ws01/asmx/time';
import { pluck } from '../../../../../packages/asmx/test/kit/pluck.ts';
import { forEachEngine } from '../../kit/database.ts';
import { ADA, BOB, deskOn, openMailDesk, registerAda, SECOND, SERVICE } from '../../kit/mail.ts';
import { refused } from '../../kit/refused.ts';

const RATES = {
  mailsPerSender: [{ limit: 20, window: HOUR_MS }],
  mailsPerRecipient: [{ limit: 3, window: HOUR_MS }],
  recipientsPerBody: [{ limit: 4, window: 10 * MINUTE_MS }],
};

forEachEngine((_engine, fresh) => {
  describe('SendEmail', () => {
    it('takes registered senders only', async (t) => {
      const desk = await openMailDesk(t, fresh, {});
      await refused(desk.send({}, BOB), 'NotRegistered', 'authorizationUserId');
      await refused(
        desk.send({ receiverEmail: 'x' }, SERVICE),
        'NotRegistered',
        'authorizationUserId',
      );
      await refused(desk.report(undefined, BOB), 'NotRegistered', 'authorizationUserId');
      await desk.send({}, { ...SERVICE, userId: 'ada' });
    });

    it('takes one recipient', async (t) => {
      const desk = await openMailDesk(t, fresh, {});
      const lists = [
        'a@b.co,c@d.co',
        'a@b.co; c@d.co',
        'a@b.co c@d.co',
        'Friends: a@b.co, c@d.co;',
        'a@b.co，c@d.co',
      ];
      for (const receiverEmail of lists)
        await refused(desk.send({ receiverEmail }), 'MassMailNotAllowed', 'receiverEmail');
      const wrong = [
        'grace',
        '@example.com',
        'a@b.co\r\nRCPT TO:<c@d.co>',
        '"a b"@c.co',
        'Grace <a@b.co>',
        'a@[127.0.0.1]',
      ];
      for (const receiverEmail of wrong)
        await refused(desk.send({ receiverEmail }), 'InvalidParameter', 'receiverEmail');
      for (const receiverEmail of [undefined, '', ' ']) {
        await refused(desk.send({ receiverEmail }), 'MissingParameter', 'receiverEmail');
      }
      assert.deepEqual(await desk.report(), []);
    });

    it('needs a subject or a body, and no name', async (t) => {
      const desk = await openMailDesk(t, fresh, {});
      await refused(desk.send({ subject: undefined, body: ' ' }), 'MissingParameter', 'body');
      await desk.send({ subject: undefined, receiverName: undefined });
      await desk.send({ body: undefined });
      assert.deepEqual(
        (await desk.report()).map(({ subject, receiverName }) => [subject, receiverName]),
        [
          ['Subject', 'Grace'],
          ['', ''],
        ],
      );
    });

    it('takes the same call within 10 min for one mail, and any other for another', async (t) => {
      const desk = await openMailDesk(t, fresh, {});
      const id = await desk.send();
      desk.now += 10 * MINUTE_MS - 1;
      assert.equal(await desk.send(), id);
      assert.equal(await desk.send({ receiverEmail: ' grace@EXAMPLE.com ' }), id);
      const others = [
        { subject: 'subject' },
        { body: 'Body ' },
        { receiverName: 'grace' },
        { receiverEmail: 'g@example.com' },
      ];
      const ids = new Set([id]);
      for (const other of others) ids.add(await desk.send(other));
      desk.now += 1;
      const later = await desk.send();
      assert.equal(ids.add(later).size, others.length + 2);
      assert.equal(await desk.send(), later);
      assert.equal((await desk.report()).length, ids.size);
    });

    it('takes no call for one that a clock made which was days ahead', async (t) => {
      const desk = await openMailDesk(t, fresh, {});
      const right = desk.now;
      desk.now += 365 * DAY_MS;
      const ahead = await desk.send();
      desk.now = right;
      const id = await desk.send();
      assert.notEqual(id, ahead);
      assert.equal(await desk.send(), id);
    });

    it('of 100 same calls at once from two nodes, all are one mail', async (t) => {
      const database = await fresh(t);
      const store = await database.open();
      await registerAda(store);
      const desks = [
        deskOn(t, store, { rates: RATES }),
        deskOn(t, await database.open(), { rates: RATES }),
      ] as const;
      const ids = await Promise.all(
        Array.from({ length: 100 }, (_, index) => desks[index % 2]!.send()),
      );
      assert.equal(new Set(ids).size, 1);
      assert.equal((await desks[0].report()).length, 1);
    });

    it('budgets: of the sender, the recipient and the text; refused calls and repeats use up nothing', async (t) => {
      const desk = await openMailDesk(t, fresh, { rates: RATES });
      for (let i = 0; i < 3; i++) await desk.send({ body: `Body ${i}` });
      await desk.send({ body: 'Body 0' });
      await refused(
        desk.send({ body: 'Body 3', receiverEmail: 'GRACE@example.com' }),
        'RateLimited',
      );
      const same = (i: number) =>
        desk.send({ receiverEmail: `r${i}@example.com`, body: 'The  SAME\ntext' });
      for (let i = 0; i < 4; i++) await same(i);
      await same(0);
      await refused(same(4), 'MassMailNotAllowed', 'body');
      for (let i = 0; i < 13; i++)
        await desk.send({ receiverEmail: `s${i}@example.com`, body: `Body ${i}` });
      await refused(desk.send({ receiverEmail: 'last@example.com', body: 'last' }), 'RateLimited');
      assert.equal(
        await desk.send({ body: 'Body 0' }),
        (await desk.report('grace@example.com')).at(-1)?.id,
      );
      desk.now += HOUR_MS;
      await same(4);
    });
  });

  describe('queryEmailsent', () => {
    it('lists what the sender sent, the newest first, for one recipient or all', async (t) => {
      const desk = await openMailDesk(t, fresh, {});
      const first = await desk.send();
      desk.now += SECOND;
      const second = await desk.send({ receiverEmail: 'Bob@example.com', subject: `漢字😀<&>"'` });
      assert.deepEqual(pluck(await desk.report(), 'id'), [second, first]);
      assert.deepEqual(pluck(await desk.report('bob@EXAMPLE.com'), 'id'), [second]);
      assert.deepEqual(await desk.report('nobody@example.com'), []);
      await refused(desk.report('nobody'), 'InvalidParameter', 'receiverEmail');
      assert.equal((await desk.status(second)).subject, `漢字😀<&>"'`);
    });

    it('lists 200 at most, and says so', async (t) => {
      const desk = await openMailDesk(t, fresh, {});
      for (let i = 0; i < 200; i++) await desk.send({ body: `Body ${i}` });
      assert.equal((await desk.rawReport()).truncated, false);
      desk.now += SECOND;
      const newest = await desk.send({ body: 'newest' });
      const { items, truncated } = await desk.rawReport();
      assert.deepEqual([items.length, items[0]?.id, truncated], [200, newest, true]);
    });

    it("shows nobody else's mails", async (t) => {
      const desk = await openMailDesk(t, fresh, {});
      await desk.send({}, ADA);
      await desk.register('bob');
      assert.deepEqual(await desk.report(undefined, BOB), []);
    });
  });
});
