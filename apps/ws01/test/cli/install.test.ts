import assert from 'node:assert/strict';
import {
  appendFile,
  chmod,
  mkdir,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { parseEnv } from 'node:util';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { loadConfig } from '../../src/config/config.ts';
import { USUAL } from '../../src/config/settings.ts';
import { ws01 } from '../kit/command.ts';

const NOWHERE = { dataDir: join(tmpdir(), 'ws01-never-made'), databaseUrl: undefined };
const DROP_IN = 'etc/systemd/system/ws01.service.d/10-settings.conf';
const ENV_FILE = 'etc/ws01/ws01.env';
const NGINX = 'etc/nginx/conf.d/ws01.conf';

/** A machine that is a folder. */
async function machine(t: TestContext) {
  const root = await temporaryFolder(t, 'ws01 安装-');
  return {
    install: (...args: string[]) => ws01(NOWHERE, ['install', '--root', root, ...args]),
    read: (path: string) => readFile(join(root, path), 'utf8'),
    path: (path: string) => join(root, path),
    files: async () => (await filesBelow(root)).map((file) => file.slice(root.length + 1)).sort(),
  };
}

/** What is no folder; what is behind a link is not looked at. */
async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const below = entries.map((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
  return (await Promise.all(below)).flat();
}

/** Each line of a preview: what would be done, and where. */
function stepsOf(stdout: string): (readonly [string, string])[] {
  return stdout
    .trim()
    .split('\n')
    .map((line) => [line.slice(0, 7).trim(), line.slice(8)] as const);
}

describe('ws01 install', () => {
  test('shows what it would do, does it, and has nothing to do the second time', async (t) => {
    const { install, files, read, path } = await machine(t);
    const args = ['api.example.com', '--proxy', 'caddy'];
    const shown = await install(...args);
    assert.equal(shown.code, 0, shown.stderr);
    assert.match(shown.stderr, /Nothing was done/);
    assert.deepEqual(await files(), []);
    const done = await install(...args, '--yes');
    assert.equal(done.code, 0, done.stderr);
    assert.equal(done.stdout, shown.stdout);
    const runs = stepsOf(done.stdout).flatMap(([effect, what]) => (effect === 'run' ? what : []));
    assert.ok(runs.includes('systemctl restart ws01'));
    assert.ok(runs.includes('/usr/local/bin/ws01 backup'));
    assert.ok(runs.includes('/usr/local/bin/ws01 admin add owner --role owner'));
    assert.deepEqual(await files(), [
      ...['etc/caddy/Caddyfile', 'etc/caddy/ws01.caddyfile', 'etc/systemd/system/ws01.service'],
      ...['etc/ws01/installed.json', ENV_FILE, 'opt/ws01', 'usr/local/bin/ws01'],
    ]);
    assert.equal(await readlink(path('opt/ws01')), process.cwd());
    assert.equal((await stat(path(ENV_FILE))).mode & 0o777, 0o640);
    assert.equal((await stat(path('usr/local/bin/ws01'))).mode & 0o777, 0o755);
    assert.match(await read('etc/caddy/ws01.caddyfile'), /^api\.example\.com \{$/m);
    assert.match(await read('etc/caddy/ws01.caddyfile'), /reverse_proxy 127\.0\.0\.1:8080 \{/);
    const again = JSON.parse((await install(...args, '--json')).stdout);
    const effects = again.steps.map(({ effect }: { effect: string }) => effect);
    assert.deepEqual([...new Set(effects)].sort(), ['run', 'same']);
  });

  test('writes the settings that anybody sets, and changes those that are named', async (t) => {
    const { install, read, path } = await machine(t);
    const mail = "MAIL_FROM=Ada's <a@example.com>";
    await install('例子.example', '--proxy', 'caddy', '--set', mail, '--yes');
    const text = await read(ENV_FILE);
    const offered = [...text.matchAll(/^#?([A-Z_]+)=/gm)].map(([, name]) => name);
    assert.deepEqual(offered, [...USUAL]);
    const { baseUrl, trustedProxies, backupTo, mailFrom } = loadConfig(parseEnv(text));
    assert.equal(baseUrl, 'https://xn--fsqu00a.example');
    assert.deepEqual(trustedProxies, ['127.0.0.0/8', '::1/128']);
    assert.deepEqual(backupTo, { kind: 'disk', folder: '/backup' });
    assert.equal(mailFrom?.address, 'a@example.com');
    await appendFile(path(ENV_FILE), '# mine\nLOG_LEVEL=warn\n');
    const set = ['--set', 'PORT=9000', '--set', 'LOG_LEVEL=debug', '--set', 'WORKERS=1'];
    assert.equal((await install(...set, '--yes')).code, 0);
    const changed = await read(ENV_FILE);
    const expected = text.replace('#PORT=8080', 'PORT=9000');
    assert.equal(changed, `${expected}# mine\nLOG_LEVEL=debug\nWORKERS=1\n`);
  });

  test('opens a file that is right to those who read it', async (t) => {
    const { install, path } = await machine(t);
    await install('--yes');
    const closed = [ENV_FILE, 'usr/local/bin/ws01'];
    for (const file of closed) await chmod(path(file), 0o600);
    const shown = stepsOf((await install('--yes')).stdout);
    const changed = shown.flatMap(([effect, what]) => (effect === 'change' ? what : []));
    assert.deepEqual(
      changed,
      closed.map((file) => `/${file}`),
    );
    const modes = await Promise.all(closed.map(async (file) => (await stat(path(file))).mode));
    assert.deepEqual(
      modes.map((mode) => mode & 0o777),
      [0o640, 0o755],
    );
  });

  const needs: readonly (readonly [settings: string, lines: readonly string[]])[] = [
    ['BACKUP_TO=/backup/ws01', []],
    ['SOCKET_PATH=/run/ws01/http.sock', []],
    ['BACKUP_TO=/mnt/my disk', ['ReadWritePaths="/mnt/my disk"']],
    ['FILES_URL=/srv/files', ['ReadWritePaths=/srv/files']],
    ['FILES_URL=/srv/ws01/files', []],
    ['DATA_DIR=/data/ws01', ['Environment=DATA_DIR=/data/ws01', 'ReadWritePaths=/data/ws01']],
    ['SOCKET_PATH=/run/web/ws01.sock', ['ReadWritePaths=/run/web']],
    [
      'PORT=443',
      [
        ...['PrivateUsers=no', 'CapabilityBoundingSet=CAP_NET_BIND_SERVICE'],
        'AmbientCapabilities=CAP_NET_BIND_SERVICE',
      ],
    ],
    [
      'BACKUP_TO=s3://bucket/ws01?region=eu-central-1',
      ['IPAddressAllow=169.254.169.254 169.254.170.2 169.254.170.23 fd00:ec2::254 fd00:ec2::23'],
    ],
    ['BACKUP_TO=s3://bucket/ws01?region=eu-central-1 AWS_ACCESS_KEY_ID=AK', []],
  ];
  for (const [settings, lines] of needs) {
    test(`the unit gets what ${settings} needs`, async (t) => {
      const { install, read } = await machine(t);
      const set = settings.split(/ (?=[A-Z_]+=)/).flatMap((one) => ['--set', one]);
      const { code, stderr } = await install(...set, '--yes');
      assert.equal(code, 0, stderr);
      const text = await read(DROP_IN).catch(() => '');
      const found = text.split('\n').filter((line) => /^[A-Z]/.test(line));
      assert.deepEqual(found, lines);
      await install('--set', 'BACKUP_TO=/backup', '--yes');
    });
  }

  test('a drop-in goes with the setting that needed it', async (t) => {
    const { install, files } = await machine(t);
    await install('--set', 'PORT=80', '--yes');
    assert.ok((await files()).includes(DROP_IN));
    await install('--set', 'PORT=8080', '--yes');
    assert.ok(!(await files()).includes(DROP_IN));
  });

  test('leaves alone what somebody edited, and keeps it where it is to be replaced', async (t) => {
    const { install, read, path, files } = await machine(t);
    await install('--yes');
    const unit = 'etc/systemd/system/ws01.service';
    const ours = await read(unit);
    await writeFile(path(unit), `${ours}# mine\n`);
    const kept = await install('--yes');
    assert.match(kept.stderr, /Somebody edited \/etc\/systemd\/system\/ws01\.service: left alone/);
    assert.equal(await read(unit), `${ours}# mine\n`);
    await install('--replace', '--yes');
    assert.equal(await read(unit), ours);
    assert.equal(await read(`${unit}.before-install`), `${ours}# mine\n`);
    await writeFile(path('usr/local/bin/ws01'), 'mine');
    const gone = await install('--uninstall', '--yes');
    assert.match(gone.stderr, /the data, the backups and the user ws01/);
    assert.deepEqual(await files(), [
      `${unit}.before-install`,
      ...['etc/ws01/installed.json', ENV_FILE, 'usr/local/bin/ws01'],
    ]);
  });

  test('goes on where it was killed before it noted what it wrote, or amid that', async (t) => {
    const { install, read, path, files } = await machine(t);
    const record = 'etc/ws01/installed.json';
    await install('--yes');
    const whole = await read(record);
    for (const left of [undefined, '', whole.slice(0, 20), 'null', '[]']) {
      await (left === undefined ? rm(path(record)) : writeFile(path(record), left));
      const again = await install('--yes');
      assert.deepEqual([again.code, await read(record)], [0, whole], again.stderr);
    }
    assert.deepEqual(
      (await files()).filter((file) => file.endsWith('.new')),
      [],
    );
  });

  test('what it replaced stays beside, however often it is replaced', async (t) => {
    const { install, read, path } = await machine(t);
    const config = 'etc/caddy/ws01.caddyfile';
    await install('--yes');
    await mkdir(dirname(path(config)));
    await writeFile(path(config), 'mine');
    for (const name of ['a.example.com', 'b.example.com'])
      await install(name, '--proxy', 'caddy', '--replace', '--yes');
    assert.match(await read(config), /^b\.example\.com/m);
    assert.equal(await read(`${config}.before-install`), 'mine');
  });

  test('gets a certificate for nginx first, and then serves with it', async (t) => {
    const { install, read, path } = await machine(t);
    const args = ['a.example.com', 'b.example.com', '--proxy', 'nginx'];
    const without = await install(...args);
    assert.equal(without.code, 1);
    assert.match(without.stderr, /no certificate in \/etc\/letsencrypt\/live\/a\.example\.com/);
    const { stdout } = await install(...args, '--certbot', 'you@example.com', '--yes');
    const what = stepsOf(stdout).map(([, one]) => one);
    const site = what.indexOf('/etc/nginx/conf.d/ws01.conf');
    const certbot = what.findIndex((one) => one.startsWith('certbot certonly --webroot'));
    assert.match(what[certbot]!, / -d a\.example\.com -d b\.example\.com /);
    assert.ok(site < certbot && certbot < what.lastIndexOf('/etc/nginx/conf.d/ws01.conf'));
    const text = await read(NGINX);
    assert.match(text, /^ {2}server_name a\.example\.com b\.example\.com;$/m);
    assert.match(
      text,
      /ssl_certificate_key \/etc\/letsencrypt\/live\/a\.example\.com\/privkey\.pem;/,
    );
    assert.match(text, /^ {2}server 127\.0\.0\.1:8080;$/m);
    assert.ok(!text.includes('api.example.com') && !text.includes('8081'), path(NGINX));
  });

  const refused: readonly (readonly [args: readonly string[], code: number, told: RegExp])[] = [
    [['--set', 'PROT=1'], 2, /--set PROT: there is no such setting/],
    [['--set', 'PORT=many'], 78, /PORT/],
    [['--set', 'BACKUP_TO=/home/ada/backup'], 78, /the unit keeps \/home from the service/],
    [['--set', 'FILES_URL=files'], 78, /files: name the whole path/],
    [['a b', '--proxy', 'caddy'], 2, /a b is not the name of a server/],
    [['x.example; include /etc/passwd', '--proxy', 'nginx'], 2, /is not the name of a server/],
    [['--proxy', 'nginx'], 2, /Give the names that nginx serves/],
    [['api.example.com'], 1, /Neither nginx nor Caddy is installed/],
  ];
  for (const [args, code, told] of refused) {
    test(`writes nothing for ${args.join(' ')}`, async (t) => {
      const { install, files } = await machine(t);
      const result = await install(...args, '--yes');
      assert.equal(result.code, code, result.stderr);
      assert.match(result.stderr, told);
      assert.deepEqual(await files(), []);
    });
  }
});
