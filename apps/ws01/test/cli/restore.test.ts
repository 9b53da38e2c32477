import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { appendFile, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { someOf } from '../../../../packages/asmx/test/kit/lane.ts';
import { openUnchanged } from '../../src/store/open.ts';
import { RELEASED } from '../../src/store/schema/changes.ts';
import { contentsOf, done, started } from '../kit/backups.ts';
import { ws01 } from '../kit/command.ts';
import { earlierDatabase } from '../kit/earlier-database.ts';
import { FOREIGN_NAMES } from '../kit/file-stores.ts';
import { startService } from '../kit/service.ts';

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
    const service = await startService(t, database);
    const running = await ws01(database, ['restore', backup, '--yes', '--replace']);
    assert.deepEqual(
      [running.code, running.stderr],
      [1, 'ws01: A service has the database open; stop it first. Nothing was done.\n'],
    );
    assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
    await service.app.stop();

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
      { format: undefined },
      { format: '\u001b[31m' },
    ];
    const texts = wrong.map((change) => JSON.stringify({ ...manifest, ...change }));
    for (const text of [...texts, '[]', '{}', 'null', '1', '']) {
      await writeFile(file, text);
      const { code, stderr } = await ws01(database, ['restore', backup]);
      assert.deepEqual(
        [code, /^ws01: The manifest of [^\n]* is damaged; name another backup\.\n$/.test(stderr)],
        [1, true],
        stderr,
      );
    }
    await writeFile(file, `\ufeff${JSON.stringify(manifest)}`);
    await done(database, ['restore', backup, '--yes', '--replace']);
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
    for (const wait of someOf([700, 400, 1_000], 3)) {
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
