// needs: pgbouncer
/** The service behind PgBouncer in transaction mode, Debian's version and settings: everything works, limits hold. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { freePort } from '../../../../packages/asmx/test/kit/listen.ts';
import { openStore } from '../../src/store/open.ts';
import { JSON_BINDING, TEST_BINDINGS } from '../kit/bindings.ts';
import { freshDatabase, type TestDatabase } from '../kit/database.ts';
import { blackPng } from '../kit/images/containers.ts';
import { POSTGRES_PASSWORD, POSTGRES_USER } from '../kit/postgres-server.ts';
import { startService, TOKEN } from '../kit/service.ts';

async function listens(port: number): Promise<void> {
  for (let waited = 0; waited < 30_000; waited += 50) {
    const socket = connect(port, '127.0.0.1');
    const connected = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (connected) return;
    await sleep(50);
  }
  throw new Error('PgBouncer did not come up.');
}

/** PgBouncer with few connections to a database of the test; @returns the database as it is reached through it. */
async function throughPgBouncer(
  t: TestContext,
  connections: number,
): Promise<{ pooled: TestDatabase; direct: TestDatabase }> {
  const direct = await freshDatabase('postgres', t);
  const { port: serverPort, pathname } = new URL(direct.databaseUrl!);
  const folder = await mkdtemp(join(tmpdir(), 'ws01-pgbouncer-'));
  const port = await freePort();
  const name = pathname.slice(1);
  await writeFile(join(folder, 'users.txt'), `"${POSTGRES_USER}" "${POSTGRES_PASSWORD}"\n`);
  await writeFile(
    join(folder, 'pgbouncer.ini'),
    `[databases]
${name} = host=127.0.0.1 port=${serverPort} dbname=${name} user=${POSTGRES_USER} password=${POSTGRES_PASSWORD}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = plain
auth_file = ${folder}/users.txt
pool_mode = transaction
default_pool_size = ${connections}
max_client_conn = 500
`,
  );
  for (const path of [folder, join(folder, 'users.txt'), join(folder, 'pgbouncer.ini')])
    await chmod(path, 0o755);
  // It refuses to run as root.
  const asUser = process.getuid?.() === 0 ? ['-u', 'postgres'] : [];
  const child = spawn('pgbouncer', ['-q', ...asUser, join(folder, 'pgbouncer.ini')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  t.after(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    await rm(folder, { recursive: true, force: true });
  });
  await listens(port);
  const databaseUrl = `postgres://${POSTGRES_USER}:${POSTGRES_PASSWORD}@127.0.0.1:${port}/${name}`;
  return { direct, pooled: { ...direct, databaseUrl } };
}

describe('behind PgBouncer in transaction mode', () => {
  it('two nodes with more connections than it has answer every kind of call in every binding', async (t) => {
    const { pooled } = await throughPgBouncer(t, 3);
    const nodes = [await startService(t, pooled), await startService(t, pooled)];
    const phone = { tokenId: TOKEN, userId: 'ada', cellphone: '+12125550100' };
    const rounds = Array.from({ length: 30 }, async (_, round) => {
      const { url } = nodes[round % 2]!;
      const binding = TEST_BINDINGS[round % TEST_BINDINGS.length]!;
      const calls: [string, Record<string, string>][] = [
        [
          'InsertArticle',
          { token: TOKEN, guid: `a-${round}`, caption: `caption ${round}`, CreateUserId: 'ada' },
        ],
        ['addNewAdvert', { tokenId: TOKEN, CreateUserId: 'ada', title: `title ${round}` }],
        [
          'SendEmail',
          {
            authorizationUserId: TOKEN,
            receiverEmail: `${round}@example.com`,
            subject: 's',
            body: `b ${round}`,
          },
        ],
        [
          'InsertArticleImageFile',
          {
            verifyCode: TOKEN,
            FileGuid: `i-${round}`,
            FileImg: blackPng(8, 8 + round).toString('base64'),
          },
        ],
        ['UpdateArticleCategory', { token: TOKEN, guid: `a-${round}`, cateId: 'jobs' }],
        ['QueryAdvert', { userId: 'ada', query: 'title' }],
        ['QueryImgData', {}],
        ['DeleteArticleByGuid', { token: TOKEN, guid: `a-${round}` }],
        ['UrltoShortUrl', { _orgUrl: `https://example.com/${round}` }],
        [
          'submitReview',
          { id: `r-${round % 3}`, userId: `u-${round}`, Mark: '4', ip: '203.0.113.7' },
        ],
      ];
      for (const [operation, params] of calls) {
        const { status, body } = await binding.call(url, operation, params);
        assert.equal(status, 200, `${binding.name} ${operation}: ${body}`);
      }
    });
    await Promise.all(rounds);
    const { result: code } = await JSON_BINDING.call(nodes[0]!.url, 'CreateVerifyCode', phone);
    const verified = await JSON_BINDING.call(nodes[1]!.url, 'VerifyCodeForPhone', {
      ...phone,
      VerifyCode: code!,
    });
    assert.deepEqual([verified.status, verified.result], [200, '']);
    for (const { url } of nodes)
      assert.equal(await (await fetch(`${url}/readyz`)).text(), 'ready\n');
  });

  it('limits of locks hold in each transaction, and a session of another program keeps what it set', async (t) => {
    const { pooled, direct } = await throughPgBouncer(t, 2);
    const store = await openStore({
      databaseUrl: pooled.databaseUrl,
      dataDir: pooled.dataDir,
      lockTimeout: 300,
    });
    t.after(() => store.close());
    const operator = new pg.Client({ connectionString: direct.databaseUrl! });
    operator.on('error', () => {});
    await operator.connect();
    t.after(() => operator.end());
    await operator.query('begin; lock table categories in access exclusive mode');
    const insert = () =>
      store.write((tx) =>
        tx.insertInto('categories').values({ key: 'a', created_at: 1 }).execute(),
      );
    await assert.rejects(insert(), { kind: 'busy' });
    await operator.query('rollback');
    await insert();
    const { rows } = await store.write((tx) =>
      sql<{ t: string }>`select current_setting('lock_timeout') as t`.execute(tx),
    );
    assert.deepEqual(rows, [{ t: '300ms' }]);
  });
});
