import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { filesIn } from '../../../../packages/asmx/test/kit/folder.ts';
import { done, started } from '../kit/backups.ts';
import { environmentOf, ws01 } from '../kit/command.ts';
import { emptyDatabase, type TestDatabase } from '../kit/database.ts';

/** A database with images, and a backup of it. */
async function backedUp(t: TestContext) {
  const { database, store, place } = await started(t, 2);
  await store.close();
  const env = { BACKUP_TO: place };
  const { backup }: { backup: string } = await done(database, ['backup'], env);
  const verify = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await ws01(database, ['backup', '--verify', ...args], '', env);
    return { code, stdout, stderr, row: await lastRow(database) };
  };
  const [image = ''] = (await filesIn(join(backup, 'files/kept'))).values();
  return { database, place, backup, env, verify, image };
}

async function lastRow(database: TestDatabase) {
  const store = await database.open();
  try {
    return await store.read((db) =>
      db.selectFrom('backups').selectAll().orderBy('id', 'desc').executeTakeFirstOrThrow(),
    );
  } finally {
    await store.close();
  }
}

describe('ws01 backup --verify', () => {
  test('reads a backup back whole, keeps who did that and what it found, and leaves nothing', async (t) => {
    const { database, backup, verify } = await backedUp(t);
    const before = (await readdir(database.dataDir)).sort();
    const { code, stdout, stderr, row } = await verify();
    assert.equal(code, 0, stderr);
    assert.match(stdout, /ws01-\d{8}T\d{6}Z: sound, the database of 1 MiB and 2 image files/);
    assert.deepEqual([row.verdict, row.fault, row.check_started_at], ['sound', null, null]);
    assert.ok(row.checked_at !== null && row.checked_by !== null);
    assert.deepEqual((await readdir(database.dataDir)).sort(), before);
    const told = await verify('--name', backup.split('/').at(-1)!, '--json');
    assert.equal(JSON.parse(told.stdout).verdict, 'sound');
    const alone = await ws01(database, ['backup', '--verify', backup], '', { BACKUP_TO: '' });
    assert.equal(alone.code, 0, alone.stderr);
    const audit = await ws01(database, ['audit', 'list', '--action', 'backup.verify', '--json']);
    assert.equal(JSON.parse(audit.stdout).length, 3);
  });

  const damages: Readonly<Record<string, readonly [(path: string) => Promise<unknown>, RegExp]>> = {
    'is cut off': [(path) => truncate(path, 100), /has other bytes/],
    'is gone': [(path) => rm(path), /is not there|no backup/],
    'is a pipe': [
      async (path) => {
        await rm(path);
        execFileSync('mkfifo', [path]);
      },
      /is not a file|has other bytes/,
    ],
    'is a link to itself': [
      async (path) => {
        await rm(path);
        await symlink(path, path);
      },
      /is not a file|is not there/,
    ],
    'has one other byte': [
      async (path) => {
        const bytes = await readFile(path);
        bytes[bytes.length - 1]! ^= 1;
        await rm(path);
        await writeFile(path, bytes);
      },
      /has other bytes/,
    ],
  };
  test(`finds a database or an image file that ${Object.keys(damages).join(', ')}`, async (t) => {
    const { backup, image, verify } = await backedUp(t);
    for (const [what, [damage, told]] of Object.entries(damages)) {
      for (const path of [image, join(backup, 'ws01.sqlite')]) {
        await rename(path, `${path}-kept`);
        await writeFile(path, await readFile(`${path}-kept`));
        await damage(path);
        const { code, stderr, row } = await verify('--name', backup.split('/').at(-1)!);
        assert.equal(code, 1, what);
        assert.match(stderr, told);
        assert.equal(stderr.trimEnd().split('\n').at(-1)!.startsWith('ws01: The backup is '), true);
        const isGone = what === 'is gone' && path !== image;
        assert.equal(row.verdict, isGone ? 'missing' : 'damaged', stderr);
        assert.match(row.fault!, told);
        await rm(path, { force: true });
        await rename(`${path}-kept`, path);
      }
    }
    assert.equal((await verify()).row.verdict, 'sound', 'put right again');
  });

  test('one that is written as an archive is what a restore takes', async (t) => {
    const { database, backup, env } = await backedUp(t);
    const archive = join(database.dataDir, 'downloaded.tar');
    execFileSync('sh', ['-c', `"$0" bin/ws01.js backup --tar > ${archive}`, process.execPath], {
      env: { ...environmentOf(database), ...env },
    });
    const names = execFileSync('tar', ['tf', archive], { encoding: 'utf8' }).split('\n');
    const name = backup.split('/').at(-1)!;
    assert.deepEqual(names.slice(0, 2), [`${name}/backup.json`, `${name}/ws01.sqlite`]);
    const empty = await emptyDatabase('sqlite', t);
    const plan = await ws01(empty, ['restore', archive]);
    assert.match(plan.stdout, /downloaded\.tar: made .*, verified .*, 2 image files/);
    const { code, stdout, stderr } = await ws01(empty, ['restore', archive, '--yes']);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /Restored \d+ rows, and 2 image files/);
    const left = await readdir(empty.dataDir);
    assert.deepEqual(
      left.filter((one) => one.includes('partial')),
      [],
    );
    await truncate(archive, (await stat(archive)).size - 1_024);
    const cut = await ws01(empty, ['restore', archive]);
    assert.match(cut.stderr, /^ws01: \S+ was cut off: its end is missing\. Copy it again\.$/m);
    assert.equal(/\n +at /.test(cut.stderr), false, 'no stack');
    const none = await ws01(empty, ['restore', `${archive}.tar`]);
    assert.equal(none.code, 1);
    assert.match(none.stderr, /^ws01: [^\n]+\n$/);
  });

  test('an archive takes no file that a link in the backup leads to', async (t) => {
    const { database, image, env } = await backedUp(t);
    const elsewhere = join(database.dataDir, 'elsewhere');
    await rename(image, elsewhere);
    await symlink(elsewhere, image);
    const { code, stderr } = await ws01(database, ['backup', '--tar'], '', env);
    assert.equal(code, 1);
    assert.match(stderr, /is not a file/);
  });

  test('a restored database has its own backup as one that ended', async (t) => {
    const { database, env } = await backedUp(t);
    const kept = await lastRow(database);
    const { code, stderr } = await ws01(database, ['restore', '--yes', '--replace'], '', env);
    assert.equal(code, 0, stderr);
    const { name, verified_at, finished_at, bytes, images } = await lastRow(database);
    assert.deepEqual(
      [name, verified_at, bytes, images],
      [kept.name, kept.verified_at, kept.bytes, 2],
    );
    assert.equal(finished_at, verified_at);
  });

  test('finds a manifest that is damaged or a pipe; what cannot be looked at is not called damaged', async (t) => {
    const { database, backup, place, verify } = await backedUp(t);
    const name = backup.split('/').at(-1)!;
    const manifest = join(backup, 'backup.json');
    const whole = await readFile(manifest);
    await writeFile(manifest, 'x');
    assert.equal((await verify('--name', name)).row.verdict, 'damaged');
    await rm(manifest);
    execFileSync('mkfifo', [manifest]);
    assert.equal((await verify('--name', name)).row.verdict, 'damaged');
    await rm(manifest);
    await writeFile(manifest, whole);
    // Where the copy would go, there is no room.
    const full = await ws01(database, ['backup', '--verify', '--name', name], '', {
      BACKUP_TO: place,
      DATA_DIR: '/dev/null/none',
    });
    assert.notEqual(full.code, 0);
    await rename(backup, `${backup}-away`);
    const { row, stderr } = await verify('--name', name);
    assert.equal(row.verdict, 'missing', stderr);
    assert.match(stderr, /There is no backup ws01-\d+T\d+Z in /);
  });
});
