// needs: mount losetup=mount mkfs.ext4=e2fsprogs
/** Disks that fail and fill up, made of the kernel's own parts: a loop device whose file lies on a small tmpfs. Root only. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { JSON_BINDING } from '../kit/bindings.ts';
import { freshDatabase, type TestDatabase } from '../kit/database.ts';
import { postgresUrl, startPostgresServer } from '../kit/postgres-server.ts';
import { spawnService } from '../kit/process.ts';
import { startService, TOKEN } from '../kit/service.ts';

const run = promisify(execFile);

async function mounted(t: TestContext, ...args: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'ws01-disk-'));
  await run('mount', [...args, folder]);
  t.after(async () => {
    await run('umount', ['--lazy', folder]);
    await rm(folder, { recursive: true, force: true });
  });
  return folder;
}

describe('the disk of the embedded database', () => {
  it('that fails to sync: an unknown outcome, exit code 1, and after a repair all that was answered', async (t) => {
    // ext4 has 64 MiB; the tmpfs under its device takes 16, so that writing back to it fails while SQLite sees no error.
    const below = await mounted(t, '-t', 'tmpfs', '-o', 'size=16m', 'tmpfs');
    const image = join(below, 'image');
    await run('truncate', ['-s', '64M', image]);
    await run('mkfs.ext4', ['-q', '-O', '^has_journal', '-E', 'lazy_itable_init=1', image]);
    const dataDir = join(await mounted(t, '-o', 'loop', image), 'data');
    await mkdir(dataDir);
    const database = { engine: 'sqlite', dataDir, databaseUrl: undefined } as TestDatabase;
    const service = await spawnService(t, database);
    const exited = once(service.child, 'exit');
    const answered: string[] = [];
    let failed: string | undefined;
    for (let i = 0; failed === undefined; i++) {
      const call = {
        token: TOKEN,
        guid: `a-${i}`,
        caption: `a-${i}`,
        content: 'x'.repeat(200_000),
      };
      const { status, body } = await JSON_BINDING.call(service.url, 'InsertArticle', call);
      if (status === 200) answered.push(call.guid);
      else failed = body;
    }
    assert.match(failed, /not known whether this was done/);
    assert.ok(answered.length > 0);
    assert.deepEqual(await exited, [1, null]);
    assert.match(service.output(), /^ws01: The disk of DATA_DIR failed/m);

    await run('mount', ['-o', 'remount,size=128m', below]);
    const next = await spawnService(t, database);
    for (const guid of answered) {
      const repeated = { token: TOKEN, guid, newCategory: 'seen' };
      const { status, body } = await JSON_BINDING.call(next.url, 'UpdateArticleCategory', repeated);
      assert.equal(status, 200, body);
    }
    assert.equal(await next.end('SIGTERM'), 0);
  });
});

it('a full disk of PostgreSQL: /readyz is 503, reads go on, and 200 again when there is room', async (t) => {
  const disk = await mounted(t, '-t', 'tmpfs', '-o', 'size=220m', 'tmpfs');
  await chmod(disk, 0o777);
  const server = await startPostgresServer('full-', {
    parent: disk,
    settings: { max_wal_size: '64MB', wal_recycle: 'off' },
  });
  t.after(() => server.dispose());
  const database = await freshDatabase('sqlite', t);
  const { url } = await startService(t, database, {
    DATABASE_URL: postgresUrl(server.port, 'postgres'),
  });
  const ready = async () => (await fetch(`${url}/readyz`)).status;
  assert.equal(await ready(), 200);
  const ballast = join(disk, 'ballast');
  // Until nothing more fits.
  await writeFile(ballast, Buffer.alloc(256 * 1024 ** 2)).catch(() => {});
  const states: number[] = [];
  // One success stands for ten seconds.
  for (let waited = 0; states.at(-1) !== 503 && waited < 60; waited++) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    states.push(await ready());
  }
  assert.equal(states.at(-1), 503);
  const counted = await JSON_BINDING.call(url, 'countUserPosted', { tokenId: TOKEN, userId: 'u' });
  assert.equal(counted.status, 200, counted.body);
  await rm(ballast);
  assert.equal(await ready(), 200);
});
