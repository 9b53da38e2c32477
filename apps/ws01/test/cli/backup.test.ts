import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { filesIn } from '../../../../packages/asmx/test/kit/folder.ts';
import { makeBackup } from '../../src/domain/backup/backup.ts';
import { DiskBackupLocation } from '../../src/domain/backup/disk-location.ts';
import { examineCopy } from '../../src/store/sqlite/copy-check.ts';
import { SqliteSnapshot } from '../../src/store/sqlite/snapshot.ts';
import { started } from '../kit/backups.ts';
import { ws01 } from '../kit/command.ts';
import { spawnWs01 } from '../kit/command-process.ts';
import { emptyDatabase, type TestDatabase } from '../kit/database.ts';
import { processEnv } from '../kit/fixed.ts';
import { pictureOf } from '../kit/images/containers.ts';

/** What is beside the data folder that begins as its backup does. */
async function traces({ dataDir }: TestDatabase): Promise<readonly string[]> {
  const names = await readdir(dirname(dataDir));
  return names.filter((name) => name.startsWith(`${basename(dataDir)}-backup`));
}

/** The image files of a folder, and those that its database names. */
async function imagesOf(
  t: TestContext,
  dataDir: string,
): Promise<{ files: string[]; named: string[] }> {
  const snapshot = await SqliteSnapshot.open(dataDir);
  t.after(() => snapshot.close());
  const files = await filesIn(join(dataDir, 'files/kept'));
  return {
    files: [...files.keys()].sort(),
    named: snapshot
      .imageFiles()
      .map(({ stored_as }) => stored_as)
      .sort(),
  };
}

