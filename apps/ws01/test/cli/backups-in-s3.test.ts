import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { words } from '../../../../packages/asmx/src/contract/words.ts';
import { filesIn } from '../../../../packages/asmx/test/kit/folder.ts';
import { openFiles } from '../../src/adapters/files/open.ts';
import { contentsOf, done, nextSecond, S3_KEYS, started } from '../kit/backups.ts';
import { ws01 } from '../kit/command.ts';
import { pictureOf } from '../kit/images/containers.ts';
import { startS3 } from '../kit/s3.ts';

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
    assert.deepEqual(names.sort(), words('backups backups backups files files files files'));
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
    const copies = await filesIn(join(second.backup, 'files/kept'));
    const links = await Promise.all(
      [...copies.values()].map(async (path) => (await stat(path)).nlink),
    );
    assert.deepEqual(links.sort(), [1, 2, 2, 2]);
    // Another file than it was counts as lost.
    const [lost, changed] = copies.keys();
    await files.remove(lost!);
    await files.remove(changed!);
    await writeFile(join(database.dataDir, 'other'), 'other bytes');
    await files.keep(join(database.dataDir, 'other'), changed!);
    await store.close();
    const restored = await done(database, ['restore', '--yes', '--replace'], env);
    assert.equal(restored.restoredFiles, 2);
    for (const name of [lost!, changed!]) {
      assert.deepEqual(await buffer(await files.read(name)), await readFile(copies.get(name)!));
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
