import assert from 'node:assert/strict';
import { createServer, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { HOUR_MS, MINUTE_MS } from '@ws01/asmx/time';
import { listen } from '../../../../../packages/asmx/test/kit/listen.ts';
import { until } from '../../../../../packages/asmx/test/kit/until.ts';
import { retryAllInState } from '../../../src/domain/mail/bulk.ts';
import { LEASE_MS } from '../../../src/domain/outbox/lease-watch.ts';
import { claim, prolong } from '../../../src/domain/outbox/rows.ts';
import { forEachEngine } from '../../kit/database.ts';
import { deskOn, type MailDesk, openMailDesk, registerAda, SECOND } from '../../kit/mail.ts';
import { startMailServer } from '../../kit/mail-server.ts';
import { auditOf } from '../../kit/rows.ts';

/** Another worker takes the mails on and says nothing more. @param now by its clock. */
async function takenBy(desk: MailDesk, lease: string, now: number): Promise<void> {
  const taken = await desk.store.write((tx) =>
    claim(tx, 'mail', { lease, until: now + LEASE_MS }, { now: desk.now, most: 10, ended: [] }),
  );
  assert.equal(taken.length, 1);
}

/** Takes connections and says nothing. */
async function silentServer(t: TestContext): Promise<{ readonly port: number }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => sockets.add(socket.on('error', () => {})));
  const port = await listen(t, server);
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  return { port };
}

