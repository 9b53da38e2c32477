import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { DAY_MS } from '@ws01/asmx/time';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { type Files, openFiles } from '../../src/adapters/files/open.ts';
import type { BackupManifest } from '../../src/domain/backup/manifest.ts';
import { S3BackupLocation } from '../../src/domain/backup/s3-location.ts';
import { keep, names } from '../kit/file-stores.ts';
import { startS3 } from '../kit/s3.ts';

const AT = Date.UTC(2026, 10, 20, 3);
const NAME = 'ws01-20261120T030000Z';

const manifest: BackupManifest = {
  ...{ format: 1, engine: 'sqlite', madeAt: AT, rows: {}, images: { count: 2, bytes: 2 } },
  database: { file: 'ws01.sqlite', bytes: 1, sha256: '0'.repeat(64) },
  verified: { at: AT, by: 'restored' },
};

test('files that a list has lost stay, those that no backup has go to a trash for a month', async (t) => {
  const { endpoint, bucket } = await startS3(t);
  const dataDir = await temporaryFolder(t, 'ws01-copies-');
  const open = (prefix: string) =>
    openFiles(
      { kind: 's3', bucket, prefix, endpoint, region: undefined, nested: prefix === 'backups' },
      dataDir,
    );
  let now = Date.now();
  const place = await S3BackupLocation.open('S3', open, dataDir, () => now);
  const [backups, files]: [Files, Files] = [await open('backups'), await open('files')];
  t.after(() => {
    for (const one of [place, backups.store, files.store]) one.close();
  });

  const draft = await place.begin(NAME);
  await writeFile(join(draft.folder, 'ws01.sqlite'), '1');
  await draft.storeDatabase('ws01.sqlite');
  for (const name of ['ab-1', 'ab-2']) await keep(draft.files, name, Buffer.from(name));
  await keep(files, 'of-none', Buffer.from('0'));
  await draft.finish(manifest, ['ab-1', 'ab-2']);
  const stored = ['backup.json', 'files.txt', 'ws01.sqlite'].map((file) => `${NAME}/${file}`);

  now += 3 * DAY_MS;
  await keep(backups, `${NAME}/files.txt`, Buffer.from('ab-1\n'));
  assert.match((await place.prune([])) ?? '', /^The list of files of ws01-\S+ is damaged/);
  assert.deepEqual(await names(files), ['ab-1', 'ab-2', 'of-none']);

  await keep(backups, `${NAME}/files.txt`, Buffer.from('ab-1\nab-2\n'));
  await backups.store.remove(`${NAME}/backup.json`);
  assert.equal(await place.prune([]), undefined);
  assert.deepEqual(await names(backups), stored.slice(1), 'without its manifest it is kept, too');
  assert.deepEqual(await names(files), ['ab-1', 'ab-2']);

  now += 29 * DAY_MS;
  await place.prune([]);
  const inTrash = async () =>
    (await Array.fromAsync(files.store.trash.list())).map(({ name }) => name);
  assert.deepEqual(await inTrash(), ['of-none']);
  now += 2 * DAY_MS;
  await place.prune([NAME]);
  assert.deepEqual([await names(backups), await names(files)], [[], []]);
  assert.deepEqual(await inTrash(), ['ab-1', 'ab-2']);
});
