import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { exchange } from '../../../../packages/asmx/test/kit/http.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { issueToken } from '../../src/domain/credentials/tokens.ts';
import { TEST_BINDINGS } from '../kit/bindings.ts';
import { freshDatabase } from '../kit/database.ts';
import { processEnv } from '../kit/fixed.ts';
import { startMailServer } from '../kit/mail-server.ts';
import { TOKEN } from '../kit/service.ts';
import { startWorkers } from '../kit/workers.ts';

/** What one process keeps in its memory, and several must keep together. */
describe('several workers together', () => {
  it('let one address guess credentials hardly more often than one process does', async (t) => {
    const service = await startWorkers(t, await freshDatabase('postgres', t));
    const count = { tokenId: 'no-such-token', userId: 'u', lastFewDays: '0', level: 'all' };
    let guesses = 0;
    // Without telling each other, three workers would let 60 pass. They do so every second.
    for (; guesses < 60; guesses++) {
      await pause(150);
      const { status, headers } = await service.get('countUserPosted', count);
      if (status === 429) {
        assert.ok(Number(headers['retry-after']) > 0);
        break;
      }
    }
    assert.ok(guesses >= 20 && guesses < 60, `${guesses} guesses`);
    // Soon each of them knows: one that had nothing to tell learns of it with its next failure.
    let refused = 0;
    await until(async () => {
      refused = (await service.get('countUserPosted', count)).status === 429 ? refused + 1 : 0;
      return refused === 3;
    });
    assert.equal((await service.get('countUserPosted', { ...count, tokenId: TOKEN })).status, 200);
  });

  it('of 200 right answers to one code take exactly one, and each worker tells of the calls of all', async (t) => {
    const database = await freshDatabase('postgres', t);
    // One worker may get most of the connections, all of one address: none of them is too many.
    const service = await startWorkers(t, database, {
      workers: 2,
      env: processEnv({ databaseQueue: 500 }),
    });
    const phone = { tokenId: TOKEN, userId: 'ada', cellphone: '+12125550100' };
    const code =
      (await TEST_BINDINGS[0]!.call(service.url, 'CreateVerifyCode', phone)).result ?? '';
    assert.match(code, /^\d{6}$/);
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        TEST_BINDINGS[index % TEST_BINDINGS.length]!.call(service.url, 'VerifyCodeForPhone', {
          ...phone,
          VerifyCode: code,
        }),
      ),
    );
    assert.equal(answers.filter(({ status, result }) => status === 200 && result === '').length, 1);
    await service.until(() => service.log('answered').length === 201);
    // Lines of several processes do not mix.
    assert.ok(service.stderr.every((line) => line.startsWith('{') && line.endsWith('}')));
    assert.equal(new Set(service.log('answered').map(({ worker }) => worker)).size, 2);
    const store = await database.open({ guest: true });
    const reader = await issueToken(
      store,
      { kind: 'service', scopes: ['read'], label: 'reads' },
      Date.now,
    );
    const { requestId } = service.log('answered').at(-1)!;
    // Connections are given to the workers in turn.
    for (let worker = 0; worker < 2; worker++) {
      const headers = { Authorization: `Bearer ${reader.text}` };
      const { body } = await exchange(`${service.url}/api/v1/calls/${String(requestId)}`, {
        headers,
      });
      assert.deepEqual(
        JSON.parse(body).items.map((call: { operation: string }) => call.operation),
        ['VerifyCodeForPhone'],
      );
    }
  });

  it('send mails from one worker, and from another one when that has died', async (t) => {
    const server = await startMailServer(t);
    const env = { SMTP_URL: server.url, LOG_LEVEL: 'debug', RATE_LIMITS: 'off' };
    const service = await startWorkers(t, await freshDatabase('postgres', t), { workers: 2, env });
    let serial = 0;
    const send = async (mails: number) => {
      for (const before = serial; serial < before + mails; serial++) {
        const { status } = await service.get('SendEmail', {
          authorizationUserId: TOKEN,
          receiverName: 'Grace',
          receiverEmail: `r${serial}@example.com`,
          subject: 'Subject',
          body: `Body ${serial}`,
        });
        assert.equal(status, 200);
      }
    };
    const senders = () => [
      ...new Set(service.log('message settled').map(({ worker }) => worker as number)),
    ];
    await send(9);
    await service.until(() => service.log('message settled').length === 9);
    const [first = 0, ...others] = senders();
    assert.deepEqual(others, []);
    // By connections in turn, calls went to both of them.
    process.kill(service.workers.get(first)!.pid, 'SIGKILL');
    await service.until(() => service.log('a worker ended and is replaced').length === 1);
    await send(9);
    await service.until(() => service.log('message settled').length === 18);
    assert.equal(senders().length, 2);
    const recipients = server.received.map(({ to }) => to);
    assert.equal(new Set(recipients).size, 18);
    assert.equal(recipients.length, 18);
  });
});
