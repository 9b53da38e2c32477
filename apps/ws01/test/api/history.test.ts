import assert from 'node:assert/strict';
import { it } from 'node:test';
import { DAY_MS, HOUR_MS } from '@ws01/asmx/time';
import { exchange } from '../../../../packages/asmx/test/kit/http.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import type { History } from '../../src/api/history-route.ts';
import { loadConfig, retentionDays } from '../../src/config/config.ts';
import { SCOPES } from '../../src/contract/parameters.ts';
import { WS01 } from '../../src/contract/service.ts';
import { reportOf } from '../../src/domain/calls/report.ts';
import { issueToken } from '../../src/domain/credentials/tokens.ts';
import { purgesOf } from '../../src/domain/retention/retention.ts';
import { changes } from '../../src/store/schema/changes.ts';
import { type ApiDesk, askAsOwner, callOperation, openApiDesk } from '../kit/api.ts';
import { JSON_BINDING } from '../kit/bindings.ts';
import { countAt } from '../kit/call-counts.ts';
import { stopWall } from '../kit/clock.ts';
import { forBothEngines, forEachEngine } from '../kit/database.ts';
import { startHttpGateway } from '../kit/http-gateway.ts';
import { blackPng } from '../kit/images/containers.ts';
import { startService } from '../kit/service.ts';

/** The history of a service, or of one of its lists, as an owner reads it at an address. */
const reader = (desk: ApiDesk, url: string) => async (path: string) => {
  const headers = { Authorization: `Bearer ${desk.tokens.manage}` };
  const { body, status } = await exchange(`${url}/api/v1${path}`, { method: 'GET', headers });
  assert.equal(status, 200, body);
  return JSON.parse(body);
};

const RANGES = { '1h': 60, '24h': 96, '7d': 168, '30d': 120, '90d': 90 };

