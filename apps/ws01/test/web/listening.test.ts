import assert from 'node:assert/strict';
import { once } from 'node:events';
import { rename, stat, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { Agent, get, request as httpsRequest } from 'node:https';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { connect, type TLSSocket } from 'node:tls';
import { DAY_MS } from '@ws01/asmx/time';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { BY_NIGHT, someOf } from '../../../../packages/asmx/test/kit/lane.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { endOfCertificate } from '../../src/app/certificate.ts';
import { loadConfig } from '../../src/config/config.ts';
import { envelope } from '../kit/bindings.ts';
import { CERTIFICATES, ENDED_CERTIFICATE } from '../kit/certificates.ts';
import { ws01 } from '../kit/command.ts';
import { freshDatabase, type TestDatabase } from '../kit/database.ts';
import { blackPng } from '../kit/images/containers.ts';
import { keptLog } from '../kit/log.ts';
import { startService, TOKEN } from '../kit/service.ts';
import { beginWorkers, lives, type ServiceOfWorkers, startWorkers } from '../kit/workers.ts';

async function certificateFiles(
  folder: string,
  which: { readonly cert: string; readonly key: string },
) {
  const files = { TLS_CERT_FILE: join(folder, 'cert.pem'), TLS_KEY_FILE: join(folder, 'key.pem') };
  await writeFile(files.TLS_CERT_FILE, which.cert);
  await writeFile(files.TLS_KEY_FILE, which.key);
  return files;
}

/** What `ws01 status` says of the service, with these settings. */
async function saidByStatus(database: TestDatabase, env: Record<string, string>): Promise<string> {
  const { stdout } = await ws01(database, ['status', '--json'], '', env);
  return JSON.parse(stdout).service;
}

const COUNT = `/WS01.asmx/countIpPosted?tokenId=${TOKEN}&IP=192.0.2.1`;

describe('TLS_CERT_FILE', () => {
  for (const FAST_PATH of ['on', 'off']) {
    it(`serves calls, uploads and pages over TLS (FAST_PATH=${FAST_PATH})`, async (t) => {
      const files = await certificateFiles(
        await temporaryFolder(t, 'ws01-listen-'),
        CERTIFICATES[0],
      );
      const database = await freshDatabase('sqlite', t);
      const { app } = await startService(t, database, { ...files, FAST_PATH });
      assert.match(app.url, /^https:\/\/localhost:\d+$/);
      const agent = new Agent({ keepAlive: true, ca: CERTIFICATES[0].cert });
      t.after(() => agent.destroy());
      const ask = async (path: string, method = 'GET', headers = {}, body = '') => {
        const req = httpsRequest({
          host: '127.0.0.1',
          port: app.port,
          path,
          method,
          headers,
          agent,
        });
        req.end(body);
        const [res] = await once(req, 'response');
        return { status: res.statusCode as number, body: await text(res) };
      };
      for (let call = 0; call < 3; call++) assert.equal((await ask(COUNT)).status, 200);
      const FileImg = blackPng(2_000, 2_000).toString('base64');
      const soap = envelope('soap11', 'InsertArticleImageFile', {
        verifyCode: TOKEN,
        FileGuid: 'first',
        FileImg,
        IsIcons: 'false',
      });
      const uploaded = await ask(
        '/WS01.asmx',
        'POST',
        { 'Content-Type': 'text/xml; charset=utf-8' },
        soap,
      );
      assert.match(uploaded.body, />true</);
      const large = envelope('soap11', 'InsertArticle', {
        ...{
          token: TOKEN,
          guid: 'first',
          CreateUserId: 'ada',
          caption: 'Hello',
          content: 'x'.repeat(90_000),
        },
      });
      const written = await ask(
        '/WS01.asmx',
        'POST',
        { 'Content-Type': 'text/xml; charset=utf-8' },
        large,
      );
      assert.match(written.body, />first</);
      // Addresses in answers follow what was spoken.
      assert.match(
        (await ask('/WS01.asmx?WSDL')).body,
        /location="https:\/\/127\.0\.0\.1:\d+\/WS01\.asmx"/,
      );
      assert.equal((await ask('/readyz')).body, 'ready\n');
      if (FAST_PATH === 'on') return;
      assert.equal(
        await saidByStatus(database, { ...files, PORT: String(app.port) }),
        `ready at https://127.0.0.1:${app.port}`,
      );
      assert.equal(
        await saidByStatus(database, { PORT: String(app.port) }),
        `not running at 127.0.0.1:${app.port}`,
      );
    });
  }

  it('is read again, and stays when the new one cannot be used', async (t) => {
    const folder = await temporaryFolder(t, 'ws01-listen-');
    const files = await certificateFiles(folder, CERTIFICATES[0]);
    const { app } = await startService(t, undefined, files);
    const config = loadConfig(files);
    const shown = async () => {
      const socket: TLSSocket = connect({
        host: '127.0.0.1',
        port: app.port,
        rejectUnauthorized: false,
      });
      await once(socket, 'secureConnect');
      const { subject } = socket.getPeerCertificate();
      socket.destroy();
      return subject.CN;
    };
    assert.equal(await shown(), 'ws01-test-1');
    await certificateFiles(folder, CERTIFICATES[1]);
    app.reload(config);
    assert.equal(await shown(), 'ws01-test-2');
    await writeFile(files.TLS_KEY_FILE, CERTIFICATES[0].key);
    assert.throws(
      () => app.reload(config),
      /cannot be used together: the key is that of another certificate\./,
    );
    assert.equal(await shown(), 'ws01-test-2');
  });

  it('is degraded when it ends within ten days, until another one is read', async (t) => {
    const folder = await temporaryFolder(t, 'ws01-listen-');
    const files = await certificateFiles(folder, CERTIFICATES[0]);
    // Its end is a minute before 2126-10-30.
    const end = Date.parse('2126-10-29T12:40:21Z');
    const days = DAY_MS;
    const cert = Buffer.from(CERTIFICATES[0].cert);
    const told = (at: number) => endOfCertificate({ cert }, at);
    assert.equal(told(end - 10 * days - 1), undefined);
    assert.match(
      told(end - 9 * days)!,
      /in use ends on 2126-10-29; renew it, then systemctl reload/,
    );
    assert.match(told(end + 1)!, /in use ended on 2126-10-29/);
    const { app } = await startService(t, undefined, files);
    const agent = new Agent({ rejectUnauthorized: false });
    t.after(() => agent.destroy());
    const [answer] = await once(get(`${app.url}/readyz?verbose`, { agent }), 'response');
    const { parts } = JSON.parse(await text(answer));
    assert.equal(parts.certificate.state, 'ok');
  });

  it('that has ended is a failure of ws01 doctor', async (t) => {
    const database = await freshDatabase('sqlite', t);
    const files = await certificateFiles(
      await temporaryFolder(t, 'ws01-listen-'),
      ENDED_CERTIFICATE,
    );
    const { code, stdout } = await ws01(database, ['doctor'], '', files);
    assert.equal(code, 1);
    assert.match(
      stdout,
      /^FAIL {2}settings +The certificate in use ended on 2021-01-01\.\n +→ renew it/m,
    );
  });

  it('that cannot be used ends the start with one line', async (t) => {
    const folder = await temporaryFolder(t, 'ws01-listen-');
    const files = await certificateFiles(folder, CERTIFICATES[0]);
    await assert.rejects(
      startService(t, undefined, { ...files, TLS_KEY_FILE: join(folder, 'none') }),
      {
        name: 'ConfigError',
        message: `TLS_KEY_FILE names ${join(folder, 'none')}, which cannot be read: ENOENT.`,
      },
    );
    assert.throws(() => loadConfig({ TLS_CERT_FILE: 'a' }), /go together; set both, or none\.$/);
  });
});

describe('SOCKET_PATH', () => {
  it('listens there with the rights of its group; who connects counts as 127.0.0.1', async (t) => {
    const socketPath = join(await temporaryFolder(t, 'ws01-listen-'), 'http.sock');
    const { log, lines } = keptLog();
    const env = { SOCKET_PATH: socketPath, TRUSTED_PROXIES: 'loopback' };
    // A socket that a killed service has left.
    const left = createServer().listen(socketPath);
    await once(left, 'listening');
    const { app } = await startService(t, undefined, { SOCKET_PATH: `${socketPath}.other` });
    const isTaken = { name: 'ListenFailure', message: /^SOCKET_PATH=/ };
    await assert.rejects(startService(t, undefined, { SOCKET_PATH: socketPath }), isTaken);
    left.close();
    await writeFile(`${socketPath}.file`, '');
    await assert.rejects(
      startService(t, undefined, { SOCKET_PATH: `${socketPath}.file` }),
      isTaken,
    );
    await app.stop();

    const database = await freshDatabase('sqlite', t);
    await startService(t, database, env, log);
    assert.equal(await saidByStatus(database, env), `ready at unix:${socketPath}`);
    assert.equal((await stat(socketPath)).mode & 0o777, 0o660);
    const ask = async (path: string, headers = {}) => {
      const req = httpRequest({ socketPath, path, headers });
      req.end();
      const [res] = await once(req, 'response');
      await text(res);
      return res.statusCode as number;
    };
    assert.equal(await ask(COUNT), 200);
    assert.equal(lines.findLast(({ msg }) => msg === 'answered')?.address, '127.0.0.1');
    assert.equal(await ask(COUNT, { 'X-Forwarded-For': '198.51.100.7' }), 200);
    assert.equal(lines.findLast(({ msg }) => msg === 'answered')?.address, '198.51.100.7');
    assert.equal(await ask('/readyz'), 200);
  });
});

describe('several workers', () => {
  it('share a socket of the file system: its mode, a stale one after kill -9, and one that is in use', async (t) => {
    const socketPath = join(await temporaryFolder(t, 'ws01-listen-'), 'http.sock');
    const database = await freshDatabase('postgres', t);
    const env = { SOCKET_PATH: socketPath, TRUSTED_PROXIES: 'loopback' };
    const start = () => startWorkers(t, database, { workers: 2, env });
    const first = await start();
    const mode = async () => (await stat(socketPath)).mode & 0o777;
    assert.equal(await mode(), 0o660);
    assert.equal((await stat(socketPath)).uid, process.getuid!());
    await askBoth(first, { socketPath });
    // New workers take the socket over, with its rights.
    first.child.kill('SIGHUP');
    await first.until(() => first.log('all workers are replaced').length === 1);
    assert.equal(await mode(), 0o660);
    await askBoth(first, { socketPath });

    let last = first;
    // By day one process shows it.
    if (BY_NIGHT) {
      const second = beginWorkers(t, database, { workers: 2, env });
      assert.equal(await second.exit(), 1);
      assert.match(second.stderr.join('\n'), /^ws01: .*http\.sock/m);
      first.child.kill('SIGKILL');
      await first.until(() => [...first.workers.values()].every(({ pid }) => !lives(pid)));
      assert.ok((await stat(socketPath)).isSocket());
      last = await start();
      assert.equal(await mode(), 0o660);
      await askBoth(last, { socketPath });
    }
    await last.stop();
    await assert.rejects(stat(socketPath), { code: 'ENOENT' });
  });
});

/** Asks until both workers that serve now have answered; who asks counts as this machine. */
async function askBoth(
  service: ServiceOfWorkers,
  where: { socketPath: string } | { port: number },
): Promise<void> {
  const before = service.log('answered').length;
  const lines = () => service.log('answered').slice(before);
  await until(
    async () => {
      await ask(where);
      return new Set(lines().map(({ worker }) => worker)).size === 2;
    },
    () => 'one worker answers everything',
  );
  assert.ok(lines().every(({ address }) => address === '198.51.100.7'));
}

describe('a socket that a service manager has opened (LISTEN_FDS)', () => {
  for (const kind of someOf(['unix', 'tcp'] as const, 2)) {
    it(`is listened on by one process (${kind})`, async (t) => {
      const handed = await handOver(t, kind);
      const service = handed.start(await freshDatabase('sqlite', t), 1);
      await service.started();
      await handed.letGo();
      await ask(handed.where);
      await service.until(() => service.log('answered').length > 0);
      assert.equal(service.log('answered')[0]?.address, '198.51.100.7');
      service.child.kill('SIGTERM');
      assert.equal(await service.exit(), 0);
    });
  }

  it('is listened on by several workers, and by new ones, also when all die at once', async (t) => {
    const handed = await handOver(t, 'tcp');
    const service = handed.start(await freshDatabase('postgres', t), 2);
    await service.started();
    await service.until(() => service.workers.size === 2);
    await handed.letGo();
    await askBoth(service, handed.where);
    if (BY_NIGHT) {
      service.child.kill('SIGHUP');
      await service.until(() => service.log('all workers are replaced').length === 1);
      await askBoth(service, handed.where);
    }
    const before = service.workers.size;
    for (const { pid } of service.workers.values()) if (lives(pid)) process.kill(pid, 'SIGKILL');
    // The primary process has the socket.
    await service.until(() => service.workers.size === before + 2);
    await askBoth(service, handed.where);
  });
});

/** One call of somebody for whom a proxy on this machine speaks; repeated while a machine without time answers Busy. */
async function ask(where: { socketPath: string } | { port: number }): Promise<void> {
  const req = httpRequest({
    ...where,
    path: COUNT,
    agent: false,
    headers: { 'X-Forwarded-For': '198.51.100.7' },
  });
  req.end();
  const [res] = await once(req, 'response');
  const body = await text(res);
  if (res.headers['x-error-code'] === 'Busy') return ask(where);
  assert.equal(res.statusCode, 200, body);
}

/** A socket as systemd hands it over: opened before the service starts, as its descriptor 3. */
async function handOver(t: TestContext, kind: 'tcp' | 'unix') {
  const server = createServer();
  t.after(() => server.close());
  const socketPath = join(await temporaryFolder(t, 'ws01-listen-'), 'http.sock');
  await once(
    kind === 'tcp' ? server.listen(0, '127.0.0.1') : server.listen(socketPath),
    'listening',
  );
  const { fd } = (server as unknown as { _handle: { fd: number } })._handle;
  return {
    where: kind === 'tcp' ? { port: (server.address() as { port: number }).port } : { socketPath },
    start: (database: TestDatabase, workers: number) =>
      beginWorkers(t, database, {
        workers,
        // A port that is not listened on.
        env: { PORT: '1', TRUSTED_PROXIES: 'loopback' },
        listenFd: fd,
      }),
    /** Both have the socket; only one of them is to answer. Node removes the file of one that it closes. */
    async letGo() {
      if (kind === 'unix') await rename(socketPath, `${socketPath}.kept`);
      server.close();
      await once(server, 'close');
      if (kind === 'unix') await rename(`${socketPath}.kept`, socketPath);
    },
  };
}
