import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { HOUR_MS } from '@ws01/asmx/time';
import { filesIn } from '../../../../packages/asmx/test/kit/folder.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { openFiles } from '../../src/adapters/files/open.ts';
import { changeSetting } from '../../src/domain/settings/settings.ts';
import { contentsOf, done, nextSecond, S3_KEYS, started } from '../kit/backups.ts';
import { ws01 } from '../kit/command.ts';
import { pictureOf } from '../kit/images/containers.ts';
import { spawnService } from '../kit/process.ts';
import { startS3 } from '../kit/s3.ts';

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
    const [[rotten = '', path = ''] = []] = await filesIn(join(backup, 'files/kept'));
    await writeFile(path, 'rotten');
    await nextSecond();
    const again = await done(database, ['backup'], env);
    const bytes = await readFile(join(again.backup, 'files/kept', rotten.slice(0, 2), rotten));
    assert.equal(bytes.toString('base64'), (await contentsOf(database)).get(rotten));
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
    assert.equal(rows[0]!.slot! % (720 * HOUR_MS), 0);
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
    assert.equal(row!.slot! % (720 * HOUR_MS), 0);
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
