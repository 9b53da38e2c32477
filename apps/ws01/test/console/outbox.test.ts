import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstKeyAt } from '../../src/records/conditions.ts';
import { putMail } from '../kit/rows.ts';
import { startService } from '../kit/service.ts';
import { sessionOf, visitor } from './kit/browser.ts';

const textOf = (page: string) => page.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');

test('the outbox counts, and where it leaves older messages out it has no gap and leads to them', async (t) => {
  const service = await startService(t);
  const store = await service.database.open();
  const { open } = visitor(service, await sessionOf(service, 'owner'));
  const [first, second] = [Date.parse('2026-11-26T12:00:00Z'), Date.parse('2026-11-27T12:00:00Z')];
  await store.write(async (tx) => {
    const id = firstKeyAt(first);
    const states = {
      state: 'sent',
      attempts: 1,
      deferrals: 0,
      lease: null,
      last_reply: null,
    } as const;
    const times = { created_at: first, give_up_at: first, finished_at: first };
    await tx
      .insertInto('outbox')
      .values({ id, kind: 'sms', ...states, ...times })
      .execute();
    await tx
      .insertInto('sms')
      .values({
        ...{ id, user_id: 'ada', phone: '+12125550100', key_id: 1, sealed: null },
        ...{ expires_at: first, created_at: first, request_id: null, traceparent: null },
      })
      .execute();
  });
  const few = textOf(await open('/console/inbox'));
  assert.match(few, /Today Last 7 days This month 1 record /);
  assert.match(few, /\+12125550100/);
  await store.write(async (tx) => {
    for (let at = 0; at < 60; at++)
      await putMail(tx, {
        ...{ id: firstKeyAt(second + at), state: 'sent' },
        ...{ created_at: second + at, give_up_at: second },
      });
  });
  const many = await open('/console/inbox?createdFrom=2026-11-01');
  assert.match(textOf(many), /This month The newest 50; older ones are in the lists below/);
  assert.doesNotMatch(many, /\+12125550100/, 'ten mails came after it');
  assert.match(many, /<a href="\/console\/sms\?createdFrom=2026-11-01">All in Text messages<\/a>/);
  assert.equal(many.split('id="records"').length, 2);
});

test('an instant by which a list is narrowed stays one when another filter is set', async (t) => {
  const service = await startService(t);
  const cookie = `${await sessionOf(service, 'owner')}; ws01-zone=America/Los_Angeles`;
  const from = '2026-11-27T00:30:00.000Z';
  const page = await visitor(service, cookie).open(`/console/articles?createdFrom=${from}`);
  assert.match(page, new RegExp(`<option value="${from}" selected>2026-11-26 16:30</option>`));
});
