import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { appendFile, cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { buffer } from 'node:stream/consumers';
import { describe, type TestContext, test } from 'node:test';
import pg from 'pg';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { openFiles } from '../../src/adapters/files/open.ts';
import type { S3Location } from '../../src/adapters/files/s3.ts';
import { changeSetting } from '../../src/domain/settings/settings.ts';
import { openUnchanged } from '../../src/store/open.ts';
import { examineDump, PostgresSnapshot } from '../../src/store/postgres/snapshot.ts';
import { RELEASED } from '../../src/store/schema/changes.ts';
import { ws01 } from '../kit/command.ts';
import { freshDatabase, type TestDatabase } from '../kit/database.ts';
import { earlierDatabase } from '../kit/earlier-database.ts';
import { FOREIGN_NAMES } from '../kit/file-stores.ts';
import { pictureOf } from '../kit/images/containers.ts';
import { ImageDesk } from '../kit/images/desk.ts';
import { spawnService } from '../kit/process.ts';
import { startS3 } from '../kit/s3.ts';

const S3_KEYS = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };

/** A data folder with images, and a place beside it for backups. */
async function started(t: TestContext, images: number, s3?: S3Location) {
  const database = await freshDatabase('sqlite', t);
  const store = await database.open();
  const disk = { kind: 'disk', folder: join(database.dataDir, 'files') } as const;
  const files = await openFiles(s3 === undefined ? disk : { kind: 's3', ...s3 }, database.dataDir);
  t.after(() => files.store.close());
  const desk = new ImageDesk(store, files);
  for (let index = 0; index < images; index++)
    await desk.upload(`i-${index}`, {}, undefined, pictureOf(`i-${index}`));
  const place = `${database.dataDir}-backups`;
  t.after(() => rm(place, { recursive: true, force: true }));
  return { database, store, files: files.store, desk, place };
}

