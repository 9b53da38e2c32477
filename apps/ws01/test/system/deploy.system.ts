// needs: nginx haproxy caddy logrotate systemd-analyze=systemd openssl
/** The files of deploy/, tried with their own checkers and with calls through them. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { Agent, createServer, type RequestListener, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { freePort, listen } from '../../../../packages/asmx/test/kit/listen.ts';
import { freshDatabase, type TestDatabase } from '../kit/database.ts';
import { type ServiceProcess, spawnService } from '../kit/process.ts';
import { TOKEN } from '../kit/service.ts';

const run = promisify(execFile);

async function folderOf(t: TestContext): Promise<string> {
  const folder = await temporaryFolder(t, 'ws01-deploy-');
  await run(
    'openssl',
    `req -x509 -newkey rsa:2048 -nodes -keyout ${folder}/key.pem -out ${folder}/cert.pem -days 2 -subj /CN=api.example.com`.split(
      ' ',
    ),
  );
  await writeFile(
    join(folder, 'combined.pem'),
    (await readFile(`${folder}/cert.pem`, 'utf8')) + (await readFile(`${folder}/key.pem`, 'utf8')),
  );
  return folder;
}

/** A file of deploy/ with its paths, ports and names of a test. */
async function adapted(
  file: string,
  folder: string,
  replacements: readonly [string | RegExp, string][],
): Promise<string> {
  let text = await readFile(join('deploy', file), 'utf8');
  for (const [from, to] of replacements) {
    assert.ok(
      typeof from === 'string' ? text.includes(from) : from.test(text),
      `${file} has no ${from}`,
    );
    text = typeof from === 'string' ? text.replaceAll(from, to) : text.replace(from, to);
  }
  const path = join(folder, file.replaceAll('/', '-'));
  await writeFile(path, text);
  return path;
}

/** Starts a server of HTTP. @returns its port. */
async function listenAs(t: TestContext, answer: RequestListener): Promise<number> {
  const server = createServer((req, res) => {
    req.resume();
    answer(req, res);
  });
  return listen(t, server);
}

function start(t: TestContext, command: string, args: readonly string[]): void {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  t.after(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
}

const nginxMain = (folder: string, included: string): string =>
  `daemon off; master_process off; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
events {} http { client_body_temp_path ${folder}/b; proxy_temp_path ${folder}/p; fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s; include ${included}; }`;

/** How each proxy is started on a port with two nodes behind it. */
const PROXIES: Record<
  string,
  (t: TestContext, folder: string, port: number, nodes: readonly number[]) => Promise<void>
> = {
  async nginx(t, folder, port, [one, two]) {
    const conf = await adapted('nginx/ws01.conf', folder, [
      ['listen 443 ssl;', `listen 127.0.0.1:${port};`],
      [/ {2}listen \[::\]:443 ssl;\n/, ''],
      [/ {2}ssl_certificate[^\n]*\n {2}ssl_certificate_key[^\n]*\n/, ''],
      ['/var/log/nginx', folder],
      ['127.0.0.1:8081', `127.0.0.1:${one}`],
      ['127.0.0.1:8082', `127.0.0.1:${two}`],
    ]);
    await writeFile(join(folder, 'nginx.conf'), nginxMain(folder, conf));
    start(t, 'nginx', ['-c', join(folder, 'nginx.conf')]);
  },
  async haproxy(t, folder, port, [one, two]) {
    const conf = await adapted('haproxy/haproxy.cfg', folder, [
      [/bind :443 [^\n]*/, `bind 127.0.0.1:${port}`],
      ['127.0.0.1:8081', `127.0.0.1:${one}`],
      ['127.0.0.1:8082', `127.0.0.1:${two}`],
    ]);
    start(t, 'haproxy', ['-f', conf]);
  },
};

/** Calls one after another on each of some connections, until told to end. */
class Load {
  readonly lost: string[] = [];
  done = 0;
  #on = true;
  readonly #agent: Agent;
  readonly #running: Promise<void>[];

  constructor(port: number) {
    const agent = new Agent({ keepAlive: true, maxSockets: 8 });
    this.#agent = agent;
    this.#running = Array.from({ length: 8 }, async (_, worker) => {
      for (let call = 0; this.#on; call++) {
        const answer = await post(agent, port, `${worker}-${call}`).catch(
          (error: Error) => error.message,
        );
        if (answer === '200') this.done += 1;
        else this.lost.push(answer);
      }
    });
  }

  async end(): Promise<void> {
    this.#on = false;
    await Promise.all(this.#running);
    this.#agent.destroy();
  }
}

function post(agent: Agent, port: number, guid: string): Promise<string> {
  const body = new URLSearchParams({
    token: TOKEN,
    guid,
    caption: 'c',
    content: 'text',
  }).toString();
  return new Promise((resolve, reject) => {
    const headers = {
      Host: 'api.example.com',
      'Content-Type': 'application/x-www-form-urlencoded',
      'Content-Length': body.length,
    };
    const req = request(
      { agent, port, method: 'POST', path: '/WS01.asmx/InsertArticle', headers },
      (res) => {
        res
          .resume()
          .on('end', () => resolve(String(res.statusCode)))
          .on('error', reject);
      },
    );
    req.on('error', reject).end(body);
  });
}

const startNode = (t: TestContext, database: TestDatabase, port: number): Promise<ServiceProcess> =>
  spawnService(t, database, {
    PORT: String(port),
    DRAIN_SECONDS: '4',
    RATE_LIMITS: 'off',
    BASE_URL: 'http://api.example.com',
  });

