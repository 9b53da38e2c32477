import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@ws01/asmx/time';
import { until } from '../../../../../packages/asmx/test/kit/until.ts';
import { formatInstant } from '../../../src/contract/lexical.ts';
import { forEachEngine } from '../../kit/database.ts';
import { type MailDesk, NOW, openMailDesk, SECOND } from '../../kit/mail.ts';
import { type Behaviour, startMailServer } from '../../kit/mail-server.ts';

/** Most of their time they wait, each for a server of its own: every greeting takes 100 ms. */
const AT_ONCE = { concurrency: 4 };
const DEFERS: Behaviour = { at: 'RCPT', code: 451, text: '4.7.1 Come back later' };

/** Lets a mail be tried until it is over. @returns how long after its creation each attempt was; ms. */
async function attemptsUntilEnd(desk: MailDesk, id: string): Promise<number[]> {
  const tried: number[] = [];
  for (let round = 0; round < 60; round++) {
    await desk.work();
    tried.push(desk.now - NOW);
    const { status, nextAttemptAt } = await desk.status(id);
    if (status !== 'deferred') return tried;
    desk.now = Date.parse(nextAttemptAt!);
  }
  assert.fail('it never ends');
}

type Status = Awaited<ReturnType<MailDesk['status']>>;

function assertDeferred({ status, lastReply }: Status, reply: RegExp): void {
  assert.equal(status, 'deferred');
  assert.match(lastReply!, reply);
}

