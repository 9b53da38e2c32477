import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';

/** A proxy that passes requests on to one server, and keeps the connections to it. */
export interface OtherServer {
  readonly name: string;
  /** A header that it adds to each request, once. */
  readonly mark: RegExp;
  /** Starts it. @param from its own port. @param to where it passes requests on. */
  start(test: TestContext, folder: string, from: number, to: number): Promise<void>;
}

const MARK = /\nx-garden: 1/;

async function write(folder: string, name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

async function run(
  test: TestContext,
  port: number,
  command: string,
  args: readonly string[],
  env = {},
): Promise<void> {
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    env: { ...process.env, ...env },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => (said = `${said}${text}`.slice(-2_000)));
  let ended = false;
  child.on('error', (error) => (said += error.message));
  child.on('exit', () => (ended = true));
  // With all that it has started: some of them are several processes.
  test.after(() => {
    try {
      process.kill(-child.pid!, 'SIGKILL');
    } catch {
      // It has ended already.
    }
  });
  for (let tries = 0; tries < 300; tries++) {
    if (await answers(port)) return;
    if (ended) break;
    await pause(100);
  }
  throw new Error(`${command} does not listen: ${said}`);
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const there = await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'error').then(() => false),
  ]).catch(() => false);
  socket.destroy();
  return there;
}

/** @param more what stands in its `location`. @param listen what stands behind its address. */
export const nginx = (name: string, more: string, listen = ''): OtherServer => ({
  name,
  mark: MARK,
  async start(test, folder, from, to) {
    const conf = await write(
      folder,
      'nginx.conf',
      `daemon off; master_process off; pid ${folder}/pid; error_log /dev/null;
events { worker_connections 4096; } http { access_log off; client_body_temp_path ${folder}/b; proxy_temp_path ${folder}/p; fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
upstream s { server 127.0.0.1:${to}; keepalive 8; }
server { listen 127.0.0.1:${from}${listen}; client_max_body_size 0; location / { proxy_pass http://s; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header X-Garden 1; ${more} } } }`,
    );
    await run(test, from, 'nginx', ['-c', conf, '-p', folder]);
  },
});

/** @param more further lines. */
export const apache = (name: string, more: readonly string[]): OtherServer => ({
  name,
  mark: MARK,
  async start(test, folder, from, to) {
    const modules = '/usr/lib/apache2/modules';
    const names = ['mpm_event', 'authz_core', 'proxy', 'proxy_http', 'headers', 'env', 'http2'];
    const conf = await write(
      folder,
      'apache.conf',
      `${names.map((one) => `LoadModule ${one}_module ${modules}/mod_${one}.so`).join('\n')}
ServerRoot ${folder}
PidFile ${folder}/pid
DefaultRuntimeDir ${folder}
ServerName localhost
Listen 127.0.0.1:${from}
ThreadLimit 256
ThreadsPerChild 256
MaxRequestWorkers 256
ErrorLog /dev/null
ProxyPass / http://127.0.0.1:${to}/
RequestHeader set X-Garden 1
${more.join('\n')}
`,
    );
    await run(test, from, 'apache2', ['-X', '-f', conf]);
  },
});

/** @param more an option. @param bind what stands behind its address. */
export const haproxy = (name: string, more: string, bind = ''): OtherServer => ({
  name,
  mark: MARK,
  async start(test, folder, from, to) {
    const conf = await write(
      folder,
      'haproxy.cfg',
      `defaults
 mode http
 timeout connect 5s
 timeout client 60s
 timeout server 60s
 http-reuse always
 ${more}
frontend f
 bind 127.0.0.1:${from}${bind}
 http-request set-header X-Garden 1
 default_backend b
backend b
 server s 127.0.0.1:${to}
`,
    );
    await run(test, from, 'haproxy', ['-db', '-f', conf]);
  },
});

