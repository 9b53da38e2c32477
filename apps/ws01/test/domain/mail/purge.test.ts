import assert from 'node:assert/strict';
import { it } from 'node:test';
import { HOUR_MS } from '@ws01/asmx/time';
import { cancelMail } from '../../../src/domain/mail/change.ts';
import { purgeMails } from '../../../src/domain/mail/purge.ts';
import { forBothEngines } from '../../kit/database.ts';
import { openMailDesk } from '../../kit/mail.ts';

forBothEngines((_engine, fresh) => {
  it('mails that ended a while ago go, with their bodies; the trail keeps who sent them, once, and not to whom', async (t) => {
    const desk = await openMailDesk(t, fresh, {});
    const ended = await desk.send({
      receiverEmail: 'hush@example.com',
      subject: 'hush',
      body: 'hush',
    });
    const waiting = await desk.send({ receiverEmail: 'other@example.com' });
    const sentAt = desk.now;
    await desk.store.write((tx) => cancelMail(tx, { id: ended, by: undefined, at: desk.now }));
    assert.equal(await purgeMails(desk.store, desk.now - 1, desk.now + HOUR_MS - 1), 0);
    const purged = await Promise.all(
      [1, 2].map(() => purgeMails(desk.store, desk.now, desk.now + HOUR_MS)),
    );
    assert.ok(Math.max(...purged) === 1, String(purged));
    const left = await desk.store.read(async (db) => ({
      mails: await db.selectFrom('mails').select('id').execute(),
      outbox: await db.selectFrom('outbox').select('id').execute(),
      told: await db.selectFrom('audit').selectAll().where('action', '=', 'mail.send').execute(),
    }));
    assert.deepEqual([left.mails, left.outbox], [[{ id: waiting }], [{ id: waiting }]]);
    assert.deepEqual(
      left.told.map(({ at, target_key, token_id, address }) => [at, target_key, token_id, address]),
      [[sentAt, ended, 't-ada', '198.51.100.7']],
    );
    assert.deepEqual(JSON.parse(left.told[0]!.details), { sender: 'ada' });
  });
});