forEachEngine((_engine, fresh) => {
  describe('states of a mail, with what the server said', AT_ONCE, () => {
    it('queued, then sent', async (t) => {
      const server = await startMailServer(t);
      const desk = await openMailDesk(t, fresh, { server });
      const id = await desk.send({ receiverEmail: 'Grace@EXAMPLE.com' });
      const queued = await desk.status(id);
      const at = formatInstant(NOW);
      assert.deepEqual(queued, {
        id,
        receiverEmail: 'Grace@example.com',
        receiverName: 'Grace',
        subject: 'Subject',
        status: 'queued',
        attempts: 0,
        createdAt: at,
        nextAttemptAt: at,
        finishedAt: null,
        lastReply: null,
      });
      const sent = await desk.after(SECOND, id);
      assert.deepEqual(sent, {
        ...queued,
        status: 'sent',
        attempts: 1,
        nextAttemptAt: null,
        finishedAt: formatInstant(NOW + SECOND),
        lastReply: '250 OK: message queued',
      });
      assert.deepEqual(
        server.received.map(({ from, to }) => [from, to]),
        [['board@ws01.example', 'Grace@example.com']],
      );
    });

    it('sending, while it is with the server', async (t) => {
      const server = await startMailServer(t);
      server.behave('hang');
      const desk = await openMailDesk(t, fresh, { server });
      const id = await desk.send();
      desk.worker!.wake();
      await until(() => server.read === 1);
      const { status, attempts, nextAttemptAt } = await desk.status(id);
      assert.deepEqual([status, attempts, nextAttemptAt], ['sending', 1, null]);
      await desk.worker!.stop();
    });

    it('deferred, then sent', async (t) => {
      const server = await startMailServer(t);
      server.behave(DEFERS);
      const desk = await openMailDesk(t, fresh, { server });
      const id = await desk.send();
      const deferred = await desk.after(0, id);
      assert.deepEqual(
        [deferred.status, deferred.attempts, deferred.lastReply],
        ['deferred', 1, '451 4.7.1 Come back later'],
      );
      assert.ok(Date.parse(deferred.nextAttemptAt!) - NOW <= 10 * SECOND);
      server.behave('accept');
      assert.equal((await desk.after(5 * SECOND, id)).status, 'deferred');
      const sent = await desk.after(5 * SECOND, id);
      assert.deepEqual([sent.status, sent.attempts], ['sent', 2]);
      assert.equal(server.received.length, 1);
    });

    for (const at of ['MAIL', 'RCPT', 'DATA'] as const) {
      it(`bounced at ${at}: 5xx is final`, async (t) => {
        const server = await startMailServer(t);
        server.behave({ at, code: 554, text: '5.7.1 Not here' });
        const desk = await openMailDesk(t, fresh, { server });
        const id = await desk.send();
        const bounced = await desk.after(0, id);
        assert.deepEqual(
          [bounced.status, bounced.attempts, bounced.lastReply],
          ['bounced', 1, '554 5.7.1 Not here'],
        );
        server.behave('accept');
        assert.equal((await desk.after(2 * HOUR_MS, id)).status, 'bounced');
        assert.equal(server.received.length, 0);
      });
    }

    for (const at of ['MAIL', 'RCPT', 'DATA'] as const)
      for (const code of ['<html>', 999]) {
        it(`deferred at ${at}, then sent: ${code} is no reply of a mail server`, async (t) => {
          const server = await startMailServer(t);
          server.behave({ at, code, text: 'Welcome to the hotel' });
          const desk = await openMailDesk(t, fresh, { server });
          const id = await desk.send();
          const { status, lastReply } = await desk.after(0, id);
          assert.deepEqual([status, lastReply], ['deferred', `${code} Welcome to the hotel`]);
          server.behave('accept');
          assert.equal((await desk.after(10 * SECOND, id)).status, 'sent');
        });
      }

    it('failed, when a day of trying was in vain: waits double to an hour', async (t) => {
      const server = await startMailServer(t);
      server.behave(DEFERS);
      const desk = await openMailDesk(t, fresh, { server });
      const id = await desk.send();
      const tried = await attemptsUntilEnd(desk, id);
      const waits = tried.slice(1).map((at, index) => at - tried[index]!);
      assert.equal(tried.at(-1), DAY_MS);
      assert.ok(waits[0]! <= 10 * SECOND);
      assert.deepEqual(
        waits.slice(0, 9),
        waits.slice(0, 9).map((_, index) => waits[0]! * 2 ** index),
      );
      assert.ok(waits.every((wait) => wait <= HOUR_MS) && waits.at(-2) === HOUR_MS, String(waits));
      const { status, attempts, finishedAt, lastReply } = await desk.status(id);
      assert.deepEqual(
        [status, attempts, lastReply],
        ['failed', tried.length, '451 4.7.1 Come back later'],
      );
      assert.equal(finishedAt, formatInstant(NOW + DAY_MS));
    });

    it('kept, without a mail server', async (t) => {
      const desk = await openMailDesk(t, fresh, {});
      const id = await desk.send();
      const { status, nextAttemptAt, finishedAt } = await desk.status(id);
      assert.deepEqual([status, nextAttemptAt, finishedAt], ['kept', null, null]);
    });
  });

  describe('a server that behaves badly', AT_ONCE, () => {
    it('dropping amid the message: deferred, never bounced, and sent in the end under the same Message-ID', async (t) => {
      const server = await startMailServer(t);
      server.behave('drop-amid');
      const desk = await openMailDesk(t, fresh, { server });
      const id = await desk.send();
      assertDeferred(await desk.after(0, id), /closed|ended|reset/i);
      server.behave('drop-after');
      assert.equal((await desk.after(10 * SECOND, id)).status, 'deferred');
      server.behave('accept');
      assert.equal((await desk.after(20 * SECOND, id)).status, 'sent');
      // Taken once without an acknowledgement, once with: the same message, byte by byte.
      assert.equal(server.received.length, 2);
      assert.equal(server.received[0]!.raw, server.received[1]!.raw);
      assert.equal(server.received[0]!.headers.get('message-id'), `<${id}@ws01.example>`);
    });

    it('hanging: deferred after the timeout, and the other mails go on meanwhile', async (t) => {
      const server = await startMailServer(t);
      server.behave((to) => (to === 'poison@example.com' ? 'hang' : 'accept'));
      const desk = await openMailDesk(t, fresh, { server, timeouts: { message: 5 * SECOND } });
      const poison = await desk.send({ receiverEmail: 'poison@example.com' });
      const others = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          desk.send({ receiverEmail: `r${index}@example.com` }),
        ),
      );
      await desk.work();
      assertDeferred(await desk.status(poison), /time/i);
      for (const id of others) assert.equal((await desk.status(id)).status, 'sent');
    });

    it('greeting slowly: waited for', async (t) => {
      const server = await startMailServer(t, {
        onConnect: (_session, done) => void setTimeout(done, 300),
      });
      const desk = await openMailDesk(t, fresh, { server });
      const id = await desk.send();
      assert.equal((await desk.after(0, id)).status, 'sent');
    });

    it('never greeting: unreachable, and nothing that the mail has done', async (t) => {
      const server = await startMailServer(t, { onConnect: () => {} });
      const desk = await openMailDesk(t, fresh, { server, timeouts: { connect: 200 } });
      assertDeferred(await desk.after(0, await desk.send()), /Greeting never received/);
    });

    it('refusing the greeting for good: the mail is not blamed', async (t) => {
      const server = await startMailServer(t, {
        onConnect: (_session, done) =>
          done(Object.assign(new Error('5.7.1 Go away'), { responseCode: 554 })),
      });
      const desk = await openMailDesk(t, fresh, { server });
      assertDeferred(await desk.after(0, await desk.send()), /^554 /);
    });

    it('refusing our password: the mail is not blamed', async (t) => {
      const server = await startMailServer(t, {
        authOptional: false,
        allowInsecureAuth: true,
        onAuth: (_auth, _session, done) => done(new Error('no')),
      });
      const desk = await openMailDesk(t, fresh, { server, smtp: { user: 'u', password: 'hush' } });
      assertDeferred(await desk.after(0, await desk.send()), /^535 (?!.*hush)/s);
    });

    it('asking for a password that we have not: the mail is not blamed', async (t) => {
      const server = await startMailServer(t, {
        authOptional: false,
        onAuth: (_auth, _session, done) => done(null),
      });
      const desk = await openMailDesk(t, fresh, { server });
      assertDeferred(await desk.after(0, await desk.send()), /^530 /);
    });

    it('offering STARTTLS with a bad certificate: nothing is sent, unless it need not be good', async (t) => {
      const server = await startMailServer(t, { hideSTARTTLS: false });
      const strict = await openMailDesk(t, fresh, { server });
      assertDeferred(await strict.after(0, await strict.send()), /certificate/i);
      assert.equal(server.received.length, 0);
      const lenient = await openMailDesk(t, fresh, { server, smtp: { verify: false } });
      assert.equal((await lenient.after(0, await lenient.send())).status, 'sent');
      assert.equal(server.received[0]!.session.secure, true);
      const plain = await openMailDesk(t, fresh, { server, smtp: { startTls: 'off' } });
      assert.equal((await plain.after(0, await plain.send())).status, 'sent');
      assert.equal(server.received[1]!.session.secure, false);
    });

    it('not offering STARTTLS where it is required: nothing is sent', async (t) => {
      const server = await startMailServer(t, { disabledCommands: ['STARTTLS'] });
      const desk = await openMailDesk(t, fresh, { server, smtp: { startTls: 'required' } });
      assertDeferred(await desk.after(0, await desk.send()), /^5\d\d /);
      assert.equal(server.received.length, 0);
    });
  });

  describe('a server that cannot be reached', AT_ONCE, () => {
    it('is tried at least every 15 s for 10 min, by one mail at a time', async (t) => {
      const server = await startMailServer(t);
      const desk = await openMailDesk(t, fresh, { server });
      await server.stop();
      const ids = [];
      for (let index = 0; index < 10; index++)
        ids.push(await desk.send({ receiverEmail: `r${index}@example.com` }));
      await desk.work();
      const outage = desk.worker!.outage;
      const started = desk.now;
      let probes = 3;
      for (; desk.now - started < 10 * MINUTE_MS; probes++) {
        const wait = outage.reopensAt - desk.now;
        assert.ok(wait > 0 && wait <= 15 * SECOND, `${wait}`);
        desk.now = outage.reopensAt;
        await desk.work();
      }
      const report = await desk.report();
      assert.equal(
        report.reduce((sum, { attempts }) => sum + attempts, 0),
        probes,
      );
      for (const { status, lastReply } of report) {
        if (status === 'deferred') assert.match(lastReply!, /ECONNREFUSED/);
      }
      await server.start();
      desk.now = outage.reopensAt;
      await desk.work();
      desk.now += 15 * SECOND;
      await desk.work();
      for (const id of ids) assert.equal((await desk.status(id)).status, 'sent');
      assert.equal(server.received.length, 10);
      assert.deepEqual(
        desk.events.filter(({ kind }) => kind !== 'settled').map(({ kind }) => kind),
        ['unreachable', 'reachable'],
      );
    });

    it('does not lengthen the waits of the mails', async (t) => {
      const server = await startMailServer(t);
      const desk = await openMailDesk(t, fresh, { server });
      await server.stop();
      const id = await desk.send();
      for (let round = 0; round < 20; round++) await desk.after(15 * SECOND, id);
      await server.start();
      server.behave(DEFERS);
      const { nextAttemptAt, lastReply } = await desk.after(15 * SECOND, id);
      assert.equal(lastReply, '451 4.7.1 Come back later');
      assert.ok(Date.parse(nextAttemptAt!) - desk.now <= 10 * SECOND);
    });

    it('is given up after a day', async (t) => {
      const server = await startMailServer(t);
      const desk = await openMailDesk(t, fresh, { server });
      await server.stop();
      const id = await desk.send();
      await desk.work();
      const { status, lastReply } = await desk.after(DAY_MS, id);
      assert.equal(status, 'failed');
      assert.match(lastReply!, /ECONNREFUSED/);
    });
  });
});
