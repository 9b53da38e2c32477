// needs: debootstrap systemd-nspawn=systemd-container openssl
/**
 * docs/production.md on a bare Debian 12 with systemd, line by line: what `npm run release` made is unpacked,
 * installed, looked at, and its backup restored. What a machine without a name has not is put there: `npm ci` runs
 * outside, and a certificate of our own stands for certbot's. As root; most of its ten minutes are for Debian.
 */
import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { until } from '../../../../packages/asmx/test/kit/until.ts';

const run = promisify(execFile);

/** What a page asks for that is no part of a minimal Debian; npm is outside, so its libraries are here. */
const PACKAGES = 'systemd,systemd-sysv,dbus,libatomic1,ca-certificates,curl,nginx-light';

/** A Debian that runs its systemd. @returns what runs a line in it, as root types it. */
async function bareDebian(root: string) {
  const container = spawn(
    'systemd-nspawn',
    ['-D', root, '--register=no', '--keep-unit', '--private-network', '--boot'],
    { stdio: 'ignore' },
  );
  const ended = once(container, 'exit');
  const stop = async () => {
    container.kill('SIGTERM');
    await ended;
  };
  const init = () =>
    readFile(`/proc/${container.pid}/task/${container.pid}/children`, 'utf8').then(
      (pids) => pids.trim().split(' ')[0] ?? '',
      () => '',
    );
  const inside = async (line: string) => {
    const args = ['-t', await init(), '-a', '/bin/sh', '-ec', line];
    return (await run('nsenter', args, { maxBuffer: 1 << 24 })).stdout;
  };
  await until(async () =>
    /running|degraded/.test(await inside('systemctl is-system-running || true').catch(() => '')),
  );
  return { inside, [Symbol.asyncDispose]: stop };
}

/** The lines of the page's blocks for the shell. */
async function linesOfPage(): Promise<readonly string[]> {
  const page = await readFile('docs/production.md', 'utf8');
  return [...page.matchAll(/^```sh\n([^`]*)```$/gm)].flatMap(([, block]) =>
    block!.trim().split('\n'),
  );
}

test('the page leads from a bare Debian to a restored backup', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'ws01-production-'));
  const root = join(folder, 'debian');
  t.after(() => rm(folder, { recursive: true, force: true }));
  const { stdout: made } = await run(process.execPath, ['scripts/release.ts', folder]);
  const archive = made.split('\n').find((file) => file.endsWith('.tar.gz'))!;
  execFileSync('debootstrap', ['--variant=minbase', `--include=${PACKAGES}`, 'bookworm', root], {
    stdio: 'ignore',
  });
  const began = performance.now();
  const lines = await linesOfPage();
  assert.ok(lines.length <= 12, `${lines.length} lines`);
  const words = (await readFile('docs/production.md', 'utf8')).split(/\s+/).length;
  assert.ok(words <= 1_500, `${words} words`);
  const opt = join(root, 'opt');
  await run('tar', ['-xzf', archive, '-C', opt]);
  const home = join(opt, basename(archive, '.tar.gz'));
  await run('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: home,
    env: { ...process.env, NODE_ENV: 'production' },
    maxBuffer: 1 << 24,
  });
  // Debian's npm brings one, which hands over to the Node of the release.
  await symlink(`${home.slice(root.length)}/node_modules/.bin/node`, join(root, 'usr/bin/node'));
  const live = join(root, 'etc/letsencrypt/live/api.example.com');
  await run('mkdir', ['-p', live]);
  const files = ['-keyout', `${live}/privkey.pem`, '-out', `${live}/fullchain.pem`];
  const certificate = 'req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=api.example.com';
  await run('openssl', [...certificate.split(' '), ...files]);
  await using debian = await bareDebian(root);
  const { inside } = debian;
  await inside('echo 127.0.0.1 api.example.com >> /etc/hosts');
  const told: Record<string, string> = {};
  for (const line of lines) {
    if (/^(?:apt-get|sha256sum|tar|cd) /.test(line)) continue;
    const here = line.startsWith('bin/') ? `cd ${home.slice(root.length)} && ${line}` : line;
    // Nobody knows our certificate: curl is told so, and doctor says it.
    const known = here.replace(/^curl /, 'curl --silent --show-error --insecure ');
    told[line] = await inside(known.replace(/^ws01 doctor$/, '$& || true'));
  }
  const install = Object.keys(told).find((line) => line.endsWith('--yes'))!;
  assert.match(told[install]!, /restored, \d+ rows compared/);
  assert.match(told[install]!, /https:\/\/api\.example\.com\/console\/set-up\//);
  assert.match(told['ws01 status']!, /ready at 127\.0\.0\.1:8080/);
  assert.deepEqual(told['ws01 doctor']!.match(/^(?:FAIL|WARN) .*: /gm), [
    'FAIL  proxy      https://api.example.com/WS01.asmx?WSDL: ',
  ]);
  assert.match(told['ws01 token create --label website']!, /^ws1_\w{38}$/m);
  assert.match(Object.entries(told).find(([line]) => line.startsWith('curl'))![1], /first/);
  assert.match(told['ws01 restore --yes --replace']!, /Restored \d+ rows/);
  assert.match(await inside('ws01 status'), /ready at 127\.0\.0\.1:8080/);
  const again = await inside(`cd ${home.slice(root.length)} && ${install}`);
  assert.doesNotMatch(again, /^(?:new|change|kept|remove)/m);
  await inside('ws01 install --set BACKUP_TO=/mnt/disk --set PORT=444 --proxy none --yes');
  assert.match(await inside('ws01 doctor || true'), /ok {4}backup {5}\/mnt\/disk can be written/);
  await inside('ws01 install --uninstall --yes');
  assert.match(
    await inside('systemctl is-active ws01 || true; ls /etc/ws01'),
    /inactive\nws01\.env/,
  );
  t.diagnostic(
    `${lines.length} commands, ${words} words, ${Math.round((performance.now() - began) / 1000)} s`,
  );
});
