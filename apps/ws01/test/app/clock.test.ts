import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import { it } from 'node:test';
import { DAY_MS, HOUR_MS } from '@ws01/asmx/time';
import { originOf } from '../../../../packages/asmx/test/kit/listen.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { JSON_BINDING } from '../kit/bindings.ts';
import { Clock } from '../kit/clock.ts';
import { forEachEngine } from '../kit/database.ts';
import { keptLog } from '../kit/log.ts';
import { startMailServer } from '../kit/mail-server.ts';
import { startService, type TestService, TOKEN } from '../kit/service.ts';

const SECOND = 1_000;
const PHONE = '+12125550100';
const LATER = { at: 'DATA', code: 451, text: 'later' } as const;

async function ask(service: TestService, method: string, path: string, body?: object) {
  const headers = { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await fetch(`${service.url}/api/v1${path}`, { method, headers, ...sent });
  return JSON.parse(await answer.text());
}

forEachEngine((_engine, fresh) => {
  it('a clock that is set back or forward, before a restart and in between, lengthens no code and delays no mail', async (t) => {
    const database = await fresh(t);
    const mails = await startMailServer(t);
    const clock = new Clock(t);
    const { log, lines } = keptLog();
    const start = () =>
      startService(t, database, { SMTP_URL: mails.url, MAIL_FROM: 'a@example.com' }, log);
    let service = await start();
    const holder = { tokenId: TOKEN, userId: 'ada', cellphone: PHONE };
    const create = async () =>
      (await JSON_BINDING.call(service.url, 'CreateVerifyCode', holder)).result!;
    const verify = async (VerifyCode: string) =>
      (await JSON_BINDING.call(service.url, 'VerifyCodeForPhone', { ...holder, VerifyCode }))
        .result!;
    const waits = async (subject: string) => {
      mails.behave(LATER);
      const receiverEmail = 'b@example.com';
      const mail = {
        authorizationUserId: TOKEN,
        receiverEmail,
        subject,
        body: `body of ${subject}`,
      };
      const { status, body } = await JSON_BINDING.call(service.url, 'SendEmail', mail);
      assert.equal(status, 200, body);
    };
    const arrives = async (subject: string) => {
      mails.behave('accept');
      await until(
        () => mails.received.some(({ headers }) => headers.get('subject') === subject),
        () => `${subject} to arrive`,
      );
    };

    const first = await create();
    await waits('set back');
    clock.set(-2 * HOUR_MS);
    await arrives('set back');
    await until(() =>
      lines.some(({ msg }) => /the clock of the machine was set back/.test(String(msg))),
    );
    clock.pass(181 * SECOND);
    assert.match(await verify(first), /^CodeExpired/);

    const second = await create();
    await waits('over a restart');
    await service.app.stop();
    service = await start();
    assert.equal(await verify(second), '');
    await arrives('over a restart');
    const third = await create();
    clock.pass(181 * SECOND);
    assert.match(await verify(third), /^CodeExpired/);

    clock.set(5 * HOUR_MS);
    const fourth = await create();
    assert.equal(await verify(fourth), '');
    const fifth = await create();
    await waits('set forward');
    clock.set(HOUR_MS);
    assert.match(await verify(fifth), /^CodeExpired/);
    await arrives('set forward');

    const sixth = await create();
    await waits('from another week');
    await service.app.stop();
    clock.set(-7 * DAY_MS);
    service = await start();
    assert.match(await verify(sixth), /^CodeNotFound/);
    await arrives('from another week');

    const ready = async () => (await fetch(`${service.url}/readyz`)).text();
    assert.equal(await ready(), 'ready\n');
    await service.app.stop();
    clock.set(9 * 365 * DAY_MS);
    service = await start();
    await until(async () => (await ready()) === 'degraded: purge\n');
    assert.ok(
      lines.some(
        ({ msg, days }) =>
          /^nothing is purged: .* run ws01 purge --trust-clock/.test(String(msg)) && days === 3285,
      ),
    );
    await service.app.stop();
    clock.set(-9 * 365 * DAY_MS);
    service = await start();
    await until(async () => (await ready()) === 'ready\n');
  });

  it('a webhook is signed with the time of the machine, also where its clock was set back', async (t) => {
    const database = await fresh(t);
    const { promise: called, resolve } = Promise.withResolvers<IncomingMessage>();
    const receiver = createServer((request, response) => {
      resolve(request);
      response.end();
    });
    const clock = new Clock(t);
    const service = await startService(t, database, { WEBHOOK_NETWORKS: '127.0.0.0/8' });
    clock.set(-HOUR_MS);
    const url = `${await originOf(t, receiver)}/`;
    const { id } = (await ask(service, 'POST', '/webhooks', { url })).item;
    await ask(service, 'POST', `/webhooks/${id}/test`);
    const { headers } = await called;
    const sent = Number(headers['webhook-timestamp']) * SECOND;
    assert.ok(Math.abs(Date.now() - sent) < HOUR_MS / 2, new Date(sent).toISOString());
  });

  it('a webhook that was retried by a clock days ahead waits between its attempts once it is right', async (t) => {
    const database = await fresh(t);
    const receiver = createServer((_request, response) => {
      response.writeHead(500).end();
    });
    const url = `${await originOf(t, receiver)}/`;
    const clock = new Clock(t);
    const start = () => startService(t, database, { WEBHOOK_NETWORKS: '127.0.0.0/8' });
    let service = await start();
    const failed = async (id: string) => {
      const { items } = await ask(service, 'GET', `/deliveries?webhookId=${id}`);
      return items.find(({ lastReply }: { lastReply: unknown }) => lastReply === 'HTTP 500');
    };

    clock.set(7 * DAY_MS);
    const { id } = (await ask(service, 'POST', '/webhooks', { url, types: ['article.*'] })).item;
    await ask(service, 'POST', `/webhooks/${id}/retry`);
    await service.app.stop();
    clock.set(-7 * DAY_MS);
    service = await start();
    clock.stop();
    await JSON_BINDING.call(service.url, 'InsertArticle', {
      ...{ token: TOKEN, guid: 'a', caption: 'A', CreateUserId: 'ada' },
    });
    await until(
      async () => (await failed(id)) !== undefined,
      () => 'the first attempt',
    );
    const { attempts, nextAttemptAt, status } = await failed(id);
    assert.deepEqual([attempts, status], [1, 'deferred']);
    assert.ok(Date.parse(nextAttemptAt) > Date.now(), nextAttemptAt);
    clock.goOn();
  });
});
