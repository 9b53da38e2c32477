import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Ws01Error } from '../../../src/contract/errors.ts';
import type { CodeDelivery, DeliverCode } from '../../../src/domain/phone/operations.ts';
import { forEachEngine } from '../../kit/database.ts';
import { ADA, kindOf, NOW, openPhoneDesk, PHONE } from '../../kit/phone.ts';
import { refused } from '../../kit/refused.ts';

const SECOND = 1_000;
const SMS_PER_PHONE = [
  { limit: 1, window: 30 * SECOND },
  { limit: 5, window: 600 * SECOND },
];

/** A gateway that remembers what it was given, and leaves a row behind to show in which transaction. */
function outbox(): { readonly deliver: DeliverCode; readonly deliveries: CodeDelivery[] } {
  const deliveries: CodeDelivery[] = [];
  return {
    deliveries,
    deliver: async (tx, delivery) => {
      deliveries.push(delivery);
      await tx
        .insertInto('categories')
        .values({ key: delivery.verificationId, created_at: NOW })
        .execute();
    },
  };
}

forEachEngine((_engine, fresh) => {
  it('with a gateway, the result is a verification id and the code goes to the phone, for a user token too', async (t) => {
    const { deliver, deliveries } = outbox();
    const desk = await openPhoneDesk(t, fresh, { deliver });
    const verificationId = await desk.create({ userId: '', cellphone: '001 212 555 0100' }, ADA);
    const [{ code, key, ...delivery } = assert.fail('nothing was delivered')] = deliveries;
    assert.match(verificationId, /^[0-9a-f-]{36}$/);
    assert.equal(key.bytes.byteLength, 32);
    const request = { requestId: 'r-1', traceparent: undefined };
    assert.deepEqual(delivery, {
      verificationId,
      userId: 'ada',
      phone: PHONE,
      expiresAt: NOW + 180 * SECOND,
      ...request,
    });
    assert.equal(await desk.verify(code, { userId: '' }, ADA), '');
  });

  it('a code and its delivery are there together or not at all', async (t) => {
    const { deliver } = outbox();
    const unavailable = new Ws01Error('SmsUnavailable', 'No SMS can be sent now.');
    let broken = true;
    const desk = await openPhoneDesk(t, fresh, {
      rates: { smsPerPhone: SMS_PER_PHONE },
      deliver: async (tx, delivery) => {
        await deliver(tx, delivery);
        if (broken) throw unavailable;
      },
    });
    await refused(desk.create(), 'SmsUnavailable');
    assert.equal(kindOf(await desk.verify('123456')), 'CodeNotFound');
    const rows = await desk.store.read(async (db) => ({
      delivered: await db.selectFrom('categories').selectAll().execute(),
      audit: await db.selectFrom('audit').selectAll().execute(),
      budgets: await db.selectFrom('budgets').selectAll().execute(),
    }));
    assert.deepEqual(rows, { delivered: [], audit: [], budgets: [] });
    broken = false;
    await desk.create();
  });

  it('one message in 30 s and five in 10 min go to a number', async (t) => {
    const { deliver, deliveries } = outbox();
    const desk = await openPhoneDesk(t, fresh, { rates: { smsPerPhone: SMS_PER_PHONE }, deliver });
    await desk.create();
    desk.now += 30 * SECOND - 1;
    assert.equal((await refused(desk.create(), 'RateLimited')).retryAfter, 1);
    assert.equal((await refused(desk.create({ userId: 'bob' }), 'RateLimited')).retryAfter, 1);
    await desk.create({ cellphone: '+12125550199' });
    for (let i = 1; i < 5; i++) {
      desk.now = NOW + i * 30 * SECOND;
      await desk.create();
    }
    desk.now = NOW + 150 * SECOND;
    assert.equal((await refused(desk.create(), 'RateLimited')).retryAfter, 450);
    desk.now = NOW + 600 * SECOND;
    await desk.create();
    assert.equal(deliveries.length, 7);
  });

  it('a number that no country has given out is paid for once', async (t) => {
    const { deliver, deliveries } = outbox();
    const rates = { smsPerUnassignedPhone: [{ limit: 1, window: 600 * SECOND }] };
    const desk = await openPhoneDesk(t, fresh, { rates, deliver });
    const [possible, assigned] = ['+44 (0)7700 900123', '+447400123456'];
    await desk.create({ cellphone: possible });
    await refused(desk.create({ cellphone: '+447700900123' }), 'RateLimited');
    for (const _ of [1, 2]) await desk.create({ cellphone: assigned });
    assert.deepEqual(
      deliveries.map(({ phone }) => phone),
      ['+447700900123', assigned, assigned],
    );
  });

  it('a refused call leaves the code that is alive alone', async (t) => {
    const { deliver, deliveries } = outbox();
    const desk = await openPhoneDesk(t, fresh, { rates: { smsPerPhone: SMS_PER_PHONE }, deliver });
    await desk.create();
    await refused(desk.create(), 'RateLimited');
    assert.equal(await desk.verify(deliveries[0]?.code), '');
  });

  it('without a gateway, a number has 100 codes in 10 min', async (t) => {
    const desk = await openPhoneDesk(t, fresh, {
      rates: { codesPerPhone: [{ limit: 100, window: 600 * SECOND }] },
    });
    for (let i = 0; i < 100; i++) await desk.create({ userId: `u${i % 7}` });
    desk.now += 60 * SECOND;
    assert.equal((await refused(desk.create(), 'RateLimited')).retryAfter, 540);
    await desk.create({ cellphone: '+12125550199' });
    desk.now += 540 * SECOND;
    await desk.create();
  });
});
