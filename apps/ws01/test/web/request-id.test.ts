import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HOUR_MS } from '@ws01/asmx/time';
import { words } from '../../../../packages/asmx/src/contract/words.ts';
import { RawConnection } from '../../../../packages/asmx/test/kit/http.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { accessLog } from '../../src/web/access-log.ts';
import { exchange, TEST_BINDINGS } from '../kit/bindings.ts';
import { Clock } from '../kit/clock.ts';
import { ws01 } from '../kit/command.ts';
import { forEachEngine } from '../kit/database.ts';
import { rates } from '../kit/fixed.ts';
import { startHttpGateway } from '../kit/http-gateway.ts';
import { blackPng } from '../kit/images/containers.ts';
import { keptLog } from '../kit/log.ts';
import { startMailServer } from '../kit/mail-server.ts';
import { startService, TOKEN } from '../kit/service.ts';

/** UUIDv7: in the order of time, so that the index of the audit trail by request grows at its end. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f-]{17}$/;
const [, , get, post] = TEST_BINDINGS;

/** What is asked for of a path, and what of it is told in the answer: everything that listens on the port. */
const PATHS = [
  '/WS01.asmx/countIpPosted?tokenId=no-such-token',
  `/WS01.asmx/countIpPosted?tokenId=${TOKEN}&IP=192.0.2.1`,
  '/WS01.asmx',
  '/WS01.asmx?WSDL',
  '/openapi.json',
  '/healthz',
  '/readyz',
  '/readyz?verbose',
  '/s/0000000',
  '/media/none.png',
  '/api/nothing',
  '/',
  '/nowhere',
];

describe('X-Request-Id', () => {
  for (const FAST_PATH of ['on', 'off']) {
    it(`is on every answer, and the one that a trusted proxy gave (FAST_PATH=${FAST_PATH})`, async (t) => {
      const { url } = await startService(t, undefined, { FAST_PATH, TRUSTED_PROXIES: 'loopback' });
      for (const path of PATHS) {
        const own = await exchange(`${url}${path}`);
        assert.match(String(own.headers['x-request-id']), UUID, path);
        const given = await exchange(`${url}${path}`, {
          headers: { 'X-Request-Id': 'Root=1-67891233:ab/c+d@e' },
        });
        assert.equal(given.headers['x-request-id'], 'Root=1-67891233:ab/c+d@e', path);
        for (const bad of ['a b', '<b>', `${'x'.repeat(129)}`, '"']) {
          const answer = await exchange(`${url}${path}`, { headers: { 'X-Request-Id': bad } });
          assert.match(String(answer.headers['x-request-id']), UUID, `${path} ${bad}`);
        }
      }
    });
  }

  it('of anybody else is not believed', async (t) => {
    const { url } = await startService(t);
    for (const path of PATHS) {
      const answer = await exchange(`${url}${path}`, {
        headers: { 'X-Request-Id': 'chosen-by-a-client' },
      });
      assert.match(String(answer.headers['x-request-id']), UUID, path);
    }
  });

  it('goes on to the server behind, in place of what the client sent, and comes back', async (t) => {
    const old = await startHttpGateway(t);
    old.answer = { status: 200, headers: { 'X-Request-Id': 'of-the-old-server' }, body: 'old' };
    const env = { UPSTREAM_URL: `${old.url}/old.asmx` };
    const { url } = await startService(t, undefined, env);
    const answer = await exchange(`${url}/WS01.asmx/OnlyThere`, {
      headers: { 'X-Request-Id': 'chosen-by-a-client' },
    });
    assert.equal(answer.body, 'old');
    assert.match(String(answer.headers['x-request-id']), UUID);
    assert.equal(old.calls[0]?.headers['x-request-id'], answer.headers['x-request-id']);
  });

  forEachEngine((_engine, fresh) => {
    it('is in the log, the audit trail, the mail and the text message of the call', async (t) => {
      const mails = await startMailServer(t);
      const gateway = await startHttpGateway(t);
      const database = await fresh(t);
      const { log, lines } = keptLog();
      const env = {
        SMTP_URL: mails.url,
        SMS_URL: gateway.url,
        SMS_SECRET: 's'.repeat(32),
      };
      const { url } = await startService(t, database, env, log);

      const article = {
        token: TOKEN,
        guid: 'first',
        CreateUserId: 'ada',
        caption: 'Hello',
        content: 'World',
      };
      const written = await post!.call(url, 'InsertArticle', article);
      const id = String(written.headers['x-request-id']);
      const line = lines.find(({ requestId }) => requestId === id);
      assert.deepEqual(
        [line?.msg, line?.operation, line?.status],
        ['answered', 'InsertArticle', 200],
      );
      assert.match(String(line?.tokenId), UUID);
      const { stdout } = await ws01(database, ['audit', 'list', '--request', id, '--json']);
      const [row, ...others] = JSON.parse(stdout);
      assert.deepEqual(
        [row.action, row.targetKey, row.requestId, others.length],
        ['article.create', 'first', id, 0],
      );
      assert.equal(row.tokenId, line?.tokenId);

      const mail = {
        receiverName: 'Grace',
        receiverEmail: 'grace@example.com',
        subject: 'Subject',
        body: 'Body',
      };
      const sent = await post!.call(url, 'SendEmail', { authorizationUserId: TOKEN, ...mail });
      const code = await post!.call(url, 'CreateVerifyCode', {
        tokenId: TOKEN,
        userId: 'ada',
        cellphone: '+12125550100',
      });
      await until(() => mails.received.length > 0 && gateway.calls.length > 0);
      assert.equal(mails.received[0]?.headers.get('x-request-id'), sent.headers['x-request-id']);
      assert.equal(gateway.calls[0]?.headers['x-request-id'], code.headers['x-request-id']);
      const sms = JSON.parse((await ws01(database, ['sms', 'list', '--json'])).stdout);
      assert.equal(sms[0].requestId, code.headers['x-request-id']);
    });
  });
});