forBothEngines((engine, fresh) => {
  it('calls, errors by code and failed calls are in the database: of all nodes, also after a restart', async (t) => {
    const desk = await openApiDesk(t, fresh);
    const insert = (guid: string) =>
      callOperation(desk, 'InsertArticle', { guid, caption: 'x', CreateUserId: 'ada' });
    await insert('one');
    await insert('two');
    const stolen = await JSON_BINDING.call(desk.url, 'InsertArticle', {
      ...{ token: 'a-wrong-token', guid: 'one', caption: 'a secret caption' },
    });
    await JSON_BINDING.call(desk.url, 'QueryAdvert', { userId: 'ada', pagesize: 'many-pages' });
    const damaged = blackPng(300, 300).fill(7, 50, 70);
    for (const [FileGuid, file] of Object.entries({ photo: Buffer.from('no picture'), damaged }))
      await callOperation(desk, 'InsertArticleImageFile', {
        ...{ FileGuid, FileImg: file.toString('base64'), Link_Guid: 'one', category: '' },
      });
    if (engine === 'postgres') {
      const node = await startService(t, desk.service.database);
      await callOperation({ ...desk, url: node.url }, 'InsertArticle', {
        ...{ guid: 'three', caption: 'x', CreateUserId: 'ada' },
      });
      await node.app.stop();
    } else await insert('three');
    // The stop writes what is not written yet.
    await desk.service.app.stop();
    const again = await startService(t, desk.service.database);
    const get = reader(desk, again.url);

    const report = await get('/history');
    assert.deepEqual(
      report.operations.map((one: Record<string, unknown>) =>
        ['operation', 'binding', 'calls', 'clientErrors', 'serverErrors'].map((name) => one[name]),
      ),
      [
        ['InsertArticle', 'json', 4, 1, 0],
        ['InsertArticleImageFile', 'json', 2, 2, 0],
        ['QueryAdvert', 'json', 1, 1, 0],
      ],
    );
    assert.deepEqual(report.errors, [
      { error: 'ImageTypeRefused', calls: 1 },
      { error: 'ImageUnreadable', calls: 1 },
      { error: 'InvalidParameter', calls: 1 },
      { error: 'Unauthenticated', calls: 1 },
    ]);
    assert.ok(report.operations[0].p95 > 0 && report.operations[0].mean > 0);
    for (const [range, slots] of Object.entries(RANGES)) {
      const one = await get(`/history?range=${range}&operation=InsertArticle`);
      const sum = (of: 'calls' | 'errors') =>
        one.slots.reduce((total: number, slot: Record<string, number>) => total + slot[of]!, 0);
      assert.deepEqual([one.slots.length, sum('calls'), sum('errors')], [slots, 4, 1], range);
    }

    const { items } = await get('/failures');
    const shown = (item: Record<string, unknown>) =>
      ['operation', 'error', 'parameter', 'targetKind', 'targetKey'].map((name) => item[name]);
    // What a decoder said of a file stays in the log: it names the file's place on the server.
    assert.deepEqual(
      items.slice(0, 2).map(({ reason }: Record<string, unknown>) => reason),
      [null, 'The file is no JPEG, PNG, GIF, WebP, AVIF or HEIC.'],
    );
    assert.deepEqual(items.map(shown), [
      ['InsertArticleImageFile', 'ImageUnreadable', 'FileImg', 'image', 'damaged'],
      ['InsertArticleImageFile', 'ImageTypeRefused', 'FileImg', 'image', 'photo'],
      ['QueryAdvert', 'InvalidParameter', 'pagesize', 'user', 'ada'],
      ['InsertArticle', 'Unauthenticated', 'token', 'article', 'one'],
    ]);
    assert.doesNotMatch(JSON.stringify(items), /many-pages|wrong-token|secret caption/);
    const requestId = String(stolen.headers['x-request-id']);
    for (const filter of [
      `requestId=${requestId}`,
      'error=Unauthenticated',
      'targetKey=one',
      'operation=InsertArticle',
      `operation=InsertArticle&binding=json&createdFrom=${report.slots[0].from}&createdTo=${report.slots.at(-1).to}`,
    ])
      assert.deepEqual((await get(`/failures?${filter}`)).items.map(shown), [shown(items.at(-1)!)]);
    const [call] = (await get(`/calls/${requestId}`)).items;
    assert.deepEqual(
      [call.operation, call.error, call.status],
      ['InsertArticle', 'Unauthenticated', 403],
    );
  });

  it('the days of a database that had counts by quarter alone are made of these', async (t) => {
    stopWall(t);
    const store = await (await fresh(t)).open();
    const today = Date.now() - (Date.now() % DAY_MS);
    const at = [
      ...[0, 6, 12, 18].map((hours) => today - 2 * DAY_MS + (hours * DAY_MS) / 24),
      today,
    ];
    await store.write(async (tx) => {
      for (const [index, time] of at.entries())
        for (const error of ['', 'NotFound'])
          await tx
            .insertInto('call_counts')
            .values({ ...countAt('quarter-day', time), calls: 10 ** index, error })
            .execute();
      await changes.find(({ name }) => name === '0058_count_days')!.up(tx);
    });
    const { slots, errors } = await askAsOwner<History>(store, '/history?range=90d');
    assert.deepEqual(
      [...slots.slice(-3).map((slot) => [slot.calls, slot.errors]), errors],
      [[2_222, 1_111], [0, 0], [20_000, 10_000], [{ error: 'NotFound', calls: 11_111 }]],
    );
  });

  it('each slot has the calls of the slot as far on in the time before; for 90 days none is kept', async (t) => {
    const store = await (await fresh(t)).open();
    const LENGTHS = {
      '1h': ['minute', 60_000],
      '24h': ['quarter', 900_000],
      '7d': ['hour', HOUR_MS],
      '30d': ['quarter-day', DAY_MS / 4],
    } as const;
    const now = Date.now();
    await store.write((tx) =>
      tx
        .insertInto('call_counts')
        .values(
          Object.entries(LENGTHS).flatMap(([range, [step, slotMs]]) => {
            const present = Math.floor(now / slotMs) * slotMs;
            const span = slotMs * RANGES[range as keyof typeof LENGTHS];
            return [
              countAt(step, present, 1),
              countAt(step, present - span, 20),
              { ...countAt(step, present - span, 300), operation: 'B' },
              countAt(step, present - 2 * span, 4_000),
            ];
          }),
        )
        .execute(),
    );
    for (const range of Object.keys(LENGTHS) as (keyof typeof LENGTHS)[]) {
      const all = await store.read((db) => reportOf(db, range, undefined, now));
      assert.deepEqual([all.slots.at(-1)?.calls, all.before?.at(-1)], [1, 320], range);
      assert.equal(
        all.before?.reduce((sum, count) => sum + count, 0),
        320,
        range,
      );
      const one = await store.read((db) => reportOf(db, range, 'B', now));
      assert.deepEqual([one.slots.at(-1)?.calls, one.before?.at(-1)], [0, 300], range);
    }
    assert.equal((await store.read((db) => reportOf(db, '90d', undefined, now))).before, undefined);
  });

  it('each slot has how long its calls took; one without a call has no time', async (t) => {
    const store = await (await fresh(t)).open();
    const now = Date.now();
    const present = Math.floor(now / 60_000) * 60_000;
    await store.write((tx) =>
      tx
        .insertInto('call_counts')
        .values([
          { ...countAt('minute', present, 19), us: 19_000, ms_2: 19 },
          { ...countAt('minute', present, 2), operation: 'B', us: 401_000, ms_500: 2 },
        ])
        .execute(),
    );
    const { slots } = await store.read((db) => reportOf(db, '1h', undefined, now));
    assert.deepEqual(slots.at(-1), { calls: 21, errors: 0, mean: 20, p95: 500 });
    assert.deepEqual(slots[0], { calls: 0, errors: 0, mean: undefined, p95: undefined });
    const one = await store.read((db) => reportOf(db, '1h', 'A', now));
    assert.deepEqual(one.slots.at(-1), { calls: 19, errors: 0, mean: 1, p95: 2 });
  });

  it('counts by short steps are purged after three days, by long ones after 90, failed calls after 30', async (t) => {
    const store = await (await fresh(t)).open();
    const now = Date.now();
    const key = (days: number) => {
      const time = (now - days * DAY_MS).toString(16).padStart(12, '0');
      return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
    };
    const failed = (days: number) => ({
      ...{
        id: key(days),
        at: now - days * DAY_MS,
        request_id: 'r',
        operation: 'A',
        binding: 'json',
      },
      ...{ status: 400, error: 'InvalidParameter', us: 1, address: '192.0.2.1' },
    });
    await store.write(async (tx) => {
      const short = (['minute', 'quarter'] as const).map((step) => [
        countAt(step, now - 2 * DAY_MS),
        countAt(step, now - 4 * DAY_MS),
      ]);
      const long = (['hour', 'quarter-day', 'day'] as const).map((step) => [
        countAt(step, now - 89 * DAY_MS),
        countAt(step, now - 91 * DAY_MS),
      ]);
      await tx
        .insertInto('call_counts')
        .values([...short, ...long].flat())
        .execute();
      await tx
        .insertInto('failed_calls')
        .values([failed(29), failed(32)])
        .execute();
    });
    const purges = purgesOf(retentionDays(loadConfig({})));
    const mine = purges.filter(({ name }) => name === 'call-counts' || name === 'failed-calls');
    const counted = await store.read(async (db) => {
      const rows = [];
      for (const purge of mine) rows.push((await purge.count(db, now)).rows);
      return rows;
    });
    assert.deepEqual(counted, [5, 1]);
    const removed = [];
    for (const purge of mine) removed.push(await purge.run(store, now));
    assert.deepEqual(removed, [5, 1]);
    const left = await store.read((db) =>
      db.selectFrom('call_counts').select(['step', 'at']).orderBy('step').execute(),
    );
    assert.deepEqual(
      left.map(({ step, at }) => [step, (now - Number(at)) / DAY_MS]),
      [
        ['day', 89],
        ['hour', 89],
        ['minute', 2],
        ['quarter', 2],
        ['quarter-day', 89],
      ],
    );
  });
});

