import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { exchange } from '../../../../packages/asmx/test/kit/http.ts';
import { someOf } from '../../../../packages/asmx/test/kit/lane.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { JSON_BINDING, TEST_BINDINGS } from '../kit/bindings.ts';
import { freshDatabase } from '../kit/database.ts';
import { keptLog } from '../kit/log.ts';
import { type PostgresServer, postgresUrl, startPostgresServer } from '../kit/postgres-server.ts';
import { startService, type TestService, TOKEN } from '../kit/service.ts';

const BINDINGS = [...TEST_BINDINGS, JSON_BINDING];

/** Of the service's own role. */
const PASSWORD = 'hush-3141592';

/** A way in which a database vanishes under a running service, and comes back. */
interface Loss {
  readonly name: string;
  /** What the log says of the reason: PostgreSQL's code, or Node's. */
  readonly reason: RegExp;
  readonly away: readonly string[];
  readonly back: readonly string[];
  /** Whether what only reads still works. */
  readonly reads?: boolean;
}

/** Ends the sessions of the service, so that its next query needs a new one. */
const CUT = `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'ws01'`;

const LOSSES: readonly Loss[] = [
  {
    name: 'the database is renamed, as for a restore',
    reason: /3D000/,
    away: [CUT, 'alter database ws01 rename to elsewhere'],
    back: ['alter database elsewhere rename to ws01'],
  },
  {
    name: 'the role may not log in any more',
    reason: /28000/,
    away: ['alter role ws01 nologin', CUT],
    back: ['alter role ws01 login'],
  },
  {
    name: 'the password is another',
    reason: /28P01/,
    away: [`alter role ws01 password 'another'`, CUT],
    back: [`alter role ws01 password '${PASSWORD}'`],
  },
  {
    name: 'all connections are taken',
    reason: /53300/,
    away: ['alter role ws01 connection limit 0', CUT],
    back: ['alter role ws01 connection limit -1'],
  },
  {
    name: 'the database takes no connections',
    reason: /55000/,
    away: ['alter database ws01 allow_connections false', CUT],
    back: ['alter database ws01 allow_connections true'],
  },
  {
    name: 'the primary is now a standby that only reads',
    reason: /25006/,
    away: ['alter database ws01 set default_transaction_read_only = on', CUT],
    // Sessions that began meanwhile would go on refusing writes, each until its first.
    back: ['alter database ws01 reset default_transaction_read_only', CUT],
    reads: true,
  },
];

describe('PostgreSQL that vanishes under a running service', () => {
  let server: PostgresServer;
  before(async () => {
    server = await startPostgresServer('ws01-database-away-');
    await administer(server, [
      `create role ws01 login password '${PASSWORD}'`,
      'create database ws01 owner ws01',
    ]);
  });
  after(() => server.dispose());

  const urlOfService = () => `postgres://ws01:${PASSWORD}@127.0.0.1:${server.port}/ws01`;

  // By day one that nothing works in, and the one that only reads.
  for (const { name, reason, away, back, reads = false } of someOf(LOSSES, LOSSES.length - 1)) {
    it(`${name}: 503 in every binding, then as before`, async (t) => {
      const { log, lines } = keptLog();
      const service = await startService(
        t,
        await freshDatabase('sqlite', t),
        { DATABASE_URL: urlOfService() },
        log,
      );
      await assertServes(service, name);
      t.after(() => administer(server, back).catch(() => {}));
      await administer(server, away);
      await assertUnavailable(service, reads);
      assert.match(JSON.stringify(lines), reason);
      assert.ok(!JSON.stringify(lines).includes(PASSWORD), 'no password in the log');
      await administer(server, back);
      await recovered(service);
      await assertServes(service, name);
    });
  }

  it('calls under way while it stops and comes back are answered 200 or 503, and what was answered 200 is there', async (t) => {
    const { log, lines } = keptLog();
    const service = await startService(
      t,
      await freshDatabase('sqlite', t),
      { DATABASE_URL: urlOfService() },
      log,
    );
    const answered: string[] = [];
    const refused = new Set<string>();
    let ended = false;
    const caller = async (id: number) => {
      for (let i = 0; !ended; i++) {
        const binding = BINDINGS[(id + i) % BINDINGS.length]!;
        const guid = `under-way-${id}-${i}`;
        const { status, code, headers } = await binding.call(
          service.url,
          'InsertArticle',
          articleCall(guid),
        );
        if (status === 200) answered.push(guid);
        else {
          refused.add(`${binding.name} ${status} ${code} ${headers['retry-after']}`);
          await sleep(5);
        }
      }
    };
    const callers = Array.from({ length: 20 }, (_, id) => caller(id));
    await until(() => answered.length >= 100);
    await server.stop();
    await until(() => refused.size >= BINDINGS.length);
    await server.start();
    const before = answered.length;
    await until(() => answered.length >= before + 100);
    ended = true;
    await Promise.all(callers);

    const expected = BINDINGS.map(
      ({ name }) => `${name} ${name.startsWith('soap') ? 500 : 503} StorageUnavailable 5`,
    );
    assert.deepEqual([...refused].toSorted(), expected.toSorted());
    const store = await openedStore(urlOfService());
    t.after(() => store.end());
    const { rows } = await store.query('select guid from articles where guid = any($1)', [
      answered,
    ]);
    assert.equal(rows.length, answered.length);
    assert.deepEqual(
      lines.filter(({ error }) => error === 'Internal'),
      [],
    );
  });

  it('a live stream comes to a whole end, and is there again with the database', async (t) => {
    const service = await startService(t, await freshDatabase('sqlite', t), {
      DATABASE_URL: urlOfService(),
    });
    const open = () =>
      fetch(`${service.url}/api/v1/events`, {
        headers: { Authorization: `Bearer ${TOKEN}`, Accept: 'text/event-stream' },
      });
    const stream = await open();
    assert.equal(stream.status, 200);
    const [{ away, back }] = LOSSES as [Loss];
    t.after(() => administer(server, back).catch(() => {}));
    await administer(server, away);
    assert.match(await stream.text(), /^retry: /, 'whatever the answer was, it was not cut');
    await administer(server, back);
    await recovered(service);
    const again = await open();
    assert.equal(again.status, 200);
    await again.body!.cancel();
  });

  it('a lock that is held too long is Busy, and a statement prepared for an older table is prepared anew', async (t) => {
    const env = { DATABASE_URL: urlOfService(), fixed: { databaseLockSeconds: 1 } };
    const service = await startService(t, await freshDatabase('sqlite', t), env);
    const operator = await openedStore(urlOfService());
    t.after(() => operator.end());
    await assertServes(service, 'lock');
    await operator.query('begin; lock table articles in access exclusive mode');
    const { status, code, headers } = await JSON_BINDING.call(
      service.url,
      'InsertArticle',
      articleCall('locked'),
    );
    assert.deepEqual([status, code, headers['retry-after']], [503, 'Busy', '5']);
    await operator.query('rollback');
    await recovered(service);

    // What the next version of the service does to a table while this one runs.
    const media = `${service.url}/media/${'0'.repeat(64)}.png`;
    for (let i = 0; i < 3; i++) assert.equal((await exchange(media)).status, 404);
    await operator.query('alter table image_files add column later text');
    for (let i = 0; i < 3; i++) assert.equal((await exchange(media)).status, 404);
    await operator.query('alter table image_files drop column later');
  });
});