describe('the line of a call', () => {
  it('has the limit that a malformed request was over', async (t) => {
    const { log, lines } = keptLog();
    const { app } = await startService(t, undefined, {}, log);
    const connection = await RawConnection.open(t, app.port);
    const head = [
      'POST /WS01.asmx/countIpPosted HTTP/1.1',
      'Host: a',
      'Transfer-Encoding: chunked',
    ];
    connection.send(
      ...head,
      'Content-Type: application/x-www-form-urlencoded',
      '',
      '1\r\nx\r\n'.repeat(4_000),
    );
    assert.equal((await connection.answer()).status, 400);
    const { error, limit } = lines.findLast(({ msg }) => msg === 'answered')!;
    assert.deepEqual([error, limit], ['MalformedRequest', 'chunkOverhead']);
  });

  it('has the name that was asked for, the token, the user and the reason, and no value', async (t) => {
    const { log, lines, text } = keptLog();
    const { url, database } = await startService(t, undefined, { RATE_LIMITS: 'off' }, log);
    const last = () => lines.findLast(({ msg }) => msg === 'answered')!;

    await exchange(`${url}/WS01.asmx/NoSuchOperation?tokenId=${TOKEN}`);
    assert.deepEqual([last().error, last().requested], ['UnknownOperation', 'NoSuchOperation']);
    const soap = {
      method: 'POST',
      headers: { 'Content-Type': 'text/xml', SOAPAction: '"urn:old/Gone"' },
      body: '<a/>',
    };
    await exchange(`${url}/WS01.asmx`, soap);
    assert.deepEqual([last().error, last().requested], ['UnknownOperation', 'urn:old/Gone']);
    await exchange(`${url}/WS01.asmx/a%0A%22token%3D${TOKEN}`);
    assert.equal(last().requested, `(${`a\n"token=${TOKEN}`.length} characters)`);
    await exchange(`${url}/WS01.asmx/${'x'.repeat(5_000)}`);
    assert.equal(last().requested, '(5000 characters)');
    for (const value of [`ws1_${'aB'.repeat(19)}`, 'a3f2504e-4f89-11d3-9a0c-0305e82c3301']) {
      await exchange(`${url}/WS01.asmx/${value}`);
      assert.equal(last().requested, `(${value.length} characters)`, 'it may be a credential');
    }

    await get!.call(url, 'countIpPosted', { tokenId: 'SECRET-7f3a-unknown', IP: '192.0.2.1' });
    assert.deepEqual(
      [last().error, last().reason, last().tokenId],
      ['Unauthenticated', 'unknown or revoked', undefined],
    );

    const made = await ws01(
      database,
      words('token create --label web --scopes counts --user ada --new-user --json'),
    );
    const { id, token } = JSON.parse(made.stdout);
    await post!.call(url, 'InsertArticle', {
      token,
      guid: 'first',
      CreateUserId: 'ada',
      caption: 'SECRET-7f3a',
    });
    assert.deepEqual([last().error, last().tokenId, last().user], ['Forbidden', id, 'ada']);
    assert.match(String(last().reason), /lacks the scope "articles"/);
    await get!.call(url, 'countUserPosted', {
      tokenId: token,
      userId: 'bob',
      lastFewDays: 'SECRET-7f3a',
      level: 'all',
    });
    assert.equal(last().tokenId, id);
    assert.doesNotMatch(text(), /SECRET-7f3a/);
    assert.ok(!text().includes(TOKEN) && !text().includes(token));
  });

  it('comes with another one that says where the time went, of a slow call', async (t) => {
    const { log, lines } = keptLog();
    const { url } = await startService(t, undefined, { fixed: { slowCallMs: 1 } }, log);
    const image = {
      verifyCode: TOKEN,
      FileGuid: 'first',
      FileImg: blackPng(2_000, 2_000).toString('base64'),
      IsIcons: 'false',
    };
    assert.equal((await post!.call(url, 'InsertArticleImageFile', image)).result, 'true');
    const slow = lines.find(({ msg }) => msg === 'slow call');
    assert.deepEqual([slow?.level, slow?.operation], [40, 'InsertArticleImageFile']);
    const [invoked, all] = [Number(slow?.invokeMs), Number(slow?.ms)];
    assert.ok(invoked > 1 && invoked <= all, `${invoked} of ${all} ms`);
    assert.ok(Number(slow?.readMs) > 0 && slow?.writeMs !== undefined);
  });

  it('is counted beyond the rate of lines, which errors of the server never are', async (t) => {
    const { log, lines } = keptLog();
    const clock = new Clock(t);
    const { url } = await startService(
      t,
      undefined,
      { fixed: { logCalls: rates('5/1h')[0] } },
      log,
    );
    const count = { tokenId: TOKEN, IP: '192.0.2.1' };
    for (let call = 0; call < 30; call++) await get!.call(url, 'countIpPosted', count);
    const told = () => lines.filter(({ msg }) => msg === 'answered').length;
    assert.equal(told(), 5);
    clock.pass(HOUR_MS);
    await get!.call(url, 'countIpPosted', count);
    const left = lines.filter(({ msg }) =>
      String(msg).startsWith('lines of answered calls were left out'),
    );
    assert.deepEqual([told(), left.map(({ lines: more }) => more)], [6, [25]]);
  });

  it('is counted beyond 1,000 in 30 s when it says Busy, whatever the rate', () => {
    const { log, lines } = keptLog();
    const tell = accessLog({ log, slowMs: 0, most: undefined });
    const phases = { waitMs: 0, readMs: 0, authorizeMs: 0, invokeMs: 0, writeMs: 0 };
    const call = {
      operation: 'QueryAdvert',
      binding: 'get',
      method: 'GET',
      address: '192.0.2.1',
      durationMs: 1,
      phases,
    };
    const unknown = {
      tokenId: undefined,
      user: undefined,
      parameter: undefined,
      reason: undefined,
      cause: undefined,
    };
    const record = { ...call, ...unknown, status: 503, side: 'server', warnings: [] } as const;
    for (let at = 0; at < 1_500; at++) tell({ ...record, requestId: `${at}`, error: 'Busy' });
    assert.equal(lines.length, 1_000);
    tell({ ...record, requestId: 'other', error: 'Unavailable' });
    assert.equal(lines.length, 1_001);
  });
});