/** Runs a command that must succeed; @returns its JSON. */
async function done(
  database: TestDatabase,
  args: readonly string[],
  env: Record<string, string> = {},
) {
  const { code, stdout, stderr } = await ws01(database, [...args, '--json'], '', env);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

/** The image files of a data folder, by name, with their bytes. */
async function contentsOf({ dataDir }: TestDatabase) {
  const files = new Map<string, string>();
  for (const entry of await readdir(join(dataDir, 'files/kept'), {
    recursive: true,
    withFileTypes: true,
  })) {
    // Renditions are made anew when they are asked for.
    if (entry.isFile() && !entry.name.includes('.'))
      files.set(
        entry.name,
        (await readFile(join(entry.parentPath, entry.name))).toString('base64'),
      );
  }
  return files;
}

/** Of a backup that is not there. */
const FOREIGN_MANIFEST = JSON.stringify({
  format: 1,
  engine: 'sqlite',
  madeAt: 1,
  database: { file: 'ws01.sqlite', bytes: 1, sha256: '0'.repeat(64) },
  rows: {},
  verified: { at: 1, by: 'read' },
});

const BY = { tokenId: undefined, admin: 'ada', address: '127.0.0.1' };

const nextSecond = () =>
  new Promise((resolve) => setTimeout(resolve, 1_000 - (Date.now() % 1_000)));

describe('backups under BACKUP_TO', () => {
  test('share the files that did not change, and the last ones are kept', async (t) => {
    const { database, store, desk, place } = await started(t, 3);
    const env = { BACKUP_TO: place, BACKUP_KEEP: '2' };
    const first = await done(database, ['backup'], env);
    await desk.upload('late', {}, undefined, pictureOf('late'));
    await nextSecond();
    const second = await done(database, ['backup'], env);
    assert.deepEqual([first.images, second.images, second.removed], [3, 4, 0]);
    await nextSecond();
    const third = await done(database, ['backup'], env);
    assert.equal(third.removed, 1);
    const list = await done(database, ['backup', '--list'], env);
    const names = [third, second].map(({ backup }) => basename(backup));
    assert.deepEqual(
      [list.map(({ name }: { name: string }) => name), (await readdir(place)).sort()],
      [names, [...names].sort()],
    );
    await store.close();
    const plan = await ws01(database, ['restore', '--json'], '', env);
    assert.equal(JSON.parse(plan.stdout).from, third.backup);
  });

  test('what others put there takes the place of no backup, and keeps none from being restored', async (t) => {
    const { database, store, place } = await started(t, 1);
    const { endpoint, bucket } = await startS3(t);
    await store.close();
    const { store: objects } = await openFiles(
      { kind: 's3', bucket, prefix: '', endpoint, region: undefined, nested: true },
      database.dataDir,
    );
    t.after(() => objects.close());
    const places = {
      [place]: async (path: string, from: string) => {
        await mkdir(dirname(join(place, path)), { recursive: true });
        await writeFile(join(place, path), await readFile(from));
      },
      [`s3://${bucket}?endpoint=${encodeURIComponent(endpoint)}`]: (path: string, from: string) =>
        objects.keep(from, `backups/${path}`),
    };
    for (const [target, put] of Object.entries(places)) {
      const env = { ...S3_KEYS, BACKUP_TO: target, BACKUP_KEEP: '1' };
      const first = await done(database, ['backup'], env);
      const planted = join(database.dataDir, 'planted');
      const foreign = [FOREIGN_MANIFEST, '{"format":2}', '{', 'x'.repeat(100_000)];
      for (const [index, text] of foreign.entries()) {
        for (const [file, content] of Object.entries({ 'backup.json': text, 'files.txt': '' })) {
          await writeFile(planted, content);
          await put(`ws01-99991231T23595${index}Z/${file}`, planted);
        }
      }
      await nextSecond();
      const second = await done(database, ['backup'], env);
      assert.equal(second.removed, 1, target);
      const list = await done(database, ['backup', '--list'], env);
      const names = list.map(({ name }: { name: string }) => name);
      assert.deepEqual([list.length, names.at(-1)], [5, basename(second.backup)]);
      assert.ok(!names.includes(basename(first.backup)), 'the older one of ours went');
      assert.equal(list.filter(({ damage }: { damage?: string }) => damage).length, 3);
      const restore = ['restore', '--name', basename(second.backup), '--json'];
      const plan = await ws01(database, restore, '', env);
      assert.equal(JSON.parse(plan.stdout).from, second.backup, plan.stderr);
    }
  });

  test('what has rotted in an earlier backup is copied anew', async (t) => {
    const { database, place } = await started(t, 2);
    const env = { BACKUP_TO: place };
    const { backup } = await done(database, ['backup'], env);
    const files = await readdir(join(backup, 'files/kept'), {
      recursive: true,
      withFileTypes: true,
    });
    const rotten = files.find((entry) => entry.isFile())!;
    await writeFile(join(rotten.parentPath, rotten.name), 'rotten');
    await nextSecond();
    const again = await done(database, ['backup'], env);
    const bytes = await readFile(
      join(again.backup, 'files/kept', rotten.name.slice(0, 2), rotten.name),
    );
    assert.equal(bytes.toString('base64'), (await contentsOf(database)).get(rotten.name));
  });

  test('are made beside a database whose disk is full, without a record', async (t) => {
    const { database, store, place } = await started(t, 1);
    await store.close();
    const file = new DatabaseSync(join(database.dataDir, 'ws01.sqlite'));
    // SQLite says the same of a table that has no row number left.
    file.exec(`create table numbers (id integer primary key autoincrement);
      insert into numbers values (9223372036854775807);
      create trigger full before insert on backups begin insert into numbers values (null); end`);
    file.close();
    const { code, stdout, stderr } = await ws01(database, ['backup', place]);
    assert.deepEqual([code, /1 image file .*restored/.test(stdout)], [0, true], stderr);
    assert.match(stderr, /^The backup is not recorded: The disk of DATA_DIR is full; delete /m);
  });

  test('are made as often and kept as long as was changed while the service ran', async (t) => {
    const { database, store, place } = await started(t, 1);
    for (const [variable, value] of [
      ['BACKUP_SCHEDULE', '720h'],
      ['BACKUP_KEEP', '1'],
      ['BACKUP_IMAGES', 'off'],
    ] as const)
      await store.write((tx) =>
        changeSetting(tx, { variable, value, at: 1, by: BY, masked: (text) => text }),
      );
    const env = { BACKUP_TO: place };
    const first = await done(database, ['backup', '--if-due'], env);
    assert.equal(first.images, null);
    const rows = await store.read((db) => db.selectFrom('backups').select('slot').execute());
    assert.equal(rows[0]!.slot! % (720 * 3_600_000), 0);
    await nextSecond();
    const second = await done(database, ['backup'], { ...env, BACKUP_IMAGES: 'on' });
    assert.deepEqual([second.images, second.removed], [1, 1], 'what the environment says holds');
    await store.close();
  });

  test('are made by the service when they are due, and recorded', async (t) => {
    const { database, store, place } = await started(t, 1);
    await store.close();
    const service = await spawnService(t, database, {
      BACKUP_TO: place,
      BACKUP_SCHEDULE: '720h',
      LOG_LEVEL: 'info',
    });
    const recorded = async () => {
      const open = await database.open({ guest: true });
      const rows = await open.read((db) => db.selectFrom('backups').selectAll().execute());
      await open.close();
      return rows;
    };
    await until(
      async () => (await recorded()).some(({ finished_at }) => finished_at !== null),
      () => service.output(),
    );
    const [row, ...others] = await recorded();
    assert.deepEqual([row?.error, row?.images, others.length], [null, 1, 0]);
    assert.equal(row!.slot! % (720 * 3_600_000), 0);
    assert.deepEqual(await readdir(place), [row!.name]);
    const isTold = () => /a backup was made and verified/.test(service.output());
    await until(isTold, () => service.output());
    await service.end('SIGTERM');
    // The time has its backup: nobody makes it again.
    const env = { BACKUP_TO: place, BACKUP_SCHEDULE: '720h' };
    assert.deepEqual(await ws01(database, ['backup', '--if-due'], '', env), {
      code: 0,
      stdout: '',
      stderr: '',
    });
    assert.equal((await readdir(place)).length, 1);
  });
});

describe('ws01 restore', () => {
  test('tells first what it would do, and does it only when it may', async (t) => {
    const { database, store, desk, place } = await started(t, 2);
    const { backup } = await done(database, ['backup'], { BACKUP_TO: place });
    await desk.call('DeleImgById', { FileGuid: 'i-0' });
    await store.close();
    const before = await contentsOf(database);
    const dry = await ws01(database, ['restore', backup]);
    assert.deepEqual(
      [dry.code, dry.stdout.startsWith(`from  ${backup}: made `)],
      [1, true],
      dry.stderr,
    );
    assert.match(
      dry.stderr,
      /^ws01: The database holds \d+ rows\. To replace it and keep a copy of it, add --replace\. Nothing was done\.\n$/,
    );
    const replacing = await ws01(database, ['restore', backup, '--replace']);
    assert.deepEqual(
      [replacing.code, replacing.stderr],
      [0, 'Nothing was done. To do it, add --yes.\n'],
    );
    assert.deepEqual(await contentsOf(database), before);

    const restored = await done(database, ['restore', backup, '--yes', '--replace']);
    assert.equal(restored.restoredFiles, 1);
    const opened = await database.open();
    const images = await opened.read((db) =>
      db.selectFrom('images').select('guid').orderBy('guid').execute(),
    );
    assert.deepEqual(
      images.map(({ guid }) => guid),
      ['i-0', 'i-1'],
    );
    await opened.close();
    assert.equal((await contentsOf(database)).size, 2);
    assert.match((await ws01(database, ['audit', 'list'])).stdout, /database\.restore/);

    // And back: what was there is kept whole.
    assert.equal(dirname(restored.keptIn), database.dataDir);
    await done(database, ['restore', restored.keptIn, '--yes', '--replace']);
    const back = await database.open();
    assert.equal(
      (await back.read((db) => db.selectFrom('images').select('guid').execute())).length,
      1,
    );
  });

  test('into an empty folder, and with an earlier copy that says nothing of itself', async (t) => {
    const { database, store, place } = await started(t, 2);
    await done(database, ['backup', place]);
    await rm(join(place, 'backup.json'));
    await store.close();
    const files = await contentsOf(database);
    await rm(database.dataDir, { recursive: true });
    const restored = await done(database, ['restore', place, '--yes']);
    assert.deepEqual([restored.restoredFiles, restored.keptIn, restored.madeAt], [2, null, null]);
    assert.deepEqual(await contentsOf(database), files);
  });

  test('puts a backup in the place of a database that is damaged anywhere, and keeps what was there', async (t) => {
    const { database, store, place } = await started(t, 0);
    const { backup } = await done(database, ['backup'], { BACKUP_TO: place });
    await store.close();
    const file = join(database.dataDir, 'ws01.sqlite');
    const whole = await readFile(file);
    for (const from of [0, 4_096, 20 * 4_096]) {
      const damaged = Buffer.from(whole).fill('x', from);
      await writeFile(file, damaged);
      const restored = await done(database, ['restore', backup, '--yes', '--replace']);
      const kept = await readFile(join(restored.keptIn, 'ws01.sqlite'));
      assert.deepEqual(kept.subarray(from), damaged.subarray(from), `damaged from byte ${from}`);
      const { code, stdout, stderr } = await ws01(database, ['db', 'check']);
      assert.deepEqual([code, stdout.startsWith('Sound')], [0, true], stderr);
    }
  });

  test('refuses beside a running service, and a damaged or foreign backup, and changes nothing', async (t) => {
    const { database, store, place } = await started(t, 1);
    const { backup } = await done(database, ['backup'], { BACKUP_TO: place });
    await store.close();
    const service = await spawnService(t, database);
    const running = await ws01(database, ['restore', backup, '--yes', '--replace']);
    assert.deepEqual(
      [running.code, running.stderr],
      [1, 'ws01: A service has the database open; stop it first. Nothing was done.\n'],
    );
    assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
    await service.end('SIGTERM');

    const before = await readFile(join(database.dataDir, 'ws01.sqlite'));
    const says = async (told: RegExp, folder: string) => {
      const { code, stderr } = await ws01(database, ['restore', folder, '--yes', '--replace']);
      assert.equal(code, 1);
      assert.match(stderr, told);
      assert.deepEqual(await readFile(join(database.dataDir, 'ws01.sqlite')), before);
    };
    const copyOf = async (name: string) => {
      await cp(backup, join(place, name), { recursive: true });
      return join(place, name);
    };
    const longer = await copyOf('longer');
    await appendFile(join(longer, 'ws01.sqlite'), 'more');
    await says(/The backup is damaged: its database has other bytes than when it was made/, longer);
    const bare = await copyOf('bare');
    await rm(join(bare, 'files'), { recursive: true });
    await rm(join(database.dataDir, 'files'), { recursive: true });
    await says(
      /The backup lacks 1 image files, .*--without-files restores the database alone/,
      bare,
    );
    await says(
      /The backup is of PostgreSQL; set DATABASE_URL to restore it/,
      await pretendDump(place),
    );
    await says(/There is no backup in /, join(place, 'none'));
    const manifest = join(await copyOf('newer'), 'backup.json');
    await writeFile(manifest, '{"format":2}');
    await says(
      /^ws01: A newer version of ws01 made the backup \S+newer; restore it with that version\.\n$/,
      dirname(manifest),
    );
    assert.deepEqual(
      (await readdir(database.dataDir)).filter((name) => name.includes('partial')),
      [],
    );
    await done(database, ['restore', bare, '--yes', '--replace', '--without-files']);
  });

  test('a backup of somebody else names no place outside of the image files, and nothing is written', async (t) => {
    const { database, store, place } = await started(t, 1);
    await store.close();
    const { backup } = await done(database, ['backup', `${place}/one`]);
    // Without its manifest nothing is compared.
    await rm(join(backup, 'backup.json'), { force: true });
    const evil = Buffer.from('planted');
    const sha256 = createHash('sha256').update(evil).digest('hex');
    const target = `${place}/target`;
    t.after(() => rm(target, { recursive: true, force: true }));
    const dataDir = join(target, 'srv/data');
    await mkdir(dataDir, { recursive: true });
    const tried = [
      ...FOREIGN_NAMES.slice(0, 4).map((name) => [name, sha256, null] as const),
      ['aa/../../../../x', sha256, 1] as const,
      ['aa-deleted', '../../x', 1] as const,
      ['aa-live', '../../x', null] as const,
    ];
    for (const [storedAs, hash, deletedAt] of tried) {
      const copy = new DatabaseSync(join(backup, 'ws01.sqlite'));
      copy.exec('pragma foreign_keys = off');
      copy
        .prepare('update image_files set stored_as = ?, hash = ?, deleted_at = ?')
        .run(storedAs, hash, deletedAt);
      copy.prepare('update images set hash = ?').run(hash);
      copy.close();
      for (const args of [
        ['restore', backup, '--yes'],
        ['restore', backup, '--yes', '--without-files'],
      ]) {
        const { code, stderr } = await ws01({ ...database, dataDir }, args);
        assert.equal(code, 1, `${storedAs} ${stderr}`);
        assert.match(
          stderr,
          /^ws01: The backup is not of this service: the image file "[^\n]*\n$/,
          storedAs,
        );
      }
    }
    assert.deepEqual(await readdir(target, { recursive: true }), ['srv', 'srv/data']);
  });

  test('a manifest of somebody else is damaged, whatever it says', async (t) => {
    const { database, store, place } = await started(t, 0);
    await store.close();
    const { backup } = await done(database, ['backup', `${place}/one`]);
    const file = join(backup, 'backup.json');
    const manifest = JSON.parse(await readFile(file, 'utf8'));
    const wrong = [
      { madeAt: 1e300 },
      { madeAt: '\u001b[31m' },
      { engine: '\u001b]0;x' },
      { database: { ...manifest.database, file: '../../x' } },
      { database: undefined },
      { rows: { articles: '\u001b[31m' } },
      { rows: null },
      { images: { count: '\u001b[31m', bytes: 1 } },
      { images: { count: 1, bytes: 1, damaged: ['../x'] } },
      { images: { count: 1, bytes: 1, damaged: 'x' } },
      { verified: { at: 1, by: '\u001b[31m' } },
    ];
    for (const change of wrong) {
      await writeFile(file, JSON.stringify({ ...manifest, ...change }));
      const { code, stderr } = await ws01(database, ['restore', backup]);
      assert.deepEqual(
        [code, /^ws01: The manifest of [^\n]* is damaged; name another backup\.\n$/.test(stderr)],
        [1, true],
        stderr,
      );
    }
  });

  test('a backup of an older version comes back as it was: a rollback', async (t) => {
    const database = await earlierDatabase('sqlite', t);
    const place = `${database.dataDir}-backups`;
    t.after(() => rm(place, { recursive: true, force: true }));
    const older = await openUnchanged(database);
    await older.write((tx) => tx.deleteFrom('images').execute());
    await older.write((tx) => tx.deleteFrom('image_files').execute());
    await older.close();
    const made = await ws01(database, ['backup', place]);
    assert.equal(made.code, 0, made.stderr);
    assert.match(
      made.stderr,
      /^The backup is not recorded: The database is older than this version/m,
    );
    await (await database.open()).close();
    await done(database, ['restore', place, '--yes', '--replace']);
    const { applied } = await done(database, ['migrate', '--dry-run']);
    assert.deepEqual(applied, RELEASED);
  });

  test('a restore that is killed leaves the old database or the new one, whole', async (t) => {
    const { database, store, place } = await started(t, 1);
    const { backup } = await done(database, ['backup'], { BACKUP_TO: place });
    await store.close();
    for (const wait of [400, 700, 1_000]) {
      const child = spawn(
        process.execPath,
        ['bin/ws01.js', 'restore', backup, '--yes', '--replace'],
        {
          env: { PATH: process.env.PATH ?? '', DATA_DIR: database.dataDir },
          stdio: 'ignore',
        },
      );
      const ended = once(child, 'exit');
      const timer = setTimeout(() => child.kill('SIGKILL'), wait);
      await ended;
      clearTimeout(timer);
      const { code, stdout } = await ws01(database, ['audit', 'list', '--json']);
      assert.equal(code, 0);
      assert.ok(JSON.parse(stdout).length > 0);
    }
    await done(database, ['restore', backup, '--yes', '--replace']);
    assert.deepEqual(
      (await readdir(database.dataDir)).filter((name) => name.includes('partial')),
      [],
    );
  });
});

async function pretendDump(place: string): Promise<string> {
  const folder = join(place, 'dump');
  await mkdir(folder);
  await writeFile(join(folder, 'ws01.dump'), '');
  return folder;
}

describe('in S3', () => {
  test('backups are made, listed, pruned and restored; images are there once', async (t) => {
    const { database, store, desk } = await started(t, 3);
    const { endpoint, bucket } = await startS3(t);
    const place = `s3://${bucket}/copies?endpoint=${encodeURIComponent(endpoint)}`;
    const env = { ...S3_KEYS, BACKUP_TO: place, BACKUP_KEEP: '1' };
    const first = await done(database, ['backup', place], S3_KEYS);
    assert.match(first.backup, new RegExp(`^s3://${bucket}/copies/ws01-\\d{8}T\\d{6}Z$`));
    await desk.upload('late', {}, undefined, pictureOf('late'));
    await nextSecond();
    const second = await done(database, ['backup'], env);
    assert.deepEqual([first.images, second.images, second.removed], [3, 4, 1]);
    assert.equal((await done(database, ['backup', '--list'], env)).length, 1);
    const stored = await openFiles(
      { kind: 's3', bucket, prefix: 'copies', endpoint, region: undefined, nested: true },
      database.dataDir,
    );
    t.after(() => stored.store.close());
    const names: string[] = [];
    for await (const { name } of stored.store.list()) names.push(name.split('/')[0]!);
    assert.deepEqual(names.sort(), [
      'backups',
      'backups',
      'backups',
      'files',
      'files',
      'files',
      'files',
    ]);
    assert.deepEqual(
      (await readdir('.')).filter((name) => name.startsWith('s3:')),
      [],
    );

    assert.equal((await done(database, ['backup', '--verify'], env)).verdict, 'sound');
    const shared = await openFiles(
      { kind: 's3', bucket, prefix: 'copies/files', endpoint, region: undefined },
      database.dataDir,
    );
    t.after(() => shared.store.close());
    const [image] = await desk.stored();
    const rotten = join(database.dataDir, 'rotten');
    await writeFile(rotten, 'rotten');
    await shared.store.keep(rotten, image!);
    const { code, stderr } = await ws01(database, ['backup', '--verify'], '', env);
    assert.equal(code, 1);
    assert.match(stderr, new RegExp(`damaged: .*the image file ${image} has other bytes`));
    await shared.store.remove(image!);
    const gone = await ws01(database, ['backup', '--verify'], '', env);
    assert.match(gone.stderr, new RegExp(`damaged: .*the image file ${image} has other bytes`));
    const sound = join(database.dataDir, 'sound');
    await writeFile(sound, Buffer.from((await contentsOf(database)).get(image!)!, 'base64'));
    await shared.store.keep(sound, image!);

    await store.close();
    const files = await contentsOf(database);
    await rm(database.dataDir, { recursive: true });
    const restored = await done(database, ['restore', '--yes'], env);
    assert.deepEqual([restored.restoredFiles, restored.present], [4, null]);
    assert.deepEqual(await contentsOf(database), files);
    assert.deepEqual(
      (await readdir(database.dataDir)).filter((name) => name.includes('partial')),
      [],
    );
  });

  test('images of a service that keeps them in S3 are copied once, verified, and brought back', async (t) => {
    const { endpoint, bucket } = await startS3(t);
    const { database, store, files, desk, place } = await started(t, 3, {
      bucket,
      prefix: 'live',
      endpoint,
      region: undefined,
    });
    const env = {
      ...S3_KEYS,
      BACKUP_TO: place,
      FILES_URL: `s3://${bucket}/live?endpoint=${encodeURIComponent(endpoint)}`,
    };
    const first = await done(database, ['backup'], env);
    assert.deepEqual([first.images, first.verifiedBy, first.damaged], [3, 'restored', {}]);
    await desk.upload('late', {}, undefined, pictureOf('late'));
    await nextSecond();
    const second = await done(database, ['backup'], env);
    assert.equal(second.images, 4);
    const copies = (
      await readdir(join(second.backup, 'files/kept'), { recursive: true, withFileTypes: true })
    ).filter((entry) => entry.isFile());
    const links = await Promise.all(
      copies.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).nlink),
    );
    assert.deepEqual(links.sort(), [1, 2, 2, 2]);
    // Another file than it was counts as lost.
    const [lost, changed] = copies.map(({ name }) => name);
    await files.remove(lost!);
    await files.remove(changed!);
    await writeFile(join(database.dataDir, 'other'), 'other bytes');
    await files.keep(join(database.dataDir, 'other'), changed!);
    await store.close();
    const restored = await done(database, ['restore', '--yes', '--replace'], env);
    assert.equal(restored.restoredFiles, 2);
    for (const name of [lost!, changed!]) {
      const copy = copies.find((entry) => entry.name === name)!;
      assert.deepEqual(
        await buffer(await files.read(name)),
        await readFile(join(copy.parentPath, name)),
      );
    }
  });

  test('a backup that is killed is none, and the next one is made', async (t) => {
    const { database } = await started(t, 3);
    const { endpoint, bucket } = await startS3(t);
    const env = {
      ...S3_KEYS,
      BACKUP_TO: `s3://${bucket}?endpoint=${encodeURIComponent(endpoint)}`,
    };
    const child = spawn(process.execPath, ['bin/ws01.js', 'backup'], {
      env: { PATH: process.env.PATH ?? '', DATA_DIR: database.dataDir, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const ended = once(child, 'exit');
    child.stderr.once('data', () => child.kill('SIGKILL'));
    await ended;
    const made = (await done(database, ['backup', '--list'], env)).length;
    await nextSecond();
    await done(database, ['backup'], env);
    assert.equal((await done(database, ['backup', '--list'], env)).length, made + 1);
  });
});

test('PostgreSQL without a pg_dump that can copy it: said, with what to install', async (t) => {
  const database = await freshDatabase('postgres', t);
  await database.open();
  const target = `${database.dataDir}/copy`;
  const { code, stderr } = await ws01(database, ['backup', target], '', { PATH: '/nowhere' });
  assert.equal(code, 78);
  assert.match(
    stderr,
    /^ws01: (A copy of PostgreSQL needs pg_dump, which is not in PATH|pg_dump \d+ cannot copy PostgreSQL \d+): install postgresql-client-\d+ /,
  );
  await assert.rejects(readdir(target), { code: 'ENOENT' });
  const opened = await database.open();
  const [row] = await opened.read((db) => db.selectFrom('backups').selectAll().execute());
  assert.match(row!.error!, /pg_dump/);
});

test('a backup of PostgreSQL that has to look again sees what has been uploaded meanwhile', async (t) => {
  const database = await freshDatabase('postgres', t);
  const store = await database.open();
  const disk = { kind: 'disk', folder: join(database.dataDir, 'files') } as const;
  const files = await openFiles(disk, database.dataDir);
  t.after(() => files.store.close());
  const desk = new ImageDesk(store, files);
  const programs = join(database.dataDir, 'programs');
  await mkdir(programs);
  await writeFile(join(programs, 'pg_dump'), '#!/bin/sh\necho pg_dump \\(PostgreSQL\\) 99.0\n', {
    mode: 0o755,
  });
  const { signal } = new AbortController();
  const snapshot = await PostgresSnapshot.open(database.databaseUrl!, { PATH: programs }, signal);
  t.after(() => snapshot.close());
  for (const images of [1, 2]) {
    await snapshot.take();
    await desk.upload(`i-${images}`, {}, undefined, pictureOf(`i-${images}`));
    assert.equal((await snapshot.imageFiles()).length, images - 1);
  }
  await snapshot.release();
  assert.equal((await snapshot.imageFiles()).length, 2);
});

test('what a killed check of a dump has left in the server goes with the next one; what another one works on stays', async (t) => {
  const database = await freshDatabase('postgres', t);
  const programs = join(database.dataDir, 'programs');
  await mkdir(programs);
  await writeFile(join(programs, 'pg_dump'), '#!/bin/sh\necho pg_dump \\(PostgreSQL\\) 99.0\n', {
    mode: 0o755,
  });
  const client = new pg.Client({ connectionString: database.databaseUrl! });
  await client.connect();
  const ask = async (text: string) => (await client.query(text)).rows;
  const [own] = await ask('select oid from pg_database where datname = current_database()');
  const [left, held, ofAnother] = [`${own.oid}_left`, `${own.oid}_held`, `1${own.oid}_held`].map(
    (name) => `ws01_verify_${name}`,
  );
  try {
    for (const name of [left, held, ofAnother])
      await ask(`create database ${name} template template0`);
    await ask(`select pg_advisory_lock(hashtextextended('${held}', 0))`);
    const examined = examineDump(join(programs, 'none'), database.databaseUrl!, { PATH: programs });
    await assert.rejects(examined, /psql failed/);
    const there = await ask(
      `select datname from pg_database where datname ~ '^ws01_verify_1?${own.oid}_'`,
    );
    assert.deepEqual(new Set(there.map(({ datname }) => datname)), new Set([held, ofAnother]));
  } finally {
    for (const name of [left, held, ofAnother]) await ask(`drop database if exists ${name}`);
    await client.end();
  }
});
