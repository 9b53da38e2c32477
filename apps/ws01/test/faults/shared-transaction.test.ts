import assert from 'node:assert/strict';
import { it } from 'node:test';
import { someOf } from '../../../../packages/asmx/test/kit/lane.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { JSON_BINDING, type Params } from '../kit/bindings.ts';
import { freshDatabase } from '../kit/database.ts';
import { type Effect, type EffectKind, Ledger, verdictOf } from '../kit/drill/ledger.ts';
import { processEnv } from '../kit/fixed.ts';
import { operatorOf } from '../kit/operator.ts';
import { type ServiceProcess, spawnService } from '../kit/process.ts';
import { Scrape } from '../kit/scrape.ts';
import { TOKEN } from '../kit/service.ts';

/** Articles that a test holds back stand still where it says: at their statement, or at the commit of all. */
const HOLDING = `
  create table held (guid text primary key, place text not null);
  create function stand_still() returns trigger language plpgsql as $$ begin
    while exists (select from held where guid = new.guid and place = tg_argv[0]) loop perform pg_sleep(0.02); end loop;
    return null; end $$;
  create trigger at_statement after insert on articles for each row execute function stand_still('statement');
  create constraint trigger at_commit after insert on articles deferrable initially deferred
    for each row execute function stand_still('commit')`;

const THERE = `select count(*)::int as n from (select guid as key from articles union all select title from adverts
  union all select subject from reviews) as all_of_them where key like $1 and key <> all ($2)`;

interface Call {
  readonly effect: Effect;
  readonly operation: string;
  readonly params: Params;
}

const WAYS = ['pg_terminate_backend', 'kill -9'] as const;
const PLACES = ['commit', 'statement'] as const;

/** By day each way, and each place. */
const ROUNDS = someOf(
  WAYS.flatMap((way) => PLACES.map((place) => ({ way, place }))),
  WAYS.length + 1,
);

it(`calls that share a transaction on PostgreSQL, ended at a statement and at its commit by ${WAYS.join(' and ')}: each answer is honest, and each effect there once after a repeat`, async (t) => {
  const database = await freshDatabase('postgres', t);
  const env = {
    ...{ RATE_LIMITS: 'off', LOG_LEVEL: 'info', METRICS_PORT: '0' },
    // However slow this machine is, none of these ends what stands still.
    ...processEnv({ databaseStatementSeconds: 600, databaseIdleSeconds: 600 }),
  };
  let service = await spawnService(t, database, env);
  const client = await operatorOf(t, database.databaseUrl!);
  await client.query(HOLDING);

  const ledger = new Ledger();
  const make = (kind: EffectKind, key: string, operation: string, params: Params): Call => ({
    ...{ effect: ledger.begin(kind, key), operation, params },
  });
  const article = (key: string) =>
    make('article', key, 'InsertArticle', {
      token: TOKEN,
      guid: key,
      caption: key,
      CreateUserId: 'u',
    });
  /** @returns whether the call was acknowledged. */
  const send = async ({ effect, operation, params }: Call): Promise<boolean> => {
    const answer = await JSON_BINDING.call(service.url, operation, params).catch(() => undefined);
    const verdict = verdictOf(answer, false);
    assert.ok(verdict !== undefined, `${operation}: ${answer?.body}`);
    if (verdict !== 'refused') effect.known = verdict;
    return verdict === 'done';
  };
  const hold = (place: string, keys: readonly string[]) =>
    client.query('insert into held select unnest($1::text[]), $2', [keys, place]);
  const release = (keys: readonly string[]) =>
    client.query('delete from held where guid = any ($1)', [keys]);
  const standing = async () =>
    (
      await client.query<{ pid: number }>(
        `select pid from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`,
      )
    ).rows.map(({ pid }) => pid);

  for (const { way, place } of ROUNDS) {
    const round = `${way} ${place}`;
    // Both transactions that a process has in progress stand still, so that what comes now waits, and goes together.
    const first = [`${round} 1`, `${round} 2`];
    await hold('statement', first);
    const before: Promise<boolean>[] = [];
    for (const [index, key] of first.entries()) {
      before.push(send(article(key)));
      await until(async () => (await standing()).length === index + 1);
    }
    const key = `${round} held`;
    await hold(place, [key]);
    const calls = [
      article(key),
      ...[1, 2, 3].map((n) => article(`${round} article ${n}`)),
      ...[1, 2, 3].map((n) => {
        const title = `${round} advert ${n}`;
        return make('advert', title, 'addNewAdvert', {
          tokenId: TOKEN,
          CreateUserId: 'u',
          title,
        });
      }),
      ...[1, 2].map((n) => {
        const id = `${round} review ${n}`;
        return make('review', id, 'submitReview', {
          id,
          userId: 'u',
          Mark: '4',
          ip: '203.0.113.7',
        });
      }),
    ];
    const metrics = await metricsOf(service);
    const waiting = async () =>
      (await Scrape.of(metrics)).value('ws01_database_waiting') ?? assert.fail('no metric');
    const answers = Promise.all(calls.map(send));
    // What the service itself writes and reads waits with them, for long or not: so one look does not tell.
    let looks = 0;
    await until(async () => {
      looks = (await waiting()) >= calls.length ? looks + 1 : 0;
      return looks === 5;
    }, waiting);
    await release(first);
    assert.deepEqual(await Promise.all(before), [true, true]);
    let last: readonly number[] = [];
    await until(async () => {
      // Between two of its sleeps nobody is seen: what was seen once is kept.
      last = await standing();
      return last.length === 1;
    });

    if (way === 'kill -9') await service.end('SIGKILL');
    else await client.query('select pg_terminate_backend($1)', [...last]);
    const acknowledged = await answers;
    assert.ok(
      !acknowledged.includes(true),
      'none of the calls that shared it is told that it was done',
    );
    if (way !== 'kill -9' && place === 'commit') {
      assert.deepEqual([...new Set(calls.map(({ effect }) => effect.known))], ['open']);
    }
    await release([key]);
    await until(async () => (await standing()).length === 0);
    const dead = await ledger.compare(client, new Map());
    assert.deepEqual(dead, { lost: [], doubled: [], denied: [] }, round);
    // Their fate is one; what dies with its client may still be committed by the server.
    const { rows } = await client.query<{ n: number }>(THERE, [`${round} %`, first]);
    assert.ok(
      way === 'kill -9' ? [0, calls.length].includes(rows[0]!.n) : rows[0]!.n === 0,
      `${rows[0]!.n} are there`,
    );

    if (way === 'kill -9') service = await spawnService(t, database, env);
    await until(async () => (await Promise.all(calls.map(send))).every((done) => done));
    const findings = await ledger.compare(client, new Map());
    assert.deepEqual(findings, { lost: [], doubled: [], denied: [] }, round);
    assert.ok(calls.every(({ effect }) => effect.known === 'done'));
  }
});

/** The log comes a moment after the address that the service prints. */
async function metricsOf(service: ServiceProcess): Promise<string> {
  const told = () => /^(\{.*"metrics are served".*\})\n/m.exec(service.output())?.[1];
  await until(() => told() !== undefined, service.output);
  const { host, port } = JSON.parse(told()!) as { host: string; port: number };
  return `http://${host}:${port}/metrics`;
}
