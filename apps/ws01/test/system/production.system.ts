// needs: debootstrap systemd-nspawn=systemd-container openssl
/**
 * docs/production.md on a bare Debian 12 with systemd, line by line: what `npm run release` made is unpacked,
 * installed, looked at, and its backup restored. Then the commands of the pages for later, which lose no picture.
 * What a machine without a name has not is put there: `npm ci` runs outside, and a certificate of our own stands for
 * certbot's. As root; most of its ten minutes are for Debian.
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
import { blackPng } from '../kit/images/containers.ts';

const run = promisify(execFile);

/** What a page asks for that is no part of a minimal Debian; npm is outside, so its libraries are here. */
const PACKAGES = 'systemd,systemd-sysv,dbus,libatomic1,ca-certificates,curl,nginx-light,postgresql';

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

/** The blocks of a page in a language, each as its lines. */
async function blocksOf(page: string, language = 'sh'): Promise<readonly (readonly string[])[]> {
  const text = await readFile(`docs/${page}.md`, 'utf8');
  return [...text.matchAll(/^```(\w+)\n([^`]*)```$/gm)]
    .filter(([, of]) => of === language)
    .map(([, , block]) => block!.trim().split('\n'));
}

type Inside = (line: string) => Promise<string>;

const NEXT_TO_IT = 'https://api.example.com/WS01.asmx';

/** Stores a picture. @returns a test that it is shown, by a service of which nothing worse is known. */
async function pictureIn(inside: Inside): Promise<(after: string) => Promise<void>> {
  const sent = `verifyCode@/var/lib/ws01/first-token -d FileGuid=p -d FileImg=`;
  const picture = encodeURIComponent(blackPng(64, 64).toString('base64'));
  const call = 'curl --silent --show-error --insecure';
  const stored = await inside(
    `${call} ${NEXT_TO_IT}/InsertArticleImageFile --data-urlencode ${sent}${picture}`,
  );
  assert.match(stored, />true</);
  const list = await inside(`${call} ${NEXT_TO_IT}/QueryImgData -d x=`);
  const address = /"url":"([^"]+)"/.exec(list)![1];
  return async (after) => {
    assert.match(await inside('ws01 status'), /ready at 127\.0\.0\.1:8080/, after);
    assert.equal(await inside(`${call} -o /dev/null -w '%{http_code}' ${address}`), '200', after);
  };
}

/** docs/postgresql.md, there and back. */
async function moveToPostgresAndBack(inside: Inside, isShown: (after: string) => Promise<void>) {
  const [statements] = await blocksOf('postgresql', 'sql');
  await inside(`su postgres -c psql <<'END'\n${statements!.join('\n')}\nEND`);
  const blocks = await blocksOf('postgresql');
  const [address] = blocks[0]!;
  for (const block of blocks) {
    for (const line of block) {
      const told = await inside(`${address}; ${line.replace(/^ws01 doctor$/, '$& || true')}`);
      if (line === 'ws01 doctor') assert.match(told, /ok +database +postgres answers/);
      if (line.startsWith('ws01 copy')) assert.match(told, /^images +1 /m);
    }
    await isShown(block.at(-1)!);
  }
}

/** docs/later.md: another folder, and settings that a reload reads. */
async function changeLater(inside: Inside, isShown: (after: string) => Promise<void>) {
  await inside('systemctl stop ws01; mv /var/lib/ws01-new /srv/ws01');
  await inside('ws01 install --set DATA_DIR=/srv/ws01 --yes');
  await isShown('another DATA_DIR');
  await inside(
    'printf "LOG_LEVEL=debug\\nPORT=8099\\n" >> /etc/ws01/ws01.env; systemctl reload ws01',
  );
  await until(async () =>
    /"changed":\["LOG_LEVEL"\],"needRestart":\["PORT"\]/.test(
      await inside('journalctl -u ws01 -o cat -n 20'),
    ),
  );
  const file = '/etc/ws01/ws01.env';
  await inside(`sed -i s,^DATA_DIR=.*,DATA_DIR=/srv/other, ${file}; systemctl reload ws01`);
  const noted = /DATA_DIR in \/etc\/ws01\/ws01\.env has no effect/;
  await until(async () => noted.test(await inside('journalctl -u ws01 -o cat -n 20')));
  await inside(`sed -i s,^DATA_DIR=.*,DATA_DIR=/srv/ws01, ${file}`);
  await inside('sed -i "/^LOG_LEVEL=/d; s/^PORT=8099/PORT=80a/" /etc/ws01/ws01.env');
  // docs/trouble.md: what a start with a wrong setting says.
  await inside('systemctl restart ws01 || true');
  assert.match(await inside('systemctl show ws01 -p ExecMainStatus'), /=78\n/);
  assert.match(await inside('journalctl -u ws01 -o cat -n 9'), /^ws01: PORT must be .*"80a"/m);
  await inside(`sed -i /^PORT=/d ${file}; chown root:root ${file}; systemctl restart ws01 || true`);
  assert.match(await inside('systemctl show ws01 -p ExecMainStatus'), /=78\n/);
  assert.match(
    await inside('journalctl -u ws01 -o cat -n 9'),
    /EACCES; as root: ws01 install --yes/,
  );
  await inside('systemctl reset-failed ws01; ws01 install --yes');
  await isShown('settings that were closed to the service');
}

/** docs/another-machine.md, with one machine that is emptied in between. */
async function moveToAnotherMachine(
  inside: Inside,
  install: string,
  isShown: (after: string) => Promise<void>,
) {
  await inside('systemctl stop ws01; ws01 backup /backup/move; ws01 install --uninstall --yes');
  const kept = 'mkdir -p /root/kept; cp -a /backup/move /etc/ws01/ws01.env /root/kept';
  await inside(`${kept}; rm -rf /srv/ws01 /var/lib/ws01* /backup /etc/ws01; userdel ws01`);
  await inside(`${install}; cp /root/kept/ws01.env /etc/ws01; cp -a /root/kept/move /backup`);
  const [block] = await blocksOf('another-machine');
  for (const line of block!) await inside(line);
  await isShown('another machine');
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
  const lines = (await blocksOf('production')).flat();
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
  const took = Math.round((performance.now() - began) / 1000);
  const isShown = await pictureIn(inside);
  await moveToPostgresAndBack(inside, isShown);
  await changeLater(inside, isShown);
  await moveToAnotherMachine(inside, `cd ${home.slice(root.length)} && ${install}`, isShown);
  // As a disk that was just mounted.
  await inside('mkdir /mnt/disk');
  await inside('ws01 install --set BACKUP_TO=/mnt/disk --set PORT=444 --proxy none --yes');
  assert.match(await inside('ws01 doctor || true'), /ok {4}backup {5}\/mnt\/disk can be written/);
  await inside('ws01 install --uninstall --yes');
  assert.match(
    await inside('systemctl is-active ws01 || true; ls /etc/ws01'),
    /inactive\nws01\.env/,
  );
  t.diagnostic(`${lines.length} commands, ${words} words, ${took} s`);
});
