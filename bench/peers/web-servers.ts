import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../packages/asmx/test/kit/listen.ts';
import { type Side, startSide } from '../kit/sides/side.ts';
import { hasProgram, PATH, type Peer } from './peer.ts';

/** nginx, one process, answers a constant; Debian: nginx-light. It does not read the body into memory. */
export const nginx: Peer = {
  name: 'nginx, constant',
  async start({ contentType, body }) {
    if (!hasProgram('nginx')) return undefined;
    const port = await freePort();
    const file = inFolder('nginx.conf', (folder) =>
      nginxSettings(port, folder, constantOfNginx(contentType, body)),
    );
    return startAt(port, this.name, `exec nginx -c '${file}'`);
  },
};

/**
 * nginx, one process, that serves the files of a folder below a path, and redirects any other.
 * @returns `undefined` where it is not installed.
 */
export async function nginxFiles(
  path: string,
  files: string,
  target: string,
): Promise<Side | undefined> {
  if (!hasProgram('nginx')) return undefined;
  const port = await freePort();
  const location = `alias '${files}/'; add_header Cache-Control 'public, max-age=31536000, immutable';`;
  const redirect = `add_header Cache-Control no-store; return 302 '${target}';`;
  const file = inFolder('nginx.conf', (folder) =>
    nginxSettings(port, folder, `${location} } location / { ${redirect}`, path),
  );
  return startAt(port, 'nginx', `exec nginx -c '${file}'`);
}

/** h2o, one thread, answers a constant by mruby, because its files can only be had with GET; Debian: h2o. */
export const h2o: Peer = {
  name: 'h2o, constant by mruby',
  async start({ contentType, body }) {
    if (!hasProgram('h2o')) return undefined;
    const port = await freePort();
    const headers = `{"content-type" => ${quoted(contentType)}, "cache-control" => "private, max-age=0"}`;
    const file = inFolder(
      'h2o.conf',
      () => `num-threads: 1
listen: {host: 127.0.0.1, port: ${port}}
hosts:
  default:
    paths:
      ${PATH}:
        mruby.handler: |
          Proc.new { |env| [200, ${headers}, [${quoted(body)}]] }
`,
    );
    return startAt(port, this.name, `exec h2o -m worker -c '${file}'`);
  },
};

/** PHP's SoapServer in PHP-FPM behind nginx, two workers; Debian: nginx-light, php-fpm, php-soap. */
export const phpFpm: Peer = {
  name: 'PHP SoapServer, PHP-FPM behind nginx',
  async start() {
    const fpm = ['php-fpm8.4', 'php-fpm8.3', 'php-fpm8.2', 'php-fpm'].find(hasProgram);
    if (!hasProgram('nginx') || fpm === undefined) return undefined;
    const port = await freePort();
    const file = inFolder('nginx.conf', (folder) => {
      writeFileSync(join(folder, 'fpm.conf'), fpmSettings(folder));
      return nginxSettings(port, folder, fastcgi(folder));
    });
    const settings = '-d opcache.enable=1 -d soap.wsdl_cache_enabled=1 -d display_errors=0';
    const fpmCommand = `${fpm} -F -R ${settings} -y '${join(file, '..', 'fpm.conf')}' 2>/dev/null`;
    const untilThere = `while [ ! -S '${join(file, '..', 'fpm.sock')}' ]; do sleep 0.05; done`;
    const stop = `trap 'kill $fpm $nginx' TERM; wait $fpm; wait $nginx`;
    return startAt(
      port,
      this.name,
      `${fpmCommand} & fpm=$!; ${untilThere}; nginx -c '${file}' & nginx=$!; ${stop}`,
    );
  },
};

/** Writes a file of settings into a folder of its own, which goes with this process. @returns its path. */
function inFolder(name: string, settings: (folder: string) => string): string {
  const folder = mkdtempSync(join(tmpdir(), 'ws01-peer-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, name);
  writeFileSync(file, settings(folder));
  return file;
}

const PATIENCE_MS = 20_000;
const STEP_MS = 20;

/** Starts programs that do not print where they listen, and waits until they do. @param commands for the shell. */
async function startAt(port: number, name: string, commands: string): Promise<Side> {
  const announced = `PATH="$PATH:/usr/sbin"; echo http://127.0.0.1:${port}; ${commands}`;
  const side = await startSide(name, ['/bin/sh', '-c', announced]);
  const end = performance.now() + PATIENCE_MS;
  while (!(await listens(port))) {
    if (performance.now() > end) throw new Error(`${name} does not listen.`);
    await sleep(STEP_MS);
  }
  return side;
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

function nginxSettings(port: number, folder: string, location: string, path = `= ${PATH}`): string {
  return `user root; daemon off; master_process off; worker_processes 1; pid ${folder}/nginx.pid; error_log stderr crit;
events { worker_connections 1024; }
http {
  types { image/jpeg jpg; } sendfile on; tcp_nopush on; open_file_cache max=100;
  access_log off; keepalive_requests 1000000000; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi; uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  server { listen 127.0.0.1:${port}; location ${path} { ${location} } }
}
`;
}

function constantOfNginx(contentType: string, body: string): string {
  const text = body.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
  return `default_type '${contentType}'; add_header Cache-Control 'private, max-age=0'; return 200 '${text}';`;
}

function fastcgi(folder: string): string {
  const params = Object.entries({
    SCRIPT_FILENAME: `${import.meta.dirname}/php-server.php`,
    REQUEST_METHOD: '$request_method',
    CONTENT_TYPE: '$content_type',
    CONTENT_LENGTH: '$content_length',
    HTTP_SOAPACTION: '$http_soapaction',
  });
  return `fastcgi_pass unix:${folder}/fpm.sock; ${params.map(([name, value]) => `fastcgi_param ${name} ${value};`).join(' ')}`;
}

function fpmSettings(folder: string): string {
  return `[global]
error_log = /dev/null
daemonize = no
[www]
listen = ${folder}/fpm.sock
user = root
group = root
pm = static
pm.max_children = 2
`;
}

/** A text of Ruby without interpolation. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll('#', '\\#');
}
