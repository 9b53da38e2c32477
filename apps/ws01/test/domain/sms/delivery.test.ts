import assert from 'node:assert/strict';
import { it } from 'node:test';
import { expireSms, purgeSms } from '../../../src/domain/sms/admin.ts';
import { forEachEngine } from '../../kit/database.ts';
import { startHttpGateway } from '../../kit/http-gateway.ts';
import { PHONE } from '../../kit/phone.ts';
import { refused } from '../../kit/refused.ts';
import { textMessages } from '../../kit/rows.ts';
import { openSmsDesk } from '../../kit/sms.ts';

const SECOND = 1_000;
const LIFETIME = 180 * SECOND;
const ABSENT = 'http://127.0.0.1:2/';

forEachEngine((_engine, fresh) => {
  it('a code arrives, as the template says, and is forgotten', async (t) => {
    const gateway = await startHttpGateway(t);
    const desk = await openSmsDesk(t, fresh, gateway.url);
    const id = await desk.phones.create();
    const waiting = await desk.store.read((db) =>
      db.selectFrom('sms').selectAll().executeTakeFirstOrThrow(),
    );
    assert.equal(waiting.id, id);
    const { state, attempts, last_reply } = await desk.after(0);
    assert.deepEqual([state, attempts, last_reply], ['sent', 1, 'HTTP 200']);
    const call = JSON.parse(gateway.calls[0]!.body);
    const code = /[0-9]{6}/.exec(call.text)?.[0];
    assert.deepEqual([call.id, call.to], [id, PHONE]);
    assert.equal(call.text, `留言板 ${code}?: ${code} 留言板 ${code}?`);
    // While it waits, no byte of it can be read in the database; afterwards nothing is left.
    assert.ok(!Buffer.from(waiting.sealed!).toString('latin1').includes(code!));
    const after = await desk.store.read((db) =>
      db.selectFrom('sms').select('sealed').executeTakeFirstOrThrow(),
    );
    assert.equal(after.sealed, null);
    assert.equal(await desk.phones.verify(code), '');
  });

  it('is tried again while the code lives, and never afterwards', async (t) => {
    const gateway = await startHttpGateway(t);
    gateway.answer = { status: 500, body: '' };
    const desk = await openSmsDesk(t, fresh, gateway.url);
    await desk.phones.create();
    const begun = desk.phones.now;
    let last = await desk.after(0);
    assert.equal(last.state, 'deferred');
    while (desk.phones.now - begun < LIFETIME - SECOND) last = await desk.after(SECOND);
    assert.ok(last.attempts > 5, String(last.attempts));
    const calls = gateway.calls.length;
    gateway.answer = { status: 200, body: '' };
    last = await desk.after(SECOND);
    assert.deepEqual([last.state, gateway.calls.length], ['failed', calls]);
    const row = await desk.store.read((db) =>
      db.selectFrom('sms').select('sealed').executeTakeFirstOrThrow(),
    );
    assert.equal(row.sealed, null);
  });

  it('a refused message is visible, and the code is forgotten', async (t) => {
    const gateway = await startHttpGateway(t);
    gateway.answer = { status: 422, body: '{"error":"no such number"}\n' };
    const desk = await openSmsDesk(t, fresh, gateway.url);
    await desk.phones.create();
    const { state, last_reply } = await desk.after(0);
    assert.deepEqual([state, last_reply], ['bounced', 'HTTP 422: {"error":"no such number"}']);
    assert.equal((await textMessages(desk.store)).length, 1);
    const row = await desk.store.read((db) =>
      db.selectFrom('sms').select('sealed').executeTakeFirstOrThrow(),
    );
    assert.equal(row.sealed, null);
  });

  it('what a gateway says is kept shortened, without the code and the number that it may repeat', async (t) => {
    const gateway = await startHttpGateway(t);
    gateway.answer = { status: 503, body: '' };
    const desk = await openSmsDesk(t, fresh, gateway.url);
    await desk.phones.create();
    await desk.after(0);
    const code = /[0-9]{6}/.exec(JSON.parse(gateway.calls[0]!.body).text)![0];
    const spaced = `${code.slice(0, 3)} - ${code.slice(3)}`;
    const { to } = JSON.parse(gateway.calls[0]!.body);
    const numbers = `${to} (${to.slice(-10, -7)}) ${to.slice(-7, -4)}-${to.slice(-4)}`;
    gateway.answer = {
      status: 400,
      body: `refused ${code} as ${spaced} to ${numbers}, ${'x'.repeat(2_000)}`,
    };
    const { last_reply } = await desk.after(SECOND * 3);
    const local = `…${to.slice(-2)}`;
    assert.ok(
      last_reply!.startsWith(`HTTP 400: refused ****** as ****** to ${'+'}${local}`),
      last_reply!,
    );
    assert.ok(!last_reply!.includes(to.slice(-7)) && !last_reply!.includes(to.slice(-4)));
    assert.match(last_reply!, /x+…$/);
    assert.equal(last_reply!.length, 1_000);
  });

  it('a code that a newer one has replaced is not delivered any more', async (t) => {
    const gateway = await startHttpGateway(t);
    const desk = await openSmsDesk(t, fresh, gateway.url);
    const first = await desk.phones.create();
    const second = await desk.phones.create();
    await desk.after(0);
    assert.deepEqual(
      gateway.calls.map(({ body }) => JSON.parse(body).id),
      [second],
    );
    const states = (await textMessages(desk.store)).map(({ id, state }) => [id, state]);
    assert.deepEqual(Object.fromEntries(states), { [first]: 'cancelled', [second]: 'sent' });
  });

  it('while the gateway is out of reach calls are refused, and nothing is written, but for a probe', async (t) => {
    const desk = await openSmsDesk(t, fresh, ABSENT);
    await desk.phones.create();
    assert.equal((await desk.after(0)).state, 'deferred');
    for (let second = 0; second < 40; second++) await desk.after(SECOND);
    desk.phones.now = desk.worker.outage.reopensAt - 1;
    const error = await refused(desk.phones.create(), 'SmsUnavailable');
    assert.equal(error.retryAfter, 1);
    assert.equal((await textMessages(desk.store)).length, 1);
    desk.phones.now += 1;
    await desk.phones.create();
  });

  it('expired codes are forgotten also where no gateway is asked any more', async (t) => {
    const desk = await openSmsDesk(t, fresh, ABSENT);
    await desk.phones.create();
    await expireSms(desk.store, desk.phones.now + LIFETIME - 1);
    assert.equal((await textMessages(desk.store))[0]?.state, 'queued');
    await expireSms(desk.store, desk.phones.now + LIFETIME);
    const [message] = await textMessages(desk.store);
    assert.deepEqual(
      [message?.state, message?.last_reply],
      ['failed', 'The code expired before it could be delivered.'],
    );
    const row = await desk.store.read((db) =>
      db.selectFrom('sms').select('sealed').executeTakeFirstOrThrow(),
    );
    assert.equal(row.sealed, null);
    assert.equal(await purgeSms(desk.store, desk.phones.now + LIFETIME - 1), 0);
    assert.equal(await purgeSms(desk.store, desk.phones.now + LIFETIME), 1);
    assert.deepEqual(await textMessages(desk.store), []);
  });

  it('no event that is logged holds the code or the number', async (t) => {
    const gateway = await startHttpGateway(t);
    const desk = await openSmsDesk(t, fresh, gateway.url);
    await desk.phones.create();
    await desk.after(0);
    const code = /[0-9]{6}/.exec(JSON.parse(gateway.calls[0]!.body).text)![0];
    const told = JSON.stringify(desk.events);
    assert.ok(
      told.includes('settled') && !told.includes(code) && !told.includes('2125550100'),
      told,
    );
  });
});
