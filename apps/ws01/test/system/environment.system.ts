// needs: mount unshare=util-linux setpriv=util-linux prlimit=util-linux
/** Grounds on which a service may stand: each works, or says in one line what to do. Root only. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, chown, cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { JSON_BINDING, TEST_BINDINGS } from '../kit/bindings.ts';
import { ws01 } from '../kit/command.ts';
import type { TestDatabase } from '../kit/database.ts';
import { processEnv, replaceFixed } from '../kit/fixed.ts';
import { blackPng } from '../kit/images/containers.ts';
import { type ServiceProcess, spawnService } from '../kit/process.ts';
import { TOKEN } from '../kit/service.ts';

const run = promisify(execFile);
const [soap11] = TEST_BINDINGS;
const NOBODY = 65_534;

/** As a shell command, these start the service behind them. */
const asNobody = `exec setpriv --reuid=${NOBODY} --regid=${NOBODY} --clear-groups "$0" "$@"`;
const mountedBefore = (mounting: string) =>
  `exec unshare -m /bin/sh -c '${mounting} && exec "$0" "$@"' "$0" "$@"`;

async function folderOf(t: TestContext, name = 'data'): Promise<string> {
  const folder = await temporaryFolder(t, 'ws01-ground-');
  const inner = join(folder, name);
  await mkdir(inner);
  return inner;
}

async function mounted(t: TestContext, size: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'ws01-ground-'));
  await run('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]);
  t.after(async () => {
    await run('umount', ['--lazy', folder]);
    await rm(folder, { recursive: true, force: true });
  });
  return folder;
}

/** What `/readyz?verbose` answers. */
interface Health {
  readonly parts: Readonly<Record<'disk', { readonly state: string }>>;
}

const databaseIn = (dataDir: string) => ({ dataDir, databaseUrl: undefined }) as TestDatabase;

const insert = ({ url }: ServiceProcess, guid: string, content = 'Two rooms') =>
  JSON_BINDING.call(url, 'InsertArticle', { token: TOKEN, guid, caption: guid, content });

const upload = ({ url }: ServiceProcess, FileGuid: string) =>
  soap11!.call(url, 'InsertArticleImageFile', {
    verifyCode: TOKEN,
    FileGuid,
    FileImg: blackPng(64, 64).toString('base64'),
  });

async function assertServes(service: ServiceProcess): Promise<void> {
  assert.equal((await insert(service, 'a')).status, 200);
  const stored = await upload(service, 'p');
  assert.equal(stored.result, 'true', stored.body);
  const ready = await fetch(`${service.url}/readyz?verbose`);
  assert.equal(ready.status, 200, await ready.text());
  assert.equal(await service.end('SIGTERM'), 0, service.output());
}

/** Asserts that a start is refused in one line. */
async function refuses(starting: Promise<ServiceProcess>, reason: RegExp): Promise<void> {
  await assert.rejects(starting, ({ message }: Error) => {
    const told = message.split('\n').filter((line) => line.startsWith('ws01: '));
    assert.equal(told.length, 1, message);
    assert.match(told[0]!, reason);
    assert.doesNotMatch(message, /^\s+at /m, 'no stack trace');
    return true;
  });
}

describe('serves all the same', () => {
  const places = ['a b', "o'clock", '100%41', '#1?x=y', '数据', 'node_modules', 'a;b&c', 'a\\b'];
  for (const name of places) {
    it(`with a DATA_DIR called ${name}`, async (t) => {
      await assertServes(await spawnService(t, databaseIn(await folderOf(t, name))));
    });
  }

  const grounds: Readonly<Record<string, { limits?: string; env?: Record<string, string> }>> = {
    'without /tmp': { limits: mountedBefore('mount -t tmpfs -o ro,size=4k none /tmp/') },
    'with a TMPDIR that is not there': { env: { TMPDIR: '/no/such/folder' } },
    'without HOME and a language': { limits: 'unset HOME; LANG=C LC_ALL=C' },
    'where new files are nobody’s': { limits: 'umask 0777; umask 0077' },
    'with 128 descriptors': { limits: 'ulimit -n 128' },
  };
  for (const [what, { limits, env }] of Object.entries(grounds)) {
    it(what, async (t) => {
      // Not below /tmp, which may be away.
      const dataDir = await mkdtemp('/var/tmp/ws01-ground-');
      t.after(() => rm(dataDir, { recursive: true, force: true }));
      await assertServes(await spawnService(t, databaseIn(dataDir), env, limits));
    });
  }
});

