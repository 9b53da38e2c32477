import assert from 'node:assert/strict';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { exchange, RawConnection } from '../../../../packages/asmx/test/kit/http.ts';
import { originOf } from '../../../../packages/asmx/test/kit/listen.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { DependencyError } from '../../src/failure/dependency-error.ts';
import { QrCodes } from '../../src/web/qr-code.ts';
import { createWeb, type WebDeps } from '../../src/web/web.ts';
import { TEST_BINDINGS } from '../kit/bindings.ts';
import { forEachEngine, freshDatabase } from '../kit/database.ts';
import { blackPng } from '../kit/images/containers.ts';
import { keptLog } from '../kit/log.ts';
import { postgresUrl, startPostgresServer } from '../kit/postgres-server.ts';
import { startService, TOKEN } from '../kit/service.ts';

/** The paths that ask the database, each with the table it cannot do without. */
const ASKING = [
  ['/s/BBBBBBB', 'links'],
  [`/media/${'0'.repeat(64)}.png`, 'image_files'],
] as const;

/** Anything of which an answer must be silent: stacks, paths, SQL, the engine's words. */
const LEAK = /\n.|at |\/|select|table|sqlite|postgres|relation/i;

forEachEngine((_engine, fresh) => {
  it('a defect is a short plain 500 whose request id finds the reason in the log', async (t) => {
    const database = await fresh(t);
    const { log, lines } = keptLog();
    const service = await startService(t, database, {}, log);
    const store = await database.open();
    for (const [path, table] of ASKING) {
      await store.write((tx) =>
        sql`drop table ${sql.table(table)}${sql.raw(database.engine === 'postgres' ? ' cascade' : '')}`.execute(
          tx,
        ),
      );
      for (const method of ['GET', 'HEAD']) {
        const { status, headers, body } = await exchange(`${service.url}${path}?token=hush`, {
          method,
        });
        assert.equal(status, 500);
        assert.equal(headers['content-type'], 'text/plain; charset=utf-8');
        assert.equal(headers['cache-control'], 'no-store');
        assert.equal(headers['x-error-code'], 'Internal');
        assert.equal(headers['retry-after'], undefined);
        assert.doesNotMatch(body, LEAK);
        const line = lines.find(({ requestId }) => requestId === headers['x-request-id']);
        assert.deepEqual(
          [line?.level, line?.method, line?.path, line?.status, line?.error],
          [50, method, path, 500, 'Internal'],
        );
        assert.match(JSON.stringify(line?.err), new RegExp(table));
      }
    }
    assert.doesNotMatch(JSON.stringify(lines), /hush/);
    assert.equal((await exchange(`${service.url}/healthz`)).status, 200);
  });
});

it('a database that is away is 503 with Retry-After, and told by /readyz once; nothing stays behind', async (t) => {
  const server = await startPostgresServer('ws01-web-failures-');
  t.after(() => server.dispose());
  const { log, lines } = keptLog();
  const env = { DATABASE_URL: postgresUrl(server.port, 'postgres') };
  const service = await startService(t, await freshDatabase('sqlite', t), env, log);
  const probe = async () => (await exchange(`${service.url}/readyz`)).status;
  // On a busy machine an answer of the database may come too late.
  const isReady = async () => (await probe()) === 200;
  await until(isReady);
  const before = lines.length;
  await server.stop();
  for (const [path] of ASKING) {
    const { status, headers, body } = await exchange(`${service.url}${path}`);
    assert.deepEqual(
      [status, headers['retry-after'], headers['x-error-code'], headers['cache-control']],
      [503, '5', 'StorageUnavailable', 'no-store'],
    );
    assert.doesNotMatch(body, LEAK);
    assert.ok(
      lines.some(
        ({ requestId, status }) => requestId === headers['x-request-id'] && status === 503,
      ),
    );
  }
  const page = await exchange(`${service.url}/s/BBBBBBB`, {
    headers: { Accept: 'text/html,*/*;q=0.8', 'Accept-Language': 'zh-CN' },
  });
  assert.deepEqual([page.status, page.headers['retry-after']], [503, '5']);
  assert.match(page.body, /<html lang="zh-CN">.*<h1>暂时无法访问<\/h1>/s);
  assert.ok(page.body.includes(`<code>${page.headers['x-request-id']}</code>`), page.body);
  const told = () =>
    lines
      .slice(before)
      .filter(({ part }) => part === 'database')
      .map(({ msg }) => msg);
  assert.deepEqual([await probe(), await probe(), told().length], [503, 503, 1]);
  await server.start();
  await until(isReady);
  assert.match(told().join('; '), /^not ready: [^;]+; ready again$/);
  for (const [path] of ASKING) assert.equal((await exchange(`${service.url}${path}`)).status, 404);
});