forEachEngine((_engine, fresh) => {
  it('a failed call keeps what its caller was told, and nothing of what was sent', async (t) => {
    const desk = await openApiDesk(t, fresh);
    const told = new Map<string, string>();
    const owner = { kind: 'service', scopes: SCOPES, label: '' } as const;
    const { text } = await issueToken(desk.store, owner, Date.now);
    const call = (operation: string, params: Readonly<Record<string, string>>) => {
      const { parameters } = WS01.operations.find(({ name }) => name === operation)!;
      const secret = parameters.find(({ credential }) => credential);
      const credential = secret === undefined ? {} : { [secret.name]: text };
      return JSON_BINDING.call(desk.url, operation, { ...credential, ...params });
    };
    for (const { name, parameters } of WS01.operations)
      for (const { name: wrong } of parameters) {
        // The quotation marks within are no end of a quotation.
        const { headers } = await call(name, { [wrong]: `zq"7, '${wrong}' <zq@` });
        const [{ error, reason, parameter }] = (await desk.get(`/calls/${headers['x-request-id']}`))
          .body.items;
        assert.doesNotMatch(String(reason), /zq/, `${name} ${wrong}`);
        if (error !== null) told.set(`${name} ${parameter}`, reason);
      }
    assert.equal(
      told.get('QueryAdvert pagesize'),
      'pagesize: "…" is not a whole number; write decimal digits with an optional sign, like 20.',
    );
    // A client that takes one for the other.
    const swapped = await call('DeleteArticleByGuid', { token: 'first', guid: text });
    const { body } = await desk.get(`/calls/${swapped.headers['x-request-id']}`);
    assert.equal(body.items[0].error, 'Unauthenticated');
    await call('CreateVerifyCode', { userId: 'ada', cellphone: '55' });
    await call('countUserPosted', { userId: 'ada', lastFewDays: '98765' });
    await desk.service.app.stop();
    const kept = await desk.store.read((db) =>
      db.selectFrom('failed_calls').select(['operation', 'reason']).orderBy('id', 'desc').execute(),
    );
    const reasonOf = (operation: string) =>
      kept.find((one) => one.operation === operation)?.reason ?? '';
    assert.match(reasonOf('CreateVerifyCode'), /^cellphone must have 5 to 15 digits, not 2; write/);
    assert.match(
      reasonOf('countUserPosted'),
      /^lastFewDays is …; give a whole number of days from 0/,
    );
    assert.doesNotMatch(JSON.stringify(kept), /zq|98765/);
    const targets = await desk.store.read((db) =>
      db.selectFrom('failed_calls').select('target_key').execute(),
    );
    assert.ok(targets.every(({ target_key }) => target_key !== text));
  });

  it('of a flood of calls that fail alike all are counted and some are kept', async (t) => {
    const desk = await openApiDesk(t, fresh);
    const fail = () => JSON_BINDING.call(desk.url, 'QueryAdvert', { userId: 'ada', pagesize: 'x' });
    for (let round = 0; round < 10; round++) await Promise.all(Array.from({ length: 30 }, fail));
    await desk.service.app.stop();
    const counted = await desk.store.read((db) =>
      db
        .selectFrom('call_counts')
        .select((eb) => eb.fn.sum('calls').as('calls'))
        .where('step', '=', 'hour')
        .where('error', '=', 'InvalidParameter')
        .executeTakeFirstOrThrow(),
    );
    assert.equal(Number(counted.calls), 300);
    const kept = await desk.store.read((db) =>
      db.selectFrom('failed_calls').select('more_alike').execute(),
    );
    assert.ok(kept.length >= 10 && kept.length < 300, `${kept.length} are kept`);
    const others = kept.reduce((sum, { more_alike }) => sum + Number(more_alike), 0);
    assert.equal(kept.length + others, 300, 'those that are kept stand for all');
    const again = await startService(t, desk.service.database);
    const { items } = await reader(desk, again.url)('/failures?limit=100');
    const told = items.map(({ moreAlike }: Record<string, unknown>) => moreAlike);
    assert.deepEqual(told.toSorted(), kept.map((row) => Number(row.more_alike)).toSorted());
  });

  it('a delivery shows each attempt with its status and answer, and is sent again', async (t) => {
    const receiver = await startHttpGateway(t);
    receiver.answer = { status: 410, body: `no room ${'x'.repeat(3_000)}` };
    const desk = await openApiDesk(t, fresh, { WEBHOOK_NETWORKS: '127.0.0.0/8' });
    const hook = { url: `${receiver.url}/hook`, types: ['article.*'], label: 'CRM' };
    const { id } = (await desk.post('/webhooks', hook)).body.item;
    await callOperation(desk, 'InsertArticle', { guid: 'one', caption: 'x', CreateUserId: 'ada' });
    const find = async (status: string) =>
      (await desk.get(`/deliveries?webhookId=${id}&status=${status}`)).body.items[0];
    await until(async () => (await find('bounced')) !== undefined);
    const failed = await find('bounced');
    assert.deepEqual(
      ['type', 'targetKind', 'targetKey', 'webhook', 'answerStatus', 'attempts'].map(
        (name) => failed[name],
      ),
      ['article.create', 'article', 'one', 'CRM', 410, 1],
    );
    assert.equal('tries' in failed, false, 'lists do without');
    const triesOf = async () =>
      Object.entries((await desk.get(`/deliveries/${failed.id}`)).body.tries as object);
    const [[at, said]] = (await triesOf()) as [[string, string]];
    assert.ok(Date.parse(at) > Date.now() - 600_000);
    assert.match(said, /^HTTP 410 \(\d+ ms\): no room x+…$/);
    assert.ok(said.length < 600);
    const { body } = (await desk.get(`/deliveries/${failed.id}`)).body;
    assert.equal(body, receiver.calls[0]!.body);
    assert.equal('body' in failed, false, 'lists do without that, too');

    const refused = await desk.post(`/deliveries/${failed.id}/resend`);
    assert.deepEqual([refused.status, refused.body.code ?? refused.body.error], [404, 'NotFound']);
    await desk.post(`/webhooks/${id}/enable`);
    receiver.answer = { status: 200, body: 'thanks' };
    const before = receiver.calls.length;
    const sent = await desk.post(`/deliveries/${failed.id}/resend`, { reason: 'they asked' });
    assert.deepEqual([sent.status, sent.body.changed], [200, true]);
    await until(async () => (await find('sent')) !== undefined);
    assert.equal(receiver.calls.length, before + 1);
    assert.equal(
      receiver.calls[0]!.headers['webhook-id'],
      receiver.calls.at(-1)!.headers['webhook-id'],
    );
    const tries = await triesOf();
    assert.deepEqual(
      tries.map(([, text]) => String(text).slice(0, 8)),
      ['HTTP 200', 'HTTP 410'],
    );
    const [entry] = (await desk.get(`/audit?targetKey=${id}`)).body.items;
    assert.deepEqual([entry.action, entry.details.reason], ['webhook.resend', 'they asked']);
  });
});