/** Disks that these tests fill are called short, not the one that they run on. */
const SMALL_DISKS = { diskWarnBelow: { percent: 10, bytes: 4 * 1024 ** 2 } };

describe('says what to do', () => {
  it('where DATA_DIR can only be read', async (t) => {
    const dataDir = await mounted(t, '8m');
    await run('mount', ['-o', 'remount,ro', dataDir]);
    await refuses(spawnService(t, databaseIn(dataDir)), /read-only/);
  });

  it('where DATA_DIR is another user’s', async (t) => {
    const dataDir = await folderOf(t);
    const service = await spawnService(t, databaseIn(dataDir));
    await service.end('SIGTERM');
    await run('chown', ['-R', `${NOBODY}`, dataDir]);
    await refuses(spawnService(t, databaseIn(dataDir)), /belongs to .*chown -R 0 /);
  });

  it('of a disk for backups that is full', async (t) => {
    const backups = await mounted(t, '4m');
    await writeFile(join(backups, 'others'), Buffer.alloc(3_900_000));
    const database = databaseIn(await folderOf(t));
    replaceFixed(t, SMALL_DISKS);
    const env = { ...processEnv(SMALL_DISKS), BACKUP_TO: backups, BACKUP_SCHEDULE: '1h' };
    const service = await spawnService(t, database, env);
    await until(
      () => service.output().includes('the backup failed'),
      () => service.output(),
    );
    const [, reason] = /"reason":"([^"]*)","msg":"the backup failed/.exec(service.output())!;
    assert.match(reason!, /disk (?:is )?full/);
    const disk = async () =>
      ((await (await fetch(`${service.url}/readyz?verbose`)).json()) as Health).parts.disk.state;
    await until(async () => (await disk()) === 'degraded');
    const { stdout } = await ws01(database, ['doctor'], '', { BACKUP_TO: backups });
    assert.match(
      stdout,
      /WARN {2}disk .* has 0 MiB free of 4 MiB; make room \(lower BACKUP_KEEP\)/,
    );
  });

  it('where DATA_DIR has no room left', async (t) => {
    const dataDir = await mounted(t, '8m');
    replaceFixed(t, SMALL_DISKS);
    await spawnService(t, databaseIn(dataDir));
    await writeFile(join(dataDir, 'others'), Buffer.alloc(8 << 20)).catch(() => {});
    const { code, stdout } = await ws01(databaseIn(dataDir), ['doctor']);
    assert.deepEqual([code, /^FAIL {2}disk .*\n +→ delete what is not/m.test(stdout)], [1, true]);
    const elsewhere = join(await folderOf(t), 'backup');
    const copied = await ws01(databaseIn(dataDir), ['backup', elsewhere]);
    assert.equal(copied.code, 0, copied.stderr);
  });

  it('where its settings are root’s alone', async (t) => {
    const file = join(await folderOf(t), 'ws01.env');
    await writeFile(file, 'LOG_LEVEL=warn\n', { mode: 0o640 });
    await chmod(resolve(file, '..', '..'), 0o755);
    await chmod(resolve(file, '..'), 0o755);
    // As the unit starts it.
    const args = ['--', 'bin/ws01.js', '--env-file', file, 'config'];
    const started = run('setpriv', [
      ...[`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', process.execPath, ...args],
    ]);
    await assert.rejects(started, ({ code, stderr }: { code: number; stderr: string } & Error) => {
      assert.equal(code, 78);
      assert.match(
        stderr,
        /^ws01: --env-file .* cannot be read: EACCES; as root: ws01 install.*\n$/,
      );
      return true;
    });
  });

  it('where a user may not enter DATA_DIR', async (t) => {
    const dataDir = await folderOf(t);
    await chmod(resolve(dataDir, '..'), 0o700);
    await refuses(spawnService(t, databaseIn(dataDir), {}, asNobody), /DATA_DIR|permission/i);
  });

  it('of a disk that is full: nothing that was answered is lost, and it goes on when there is room', async (t) => {
    const dataDir = await mounted(t, '12m');
    const service = await spawnService(t, databaseIn(dataDir));
    assert.equal((await insert(service, 'first')).status, 200);
    const ballast = join(dataDir, 'ballast');
    await writeFile(ballast, Buffer.alloc(16 * 1024 ** 2)).catch(() => {});
    const answers: number[] = [];
    for (let n = 0; answers.at(-1) !== 503 && n < 500; n++)
      answers.push((await insert(service, `full-${n}`, 'x'.repeat(20_000))).status);
    assert.equal(answers.at(-1), 503);
    assert.ok(answers.slice(0, -1).every((status) => status === 200));
    await rm(ballast);
    assert.equal((await insert(service, 'more')).status, 200);
    assert.equal(await service.end('SIGTERM'), 0);
    const next = await spawnService(t, databaseIn(dataDir));
    for (const guid of ['first', 'more', ...answers.slice(0, -1).map((_, n) => `full-${n}`)]) {
      const call = { token: TOKEN, guid, newCategory: 'seen' };
      assert.equal((await JSON_BINDING.call(next.url, 'UpdateArticleCategory', call)).status, 200);
    }
  });

  it('where no process can be started: a picture finds the service busy, and is not the caller’s fault', async (t) => {
    const dataDir = await folderOf(t);
    await chown(dataDir, NOBODY, NOBODY);
    await chmod(resolve(dataDir, '..'), 0o755);
    const service = await spawnService(t, databaseIn(dataDir), {}, asNobody);
    assert.equal((await insert(service, 'a')).status, 200);
    const nobody = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
    await run('setpriv', [...nobody, 'prlimit', `--pid=${service.child.pid}`, '--nproc=1:1']);
    assert.match((await upload(service, 'p')).body, /<code>Busy</);
    assert.equal((await insert(service, 'b')).status, 200);
  });

  it('where there is no /proc: a picture finds the service busy', async (t) => {
    const hidden = mountedBefore('mount -t tmpfs none /proc');
    const service = await spawnService(t, databaseIn(await folderOf(t)), {}, hidden);
    assert.equal((await insert(service, 'a')).status, 200);
    assert.match((await upload(service, 'p')).body, /<code>Busy</);
  });

  it('on a Node that is too old, of a package without what npm’s scripts bring', async (t) => {
    const folder = await folderOf(t, 'ws01');
    for (const part of ['bin', 'package.json'])
      await cp(join('apps/ws01', part), join(folder, part), { recursive: true });
    await symlink(resolve('apps/ws01/src'), join(folder, 'src'));
    const old = '/usr/bin/node';
    const version = await run(old, ['--version']).catch(() => ({ stdout: 'v26' }));
    if (Number(version.stdout.slice(1, 3)) >= 26) return t.skip('this machine has no old Node');
    const { code, stderr } = await run(old, [join(folder, 'bin/ws01.js'), '--version']).then(
      () => ({ code: 0, stderr: '' }),
      (error: { code: number; stderr: string }) => error,
    );
    assert.notEqual(code, 0);
    assert.match(stderr, /^ws01[^\n]*Node[^\n]*\n$/);
  });
});