it('an image that breaks off while it is sent cuts the connection, and the log says why', async (t) => {
  const { log, lines } = keptLog();
  // What is kept in memory cannot break off.
  const env = { fixed: { imageCacheBytes: 0 } };
  const service = await startService(t, await freshDatabase('sqlite', t), env, log);
  const [soap11, , get] = TEST_BINDINGS;
  const params = { verifyCode: TOKEN, FileGuid: 'a', FileImg: blackPng(40, 30).toString('base64') };
  assert.equal((await soap11!.call(service.url, 'InsertArticleImageFile', params)).result, 'true');
  const { result } = await get!.call(service.url, 'QueryImgData', { query: 'a' });
  const { pathname } = new URL(JSON.parse(result!).items[0].url);
  assert.equal((await exchange(`${service.url}${pathname}`)).status, 200);
  // A folder can be opened like a file, and fails when it is read.
  const kept = join(service.database.dataDir, 'files', 'kept');
  const made =
    (await readdir(kept, { recursive: true })).find((name) => name.endsWith('.full')) ??
    assert.fail();
  await rm(join(kept, made));
  await mkdir(join(kept, made));
  const printed = t.mock.method(console, 'error', () => {});
  const connection = await RawConnection.open(t, service.app.port);
  connection.send(`GET ${pathname} HTTP/1.1`, 'Host: a', '', '');
  assert.match(await connection.ended(), /^HTTP\/1\.1 200 .*\r\n\r\n$/s);
  const broken = lines.filter(({ msg }) => msg === 'an image broke off while it was sent');
  assert.deepEqual(
    [broken.length, broken[0]?.path, /EISDIR/.test(JSON.stringify(broken))],
    [1, pathname, true],
  );
  assert.equal(printed.mock.callCount(), 0);
  assert.equal((await exchange(`${service.url}/healthz`)).status, 200);
});

describe('the room itself, with deps that break their promises', () => {
  const broken: readonly (readonly [
    what: string,
    thrown: unknown,
    status: number,
    code: string,
  ])[] = [
    ['an error', new TypeError('secret'), 500, 'Internal'],
    ['what is no error', 'secret', 500, 'Internal'],
    ['a store that is busy', new DependencyError('database', 'busy', 'secret'), 503, 'Busy'],
  ];
  for (const [what, thrown, status, code] of broken) {
    it(`${what}: ${status} ${code}`, async (t) => {
      const url = await startWeb(t, () => {
        throw thrown;
      });
      const { headers, body, ...answer } = await exchange(`${url}/openapi.json`);
      assert.deepEqual([answer.status, headers['x-error-code']], [status, code]);
      assert.equal(headers['retry-after'], status === 503 ? '5' : undefined);
      assert.match(headers['x-request-id']?.toString() ?? '', /^[0-9a-f-]{36}$/);
      assert.doesNotMatch(body, /secret/);
    });
  }

  it('a Host that no URL can be made of is 400', async (t) => {
    const url = await startWeb(t, () => assert.fail('not asked for'));
    const { status, headers, body } = await exchange(url, { headers: { Host: 'a b' } });
    assert.deepEqual([status, headers['content-type']], [400, 'text/plain; charset=utf-8'], body);
  });
});

/** The room alone on a listener; its one part that is asked is `openApi`. */
async function startWeb(t: TestContext, openApi: WebDeps['openApi']): Promise<string> {
  const unasked = () => assert.fail('not asked for');
  const web = createWeb({
    basePath: () => '',
    servicePath: '/a.asmx',
    probes: { health: unasked, transports: unasked, draining: unasked, healthy: unasked },
    closed: () => false,
    openApi,
    apiWords: async () => ({}),
    api: unasked,
    console: undefined,
    media: { find: unasked, findByKey: unasked },
    pictures: unasked,
    siteName: unasked,
    mail: {
      ...{ readReport: undefined, record: unasked, unsubscribe: unasked },
      ...{ siteName: unasked, log: keptLog().log },
    },
    direct: () => undefined,
    legacyPaths: { images: [], links: [] },
    shortLinks: {
      clock: Date.now,
      links: { find: unasked },
      visits: { count: unasked },
      sourcesOf: unasked,
      followsHost: false,
      shortBaseUrl: unasked,
      charging: unasked,
      qrCodes: new QrCodes(),
      siteName: unasked,
    },
    later: (work) => work(),
    shortLinkPaths: [],
    log: keptLog().log,
  });
  const server = createServer(web);
  return originOf(t, server);
}