describe('an upgrade under load, one node after the other, loses no call', () => {
  for (const [name, proxy] of Object.entries(PROXIES)) {
    it(`behind ${name}`, async (t) => {
      const folder = await folderOf(t);
      const database = await freshDatabase('postgres', t);
      const ports = [await freePort(), await freePort()];
      const nodes: ServiceProcess[] = [];
      for (const port of ports) nodes.push(await startNode(t, database, port));
      const port = await freePort();
      await proxy(t, folder, port, ports);
      await pause(2_000);
      const load = new Load(port);
      await pause(1_000);
      for (const [index, node] of nodes.entries()) {
        assert.equal(await node.end('SIGTERM'), 0);
        await startNode(t, database, ports[index]!);
        await pause(2_500);
      }
      await load.end();
      t.diagnostic(`${load.done} calls, ${load.lost.length} lost`);
      const reasons = await readFile(join(folder, 'error.log'), 'utf8').catch(() => '');
      assert.deepEqual(load.lost, [], reasons.slice(-2_000));
      assert.ok(load.done > 100);
    });
  }
});

describe('a node that answers 503 has its answer reach the caller, and no other node gets the call', () => {
  for (const [name, proxy] of Object.entries(PROXIES)) {
    it(`behind ${name}`, async (t) => {
      let calls = 0;
      const node: RequestListener = ({ url }, res) => {
        if (url === '/readyz') return res.end('ok');
        calls++;
        return res.writeHead(503).end('It is not known whether this was done.');
      };
      const ports = [await listenAs(t, node), await listenAs(t, node)];
      const port = await freePort();
      await proxy(t, await folderOf(t), port, ports);
      await pause(2_000);
      for (const method of ['GET', 'POST']) {
        calls = 0;
        const { status } = await fetch(`http://127.0.0.1:${port}/WS01.asmx/submitReview?id=1`, {
          method,
        });
        assert.deepEqual({ method, status, calls }, { method, status: 503, calls: 1 });
      }
    });
  }
});

describe('the files pass their own checkers', () => {
  it('systemd: exposure at most 2, wrong settings are not started again', async () => {
    const { stdout } = await run('systemd-analyze', [
      'security',
      '--offline=yes',
      'deploy/systemd/ws01.service',
    ]);
    const level = Number(/Overall exposure level for ws01\.service: ([\d.]+)/.exec(stdout)?.[1]);
    assert.ok(level <= 2, stdout.slice(-200));
    assert.match(
      await readFile('deploy/systemd/ws01.service', 'utf8'),
      /^RestartPreventExitStatus=78$/m,
    );
  });

  it('nginx: the strangler map sends chosen operations to the old server, in SOAP 1.1, 1.2, GET and POST', async (t) => {
    const folder = await folderOf(t);
    const [newPort, oldPort] = [
      await listenAs(t, (_, res) => res.end('new')),
      await listenAs(t, (_, res) => res.end('old')),
    ];
    const port = await freePort();
    const conf = await adapted('nginx/strangler.conf', folder, [
      ['listen 80;', `listen 127.0.0.1:${port};`],
      ['/var/log/nginx', folder],
      ['127.0.0.1:8081', `127.0.0.1:${newPort}`],
      ['127.0.0.1:8090', `127.0.0.1:${oldPort}`],
    ]);
    await writeFile(join(folder, 'nginx.conf'), nginxMain(folder, conf));
    start(t, 'nginx', ['-c', join(folder, 'nginx.conf')]);
    await pause(500);
    const side = async (path: string, headers: Record<string, string> = {}, method = 'POST') =>
      (await fetch(`http://127.0.0.1:${port}${path}`, { method, headers })).text();
    const soap12 = (action: string) => ({
      'Content-Type': `application/soap+xml; charset=utf-8; action="urn:ws01/${action}"`,
    });
    assert.equal(await side('/WS01.asmx', { SOAPAction: '"urn:ws01/SendEmail"' }), 'old');
    assert.equal(await side('/WS01.asmx', { SOAPAction: '"urn:ws01/InsertArticle"' }), 'new');
    assert.equal(await side('/WS01.asmx', soap12('queryEmailsent')), 'old');
    assert.equal(await side('/WS01.asmx', soap12('QueryAdvert')), 'new');
    assert.equal(await side('/WS01.asmx/SendEmail?token=x', {}, 'GET'), 'old');
    assert.equal(await side('/WS01.asmx/DeleteArticleByGuid'), 'new');
    assert.equal(await side('/api/Service.asmx'), 'old');
    const log = await readFile(join(folder, 'ws01.log'), 'utf8');
    assert.doesNotMatch(log, /token/);
  });

  it('Caddy', async () => {
    for (const file of ['Caddyfile', 'strangler.Caddyfile']) {
      await run(
        'caddy',
        ['validate', '--adapter', 'caddyfile', '--config', join('deploy/caddy', file)],
        {
          env: { ...process.env, HOME: tmpdir() },
        },
      );
    }
  });

  it('HAProxy', async (t) => {
    const folder = await folderOf(t);
    const conf = await adapted('haproxy/haproxy.cfg', folder, [
      ['/etc/ssl/ws01/combined.pem', `${folder}/combined.pem`],
    ]);
    await run('haproxy', ['-c', '-f', conf]);
  });

  it('logrotate', async () => {
    await run('logrotate', ['-d', 'deploy/logrotate/ws01']);
  });
});