describe('ws01 backup', () => {
  test('copies the database and the files, beside a service that has them open', async (t) => {
    const { database, desk, place: folder } = await started(t, 3);
    await desk.call('DeleImgById', { FileGuid: 'i-1' });
    const { code, stdout, stderr } = await ws01(database, ['backup', folder]);
    assert.equal(code, 0, stderr);
    assert.match(
      stdout,
      /: the database of 1 MiB and 2 image files of 1 MiB; restored, \d+ rows compared\.\n$/,
    );
    assert.deepEqual((await readdir(folder)).sort(), ['backup.json', 'files', 'ws01.sqlite']);
    const { files, named } = await imagesOf(t, folder);
    assert.deepEqual(files, named);
    assert.deepEqual(files, await desk.stored());
    for (const name of files) {
      const path = join('files/kept', name.slice(0, 2), name);
      assert.deepEqual(
        await readFile(join(folder, path)),
        await readFile(join(database.dataDir, path)),
      );
    }
    const users = await ws01({ dataDir: folder, databaseUrl: undefined }, [
      'audit',
      'list',
      '--action',
      'image.delete',
    ]);
    assert.equal(users.stdout.trimEnd().split('\n').length, 2, users.stderr);
  });

  test('tells as JSON what it has made, in a folder that was there and empty', async (t) => {
    const { database, place: folder } = await started(t, 1);
    await mkdir(folder);
    const { code, stdout, stderr } = await ws01(database, ['backup', folder, '--json']);
    assert.equal(code, 0, stderr);
    const bytes = pictureOf('i-0').length;
    const told = JSON.parse(stdout);
    assert.deepEqual(
      [told.backup, told.images, told.imageBytes, told.damaged, told.verifiedBy],
      [folder, 1, bytes, {}, 'restored'],
    );
  });

  test('without images, where there are none, where they are left out, and where S3 is away', async (t) => {
    const { database, place: folder } = await started(t, 0);
    const none = await ws01(database, ['backup', join(folder, 'a/b')]);
    assert.equal(none.code, 0, none.stderr);
    assert.match(none.stdout, /and 0 image files of 0 MiB/);
    const env = {
      FILES_URL: 's3://bucket/prefix?endpoint=http://127.0.0.1:1',
      AWS_ACCESS_KEY_ID: 'a',
      AWS_SECRET_ACCESS_KEY: 'a',
    };
    const away = await ws01(database, ['backup', join(folder, 'c')], '', env);
    assert.equal(away.code, 1);
    assert.match(away.stderr, /^ws01: [^\n]*\n$/);
    const leftOut = await ws01(database, ['backup', join(folder, 'c')], '', {
      ...env,
      BACKUP_IMAGES: 'off',
    });
    assert.equal(leftOut.code, 0, leftOut.stderr);
    assert.match(leftOut.stderr, /This backup has no image files: BACKUP_IMAGES is off\./);
  });

  test('says in one line why it cannot, and leaves nothing', async (t) => {
    const { database, place: folder } = await started(t, 1);
    const says = async (
      args: readonly string[],
      told: RegExp,
      env: Record<string, string> = {},
      code = 1,
    ) => {
      const result = await ws01(database, ['backup', ...args], '', env);
      assert.deepEqual([result.code, result.stdout], [code, ''], result.stderr);
      assert.match(result.stderr, told);
      assert.equal(result.stderr.trimEnd().split('\n').length, 1, result.stderr);
    };
    const inBucket = { FILES_URL: 's3://pictures' };
    const nowhere = /^ws01: Name a folder or s3:\/\/bucket\/prefix, or set BACKUP_TO\.\n$/;
    await says([], nowhere, inBucket, 2);
    await says(['s3:/nowhere'], /^ws01: Name a folder, or s3:/, {}, 2);
    await says(
      [folder],
      /^ws01: There is no database .*\/none\/ws01\.sqlite; set DATA_DIR/,
      { DATA_DIR: `${folder}/none` },
      78,
    );
    await says(
      [join(database.dataDir, 'ws01.sqlite')],
      /^ws01: .*ws01.sqlite is a file; name a new folder\.\n$/,
    );
    assert.deepEqual(await traces(database), []);

    await mkdir(folder);
    await writeFile(join(folder, 'other'), 'kept');
    await says([folder], /^ws01: .* is not empty; name a new folder\.\n$/);
    assert.deepEqual(await readdir(folder), ['other']);
  });

  test('tells of image files that are damaged, and copies everything else', async (t) => {
    const { database, desk, place: folder } = await started(t, 5);
    const [gone = '', short = '', unreadable = '', ...sound] = await desk.stored();
    const pathOf = (name: string) => join(database.dataDir, 'files/kept', name.slice(0, 2), name);
    await rm(pathOf(gone));
    await truncate(pathOf(short), 10);
    await rm(pathOf(unreadable));
    await mkdir(pathOf(unreadable));
    const { code, stdout, stderr } = await ws01(database, ['backup', folder, '--json']);
    assert.equal(code, 1);
    const damaged = { [gone]: 'missing', [short]: 'changed', [unreadable]: 'unreadable' };
    assert.deepEqual(JSON.parse(stdout).damaged, damaged);
    for (const [name, damage] of Object.entries(damaged))
      assert.ok(stderr.includes(`${name} (${damage})`), stderr);
    assert.deepEqual((await imagesOf(t, folder)).files, [short, ...sound].sort());

    // What the service had no longer is no fault of the backup, neither when it is verified nor when it is restored.
    const verified = await ws01(database, ['backup', '--verify', folder]);
    assert.deepEqual(
      [verified.code, verified.stdout.includes(': sound, ')],
      [0, true],
      verified.stderr,
    );
    const elsewhere = await emptyDatabase('sqlite', t);
    const plan = await ws01(elsewhere, ['restore', folder]);
    assert.match(plan.stdout, / image files \(3 more had been lost or damaged before\)\n/);
    const restored = await ws01(elsewhere, ['restore', folder, '--yes']);
    assert.equal(restored.code, 0, restored.stderr);
    assert.deepEqual((await imagesOf(t, elsewhere.dataDir)).files, sound.sort());
    // Another one that has been lost since is.
    await rm(join(folder, 'files/kept', sound[0]!.slice(0, 2), sound[0]!));
    assert.equal((await ws01(database, ['backup', '--verify', folder])).code, 1);
  });

  test('refuses a damaged database, and leaves nothing', async (t) => {
    const { database, store, place: folder } = await started(t, 1);
    await store.close();
    const file = join(database.dataDir, 'ws01.sqlite');
    const bytes = await readFile(file);
    const pages = bytes.length / 4_096;
    // All pages but the first, which every query needs.
    for (let page = 8; page < pages; page++) bytes.fill(0xa5, page * 4_096, page * 4_096 + 64);
    await writeFile(file, bytes);
    const { code, stdout, stderr } = await ws01(database, ['backup', folder]);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^ws01: The database [^\n]*damaged[^\n]*\n$/);
    assert.deepEqual(await traces(database), []);
  });

  test('is stopped by a signal, and leaves nothing', async (t) => {
    const { database, place: folder } = await started(t, 12);
    const amid = new URL('../kit/killed-amid-moves.ts', import.meta.url);
    const env = processEnv({}, `${amid}?moves=3&opens=0&signal=SIGTERM`);
    const { code, stdout, stderr } = await spawnWs01(database, ['backup', folder], '', env);
    assert.deepEqual([code, stdout], [1, ''], stderr);
    assert.match(
      stderr,
      /^([\d,]+ of [\d,]+ [A-Za-z ]+, \d+ %.*\n)*ws01: Stopped; nothing was written\.\n$/,
    );
    assert.deepEqual(await traces(database), []);
  });
});

describe('a backup', () => {
  test('is of one moment, whatever comes and goes while it is made', async (t) => {
    const { database, store, desk, place: folder } = await started(t, 12);
    const snapshot = await SqliteSnapshot.open(database.dataDir);
    t.after(() => snapshot.close());
    const changes: Promise<unknown>[] = [];
    let told = 0;
    const backup = await makeBackup({
      snapshot,
      files: desk.files.store,
      draft: await new DiskBackupLocation(dirname(folder), { links: false }).begin(
        basename(folder),
      ),
      examine: examineCopy,
      // Every pass is long enough for something to be deleted and uploaded before its end.
      heldFiles: 2,
      signal: new AbortController().signal,
      onStep: (step) => {
        const number = told++;
        if (step !== 'images' || number > 16) return;
        const key = `new-${number}`;
        changes.push(desk.upload(key, {}, undefined, pictureOf(key)));
        changes.push(desk.call('DeleImgById', { FileGuid: `i-${11 - number}` }).catch(() => {}));
      },
    });
    await Promise.all(changes);
    assert.ok(changes.length > 10, `${changes.length} changes`);
    const { files, named } = await imagesOf(t, folder);
    assert.deepEqual(files, named);
    assert.equal(backup.manifest.images?.count, files.length);
    assert.deepEqual([...backup.damaged], []);
    assert.ok((await store.read((db) => db.selectFrom('images').selectAll().execute())).length > 0);
  });
});