forEachEngine((_engine, fresh) => {
  describe('workers', () => {
    it("take a dead one's mails over within 20 s, and not before its lease has ended", async (t) => {
      const server = await startMailServer(t);
      const desk = await openMailDesk(t, fresh, { server });
      const id = await desk.send();
      await takenBy(desk, 'dead', desk.now);
      const { status } = await desk.after(0, id);
      assert.equal(status, 'sending');
      assert.equal((await desk.after(LEASE_MS - 1, id)).status, 'sending');
      const { status: after, attempts } = await desk.after(1, id);
      assert.deepEqual([after, attempts], ['sent', 2]);
      assert.ok(LEASE_MS + 2 * SECOND < 20 * SECOND);
    });

    for (const [what, error] of [
      ['an hour behind', -HOUR_MS],
      ['an hour ahead', HOUR_MS],
    ] as const) {
      it(`whose clocks are ${what} leave alone what is prolonged, and take over what is not`, async (t) => {
        const server = await startMailServer(t);
        const desk = await openMailDesk(t, fresh, { server });
        const id = await desk.send();
        await takenBy(desk, 'other', desk.now + error);
        for (let beat = 0; beat < 10; beat++) {
          assert.equal((await desk.after(LEASE_MS - 1, id)).status, 'sending');
          const end = desk.now + error + LEASE_MS;
          await desk.store.write((tx) => prolong(tx, [{ id, lease: 'other' }], end));
        }
        assert.equal((await desk.after(1, id)).status, 'sending');
        assert.equal((await desk.after(LEASE_MS, id)).status, 'sent');
        assert.equal(server.received.length, 1);
      });
    }

    it('that stood still until their lease was lost send nothing any more', async (t) => {
      const server = await startMailServer(t);
      let steady = 0;
      const desk = await openMailDesk(t, fresh, { server, steady: () => steady });
      await desk.send();
      // It stands still just before the server asks for the message; no timer has a say before the message would leave.
      server.behave(() => {
        server.behave('accept');
        steady += LEASE_MS;
        return 'accept';
      });
      await desk.work();
      const outcomes = desk.events.map((event) => event.kind === 'settled' && event.outcome.kind);
      assert.deepEqual([outcomes, server.received.length], [['later', 'sent'], 1]);
    });

    it('on two nodes send each mail once', async (t) => {
      const server = await startMailServer(t);
      const database = await fresh(t);
      const store = await database.open();
      await registerAda(store);
      const desks = [
        deskOn(t, store, { server }),
        deskOn(t, await database.open(), { server }),
      ] as const;
      const ids = await Promise.all(
        Array.from({ length: 60 }, (_, index) =>
          desks[0].send({ receiverEmail: `r${index}@example.com` }),
        ),
      );
      await Promise.all(desks.map((desk) => desk.work()));
      assert.deepEqual(
        server.received.map(({ headers }) => headers.get('message-id')).toSorted(),
        ids.map((id) => `<${id}@ws01.example>`).toSorted(),
      );
      assert.ok(server.connections <= 6 && server.connections >= 2, String(server.connections));
    });

    it('give back what they had not sent when they stop, at once', async (t) => {
      const server = await silentServer(t);
      const desk = await openMailDesk(t, fresh, { server });
      const id = await desk.send();
      desk.worker!.wake();
      await until(async () => (await desk.status(id)).status === 'sending');
      await desk.worker!.stop();
      const { status, attempts, nextAttemptAt } = await desk.status(id);
      assert.deepEqual([status, attempts], ['queued', 0]);
      assert.ok(Date.parse(nextAttemptAt!) <= desk.now);
    });

    it('count a mail that they broke off when the server had it', async (t) => {
      const server = await startMailServer(t);
      server.behave('hang');
      const desk = await openMailDesk(t, fresh, { server });
      const id = await desk.send();
      desk.worker!.wake();
      await until(() => server.read === 1);
      await desk.worker!.stop();
      const { status, attempts } = await desk.status(id);
      assert.deepEqual([status, attempts], ['deferred', 1]);
    });

    it('break off what another has taken over, and leave its outcome alone', async (t) => {
      const server = await startMailServer(t);
      server.behave('hang');
      const desk = await openMailDesk(t, fresh, { server, rhythm: { heartbeat: 20 } });
      const id = await desk.send();
      desk.worker!.start();
      await until(async () => (await desk.status(id)).status === 'sending');
      const due = desk.now + MINUTE_MS;
      await desk.store.write((tx) =>
        tx.updateTable('outbox').set({ lease: 'another', due_at: due }).execute(),
      );
      await desk.worker!.settleAll();
      const row = await desk.store.read((db) =>
        db.selectFrom('outbox').selectAll().executeTakeFirstOrThrow(),
      );
      assert.deepEqual([row.state, row.lease, row.due_at], ['sending', 'another', due]);
    });

    it('prolong what takes long, so that nobody else takes it over', async (t) => {
      const server = await startMailServer(t);
      server.behave('hang');
      const steady = () => performance.now();
      const desk = await openMailDesk(t, fresh, {
        server,
        steady,
        rhythm: { heartbeat: 20 },
      });
      await desk.send();
      desk.worker!.start();
      const leasedUntil = () =>
        desk.store.read((db) =>
          db.selectFrom('outbox').select(['state', 'due_at']).executeTakeFirstOrThrow(),
        );
      for (let minute = 1; minute <= 3; minute++) {
        desk.now += MINUTE_MS;
        const end = desk.now + LEASE_MS;
        await until(async () => (await leasedUntil()).due_at === end);
      }
      assert.equal((await leasedUntil()).state, 'sending');
      await desk.worker!.stop();
    });

    it('send kept mails when asked to, all of them, each once', async (t) => {
      const keeping = await openMailDesk(t, fresh, {});
      const ids = [];
      for (let i = 0; i < 20; i++) ids.push(await keeping.send({ body: `Body ${i}` }));
      const server = await startMailServer(t);
      const sending = deskOn(t, keeping.store, { server });
      await sending.work();
      assert.equal(server.received.length, 0);
      assert.equal(await retryAllInState(sending.store, 'kept', () => sending.now), 20);
      const entries = await auditOf(sending.store, 'mail.retry');
      assert.deepEqual(
        entries.map(({ target_key }) => target_key).toSorted(),
        ids.toSorted(),
        'an entry for each',
      );
      assert.ok(entries.every(({ details }) => JSON.parse(details).state === 'kept'));
      await sending.work();
      assert.equal(server.received.length, 20);
      for (const id of ids) assert.equal((await sending.status(id)).status, 'sent');
    });

    it('use a session for many mails, and another when the server has ended it', async (t) => {
      const server = await startMailServer(t);
      const desk = await openMailDesk(t, fresh, { server, smtp: { connections: 1 } });
      for (let i = 0; i < 10; i++) await desk.send({ body: `Body ${i}` });
      await desk.work();
      assert.deepEqual([server.received.length, server.connections], [10, 1]);
      await server.stop();
      await server.start();
      const id = await desk.send({ body: 'later' });
      const { status, attempts } = await desk.after(0, id);
      assert.deepEqual([status, attempts, server.connections], ['sent', 1, 2]);
    });
  });

  describe('addresses in any script', () => {
    it('go to a server that takes them', async (t) => {
      const server = await startMailServer(t);
      const desk = await openMailDesk(t, fresh, { server });
      const { status } = await desk.after(0, await desk.send({ receiverEmail: '漢字@例え.jp' }));
      assert.equal(status, 'sent');
      assert.equal(server.received[0]!.to, '漢字@例え.jp');
    });

    it('fail at once, with the reason, at one that does not', async (t) => {
      const server = await startMailServer(t, { hideSMTPUTF8: true });
      const desk = await openMailDesk(t, fresh, { server });
      const { status, lastReply } = await desk.after(
        0,
        await desk.send({ receiverEmail: '漢字@例え.jp' }),
      );
      assert.equal(status, 'failed');
      assert.match(lastReply!, /SMTPUTF8/);
      const plain = await desk.send({ receiverEmail: 'ascii@例え.jp' });
      assert.equal((await desk.after(0, plain)).status, 'sent');
    });

    it('too large a mail fails at once, with the reason', async (t) => {
      const server = await startMailServer(t, { size: 1_000 });
      const desk = await openMailDesk(t, fresh, { server });
      const { status, lastReply } = await desk.after(
        0,
        await desk.send({ body: 'x'.repeat(5_000) }),
      );
      assert.equal(status, 'failed');
      assert.match(lastReply!, /size/i);
    });
  });
});
