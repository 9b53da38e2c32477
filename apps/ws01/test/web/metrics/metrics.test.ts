import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '../../../../../packages/asmx/test/kit/until.ts';
import { TEST_BINDINGS } from '../../kit/bindings.ts';
import { forEachEngine, freshDatabase } from '../../kit/database.ts';
import { startHttpGateway } from '../../kit/http-gateway.ts';
import { blackPng } from '../../kit/images/containers.ts';
import { keptLog } from '../../kit/log.ts';
import { startMailServer } from '../../kit/mail-server.ts';
import { metricsUrl, Scrape } from '../../kit/scrape.ts';
import { startService, TOKEN } from '../../kit/service.ts';
import { lives, type ServiceOfWorkers, startWorkers } from '../../kit/workers.ts';

const [soap11, , get, post] = TEST_BINDINGS;
const COUNT = { tokenId: TOKEN, IP: '192.0.2.1' };

/** Scrapes until something is so. */
async function scrapeUntil(url: string, holds: (scrape: Scrape) => boolean): Promise<Scrape> {
  let scrape = await Scrape.of(url);
  await until(
    async () => {
      scrape = await Scrape.of(url);
      return holds(scrape);
    },
    () => scrape.text,
  );
  return scrape;
}

describe('METRICS_PORT', () => {
  it('opens /metrics on loopback: calls, errors by code and fault, durations, lossy calls', async (t) => {
    const { log, lines } = keptLog();
    const { url } = await startService(
      t,
      await freshDatabase('sqlite', t),
      { METRICS_PORT: '0' },
      log,
    );
    const metrics = metricsUrl(lines);
    assert.match(metrics, /^http:\/\/127\.0\.0\.1:/);

    for (const binding of TEST_BINDINGS) await binding.call(url, 'countIpPosted', COUNT);
    await soap11!.call(url, 'countIpPosted', { ...COUNT, tokenId: 'a-secret-of-a-caller' });
    await get!.call(url, 'NoSuchOperation', {});
    const latin = Buffer.from(
      `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><countIpPosted xmlns="urn:ws01"><tokenId>${TOKEN}</tokenId><IP>192.0.2.1</IP><level>caf\xe9</level></countIpPosted></e:Body></e:Envelope>`,
      'latin1',
    );
    await fetch(`${url}/WS01.asmx`, {
      method: 'POST',
      headers: { 'Content-Type': 'text/xml' },
      body: latin,
    });

    const response = await fetch(metrics);
    const scrape = new Scrape(await response.text());
    assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
    assert.equal(scrape.value('ws01_calls_total{operation="countIpPosted",binding="get"}'), 1);
    assert.equal(
      scrape.value('ws01_call_duration_seconds_count{operation="countIpPosted",binding="get"}'),
      1,
    );
    assert.equal(scrape.value('ws01_errors_total{code="Unauthenticated",fault="client"}'), 1);
    assert.equal(scrape.value('ws01_errors_total{code="UnknownOperation",fault="client"}'), 1);
    assert.equal(scrape.value('ws01_calls_total{operation="none",binding="get"}'), 1);
    assert.equal(
      scrape.value('ws01_calls_lossy_total{operation="countIpPosted",binding="soap11"}'),
      1,
    );
    assert.ok(scrape.value('nodejs_eventloop_lag_seconds') !== undefined);
    assert.doesNotMatch(scrape.text, /a-secret-of-a-caller|192\.0\.2\.1|NoSuchOperation/);

    assert.equal((await fetch(metrics.replace('/metrics', '/'))).status, 404);
    assert.equal((await fetch(`${url}/metrics`)).status, 404, 'not on the port of the service');
  });

  forEachEngine((engine, fresh) => {
    it('tells what mails and codes come to, and the state of the database and the caches', async (t) => {
      const mails = await startMailServer(t);
      const gateway = await startHttpGateway(t);
      const { log, lines } = keptLog();
      const env = {
        METRICS_PORT: '0',
        SMTP_URL: mails.url,
        SMS_URL: gateway.url,
        SMS_SECRET: 's'.repeat(32),
      };
      const { url } = await startService(t, await fresh(t), env, log);
      const metrics = metricsUrl(lines);

      const mail = {
        authorizationUserId: TOKEN,
        receiverName: 'Grace',
        subject: 'Subject',
        body: 'Body',
      };
      const sent = await post!.call(url, 'SendEmail', {
        ...mail,
        receiverEmail: 'grace@example.com',
      });
      assert.equal(sent.status, 200, sent.body);
      const phone = { tokenId: TOKEN, userId: 'ada', cellphone: '+12125550100' };
      assert.equal((await post!.call(url, 'CreateVerifyCode', phone)).status, 200);
      await until(() => gateway.calls.length > 0);
      const code = /\b\d{6}\b/.exec(gateway.calls[0]?.body ?? '')?.[0];
      const wrong = code === '000000' ? '000001' : '000000';
      for (const answer of [wrong, code]) {
        await post!.call(url, 'VerifyCodeForPhone', { ...phone, VerifyCode: answer });
      }
      const scrape = await scrapeUntil(
        metrics,
        (one) =>
          one.value('ws01_outbox_attempts_total{kind="mail",outcome="sent"}') === 1 &&
          one.value('ws01_outbox_messages{kind="mail",state="sent"}') === 1 &&
          one.value('ws01_outbox_messages{kind="sms",state="sent"}') === 1 &&
          // On a busy machine something may wait for a moment.
          (engine === 'postgres'
            ? one.value('ws01_database_waiting') === 0
            : one.value('ws01_scans_total')! > 0),
      );
      assert.deepEqual(
        ['created', 'sent', 'wrong', 'verified', 'expired', 'undeliverable'].map((event) =>
          scrape.value(`ws01_phone_codes_total{event="${event}"}`),
        ),
        [1, 1, 1, 1, 0, 0],
      );
      assert.equal(scrape.value('ws01_outbox_messages{kind="mail",state="queued"}'), 0);
      assert.equal(scrape.value('ws01_outbox_oldest_seconds{kind="mail"}'), 0);
      assert.equal(scrape.value('ws01_outbox_unreachable{kind="mail"}'), 0);
      assert.equal(scrape.value('ws01_health{part="database"}'), 0);
      assert.ok(scrape.value('ws01_cache_lookups_total{cache="tokens",result="hit"}')! > 0);
      assert.ok(scrape.value('ws01_database_writes_total')! > 0);
      assert.ok(scrape.value('ws01_disk_free_bytes')! > 0);
      if (engine === 'sqlite') {
        assert.equal(
          scrape.value('ws01_commit_writes_count'),
          scrape.value('ws01_database_commits_total'),
          'each commit is observed',
        );
        assert.ok(scrape.value('ws01_wal_bytes')! > 0);
        assert.ok(scrape.value('ws01_scan_busy_seconds_total')! > 0);
      } else {
        assert.equal(scrape.value('ws01_database_connections{state="limit"}'), 10);
      }

      // Nobody is there to take it any more: it waits, and grows old.
      await mails.stop();
      await post!.call(url, 'SendEmail', { ...mail, receiverEmail: 'bob@example.com' });
      await scrapeUntil(
        metrics,
        (one) =>
          one.value('ws01_outbox_unreachable{kind="mail"}') === 1 &&
          one.value('ws01_outbox_oldest_seconds{kind="mail"}')! > 0 &&
          one.value('ws01_health{part="mail"}') === 1,
      );
    });
  });

  it('counts decoded images and calls that are passed on', async (t) => {
    const old = await startHttpGateway(t);
    const { log, lines } = keptLog();
    const env = {
      METRICS_PORT: '0',
      UPSTREAM_URL: `${old.url}/old.asmx`,
    };
    const { url } = await startService(t, undefined, env, log);
    const FileImg = blackPng(8, 8).toString('base64');
    const image = { verifyCode: TOKEN, FileGuid: 'first', FileImg, IsIcons: 'false' };
    assert.equal((await soap11!.call(url, 'InsertArticleImageFile', image)).result, 'true');
    assert.equal((await get!.call(url, 'OnlyThere', {})).status, 200);
    const scrape = await scrapeUntil(
      metricsUrl(lines),
      (one) => one.value('ws01_images_total{result="done"}') === 1,
    );
    assert.equal(scrape.value('ws01_upstream_duration_seconds_count{status="2xx"}'), 1);
    assert.equal(scrape.value('ws01_images_working'), 0);
    assert.doesNotMatch(scrape.text, /OnlyThere/);
  });

  it('adds up the workers of one service, the ended ones too', async (t) => {
    const service = await startWorkers(t, await freshDatabase('postgres', t), {
      workers: 2,
      env: { METRICS_PORT: '0' },
    });
    await service.until(() => service.log('metrics are served').length === 1);
    const metrics = metricsUrl(service.log());
    await call(service, 12);
    const calls = 'ws01_calls_total{operation="countIpPosted",binding="get"}';
    const before = await Scrape.of(metrics);
    assert.equal(before.value(calls), 12);
    assert.equal(
      before.value('ws01_database_connections{state="limit"}'),
      8,
      'a pool of 4 in each of 2',
    );
    assert.equal(
      before.value('ws01_outbox_messages{kind="mail",state="queued"}'),
      0,
      'told by one of them',
    );

    // Killed: what was scraped last stays. Told to end: it says it itself.
    const [killed, ended] = [...service.workers.values()].map(({ pid }) => pid);
    process.kill(killed!, 'SIGKILL');
    await service.until(() => !lives(killed!) && service.workers.size === 3);
    await call(service, 12);
    process.kill(ended!, 'SIGTERM');
    await service.until(() => !lives(ended!) && service.workers.size === 4);
    await call(service, 12);
    assert.equal((await Scrape.of(metrics)).value(calls), 36);
  });
});

async function call(service: ServiceOfWorkers, times: number): Promise<void> {
  for (let made = 0; made < times; made++) {
    const { status } = await service.get('countIpPosted', {
      ...COUNT,
      lastFewDays: '0',
      level: 'all',
    });
    assert.equal(status, 200);
  }
}