export const PROXIES: readonly OtherServer[] = [
  nginx('nginx', 'proxy_request_buffering off;'),
  apache('Apache', []),
  haproxy('HAProxy', ''),
  {
    name: 'Varnish',
    mark: MARK,
    async start(test, folder, from, to) {
      const vcl = await write(
        folder,
        'v.vcl',
        `vcl 4.1;
backend default { .host = "127.0.0.1"; .port = "${to}"; }
sub vcl_recv { set req.http.X-Garden = "1"; return (pass); }
`,
      );
      await mkdir(join(folder, 'work'));
      await run(test, from, 'varnishd', [
        '-F',
        '-j',
        'none',
        '-a',
        `127.0.0.1:${from}`,
        '-f',
        vcl,
        '-n',
        join(folder, 'work'),
        '-s',
        'malloc,64m',
      ]);
    },
  },
  {
    name: 'Squid',
    mark: MARK,
    async start(test, folder, from, to) {
      await chmod(folder, 0o777);
      const conf = await write(
        folder,
        'squid.conf',
        `http_port 127.0.0.1:${from} accel defaultsite=x no-vhost
cache_peer 127.0.0.1 parent ${to} 0 no-query originserver
request_header_add X-Garden 1 all
http_access allow all
cache deny all
cache_log /dev/null
access_log none
pid_filename none
coredump_dir ${folder}
max_filedescriptors 4096
netdb_filename none
`,
      );
      await run(test, from, 'squid', ['-N', '-f', conf]);
    },
  },
  {
    name: 'h2o',
    mark: /\nx-forwarded-for: /,
    async start(test, folder, from, to) {
      const conf = await write(
        folder,
        'h2o.conf',
        `listen: { host: 127.0.0.1, port: ${from} }
hosts:
  default:
    paths:
      /: { proxy.reverse.url: "http://127.0.0.1:${to}/" }
`,
      );
      await run(test, from, 'h2o', ['-c', conf]);
    },
  },
  {
    name: 'Traffic Server',
    mark: /\nx-forwarded-for: /,
    async start(test, folder, from, to) {
      await chmod(folder, 0o777);
      for (const name of ['etc', 'var', 'log', 'cache']) await mkdir(join(folder, name));
      await write(folder, 'etc/remap.config', `map / http://127.0.0.1:${to}/\n`);
      await write(
        folder,
        'etc/ip_allow.yaml',
        'ip_allow: [{ apply: in, ip_addrs: 0/0, action: allow, methods: ALL }]\n',
      );
      await write(folder, 'etc/storage.config', `${folder}/cache 16M\n`);
      await write(
        folder,
        'etc/records.config',
        `CONFIG proxy.config.http.server_ports STRING ${from}:ip-in=127.0.0.1
CONFIG proxy.config.http.cache.http INT 0
CONFIG proxy.config.http.insert_squid_x_forwarded_for INT 1
CONFIG proxy.config.admin.user_id STRING #-1
CONFIG proxy.config.log.logging_enabled INT 0
CONFIG proxy.config.diags.output.diag STRING E
`,
      );
      await write(
        folder,
        'runroot.yaml',
        [
          'prefix: /usr',
          'exec_prefix: /usr',
          'bindir: /usr/bin',
          'sbindir: /usr/sbin',
          'libexecdir: /usr/lib/trafficserver/modules',
          `sysconfdir: ${folder}/etc`,
          `localstatedir: ${folder}/var`,
          `runtimedir: ${folder}/var`,
          `logdir: ${folder}/log`,
          `cachedir: ${folder}/cache`,
          'datadir: /usr/share',
          'libdir: /usr/lib',
          'includedir: /usr/include',
          '',
        ].join('\n'),
      );
      await run(test, from, 'traffic_server', [`--run-root=${folder}/runroot.yaml`]);
    },
  },
  {
    name: 'nghttpx',
    mark: MARK,
    async start(test, folder, from, to) {
      const conf = await write(folder, 'nghttpx.conf', '');
      await run(test, from, 'nghttpx', [
        `--conf=${conf}`,
        `--frontend=127.0.0.1,${from};no-tls`,
        `--backend=127.0.0.1,${to}`,
        '--add-request-header=X-Garden: 1',
        '--errorlog-file=/dev/null',
        '--accesslog-file=/dev/null',
        '--workers=1',
      ]);
    },
  },
];