function articleCall(guid: string): Record<string, string> {
  return { token: TOKEN, guid, caption: '標題 <&>', CreateUserId: 'u' };
}

async function assertServes({ url }: TestService, guid: string): Promise<void> {
  for (const binding of BINDINGS) {
    const written = await binding.call(url, 'InsertArticle', articleCall(guid));
    assert.equal(written.result, guid, written.body);
    const counted = await binding.call(url, 'countUserPosted', { tokenId: TOKEN, userId: 'u' });
    assert.match(counted.result ?? counted.body, /^\d+$/);
  }
}

async function assertUnavailable({ url }: TestService, reads: boolean): Promise<void> {
  for (const binding of BINDINGS) {
    const status = binding.name.startsWith('soap') ? 500 : 503;
    const written = await binding.call(url, 'InsertArticle', articleCall('lost'));
    const { 'retry-after': wait, 'x-request-id': id } = written.headers;
    assert.deepEqual(
      [written.status, written.code, wait],
      [status, 'StorageUnavailable', '5'],
      written.body,
    );
    assert.match(String(id), /^[0-9a-f-]{36}$/);
    const counted = await binding.call(url, 'countUserPosted', { tokenId: TOKEN, userId: 'u' });
    assert.equal(counted.code, reads ? undefined : 'StorageUnavailable', counted.body);
  }
  assert.equal((await exchange(`${url}/readyz`)).status, 503);
  assert.equal((await exchange(`${url}/healthz`)).status, 200);
}

/**
 * Waits until a call goes well again, as a client does that tries again, and until the service is ready, as a load balancer
 * does: a connection that was opened while nothing could be written is thrown away when it is used.
 */
async function recovered({ url }: TestService): Promise<void> {
  let told = '';
  await until(
    async () => {
      const { status, body } = await JSON_BINDING.call(
        url,
        'InsertArticle',
        articleCall('recovered'),
      );
      told = body;
      return status === 200 && (await exchange(`${url}/readyz`)).status === 200;
    },
    () => told,
  );
}

async function openedStore(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return client;
}

/** Runs statements as the administrator; one that sessions stand in the way of is tried again. */
async function administer({ port }: PostgresServer, statements: readonly string[]): Promise<void> {
  const client = await openedStore(postgresUrl(port, 'postgres'));
  try {
    for (const statement of statements) {
      await until(async () => {
        try {
          await client.query(statement);
          return true;
        } catch (error) {
          if ((error as { code?: string }).code !== '55006') throw error;
          await client.query(CUT);
          return false;
        }
      });
    }
  } finally {
    await client.end();
  }
}
