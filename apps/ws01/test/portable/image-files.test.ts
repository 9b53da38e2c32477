import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import { words } from '../../../../packages/asmx/src/contract/words.ts';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { TEST_BINDINGS } from '../kit/bindings.ts';
import { ws01 } from '../kit/command.ts';
import { freshDatabase, type TestDatabase } from '../kit/database.ts';
import { hostileFiles } from '../kit/images/hostile.ts';
import {
  animation,
  cameraJpeg,
  cmykJpeg,
  deepPng,
  largeJpeg,
  motionPhoto,
  phoneAvif,
  transparentPng,
} from '../kit/images/photographs.ts';
import { readLines, writeFolder } from '../kit/portable.ts';
import { startService, type TestService, TOKEN } from '../kit/service.ts';

const AT = '2024-02-29T13:05:06.000Z';

interface Listed {
  readonly fileGuid: string;
  readonly url: string;
  readonly iconUrl: string;
}

async function listed({ url }: TestService): Promise<readonly Listed[]> {
  const get = TEST_BINDINGS.find(({ name }) => name === 'get')!;
  const { result } = await get.call(url, 'QueryImgData', { pagesize: '100' });
  const items: Listed[] = JSON.parse(result!).items;
  return items.toSorted((one, other) => (one.fileGuid < other.fileGuid ? -1 : 1));
}

/** A folder of images that are given as files alone, named by their keys. */
function writeSite(folder: string, files: Readonly<Record<string, Buffer>>): Promise<string> {
  const names = Object.keys(files);
  return writeFolder(folder, {
    'images.jsonl': names.map((name) => ({ guid: name, file: `upload/${name}`, createdAt: AT })),
    ...Object.fromEntries(names.map((name) => [`upload/${name}`, files[name]!])),
  });
}

/** What is stored of the files themselves. */
async function storedFiles(database: TestDatabase) {
  const store = await database.open();
  try {
    const columns = words('hash format served_format width height frames bytes deleted_at');
    return await store.read((db) =>
      db.selectFrom('image_files').select(columns).orderBy('hash').execute(),
    );
  } finally {
    await store.close();
  }
}

it('an imported image is what an upload of the same bytes is, in its record and as it is served', async (t) => {
  const files: Record<string, Buffer> = {
    'animated-gif': await animation('gif'),
    'animated-webp': await animation('webp'),
    camera: await cameraJpeg(),
    cmyk: await cmykJpeg(),
    deep: await deepPng(),
    large: await largeJpeg(1_200, 800),
    motion: await motionPhoto(),
    phone: await phoneAvif(),
    transparent: await transparentPng(),
  };
  const soap11 = TEST_BINDINGS.find(({ name }) => name === 'soap11')!;
  const uploading = await startService(t, undefined, { RATE_LIMITS: 'off' });
  for (const [FileGuid, bytes] of Object.entries(files)) {
    const params = { verifyCode: TOKEN, FileGuid, FileImg: bytes.toString('base64') };
    assert.equal(
      (await soap11.call(uploading.url, 'InsertArticleImageFile', params)).result,
      'true',
      FileGuid,
    );
  }
  const folder = await writeSite(join(await temporaryFolder(t), 'in'), files);
  const database = await freshDatabase('sqlite', t);
  const imported = await ws01(database, ['import', folder]);
  assert.equal(imported.code, 0, imported.stderr);
  const importing = await startService(t, database, { RATE_LIMITS: 'off' });

  const [uploads, imports] = await Promise.all([listed(uploading), listed(importing)]);
  const path = (url: string) => new URL(url).pathname;
  const places = (images: readonly Listed[]) =>
    images.map(({ fileGuid, url, iconUrl }) => [fileGuid, path(url), path(iconUrl)]);
  assert.deepEqual(places(imports), places(uploads));
  assert.equal(imports.length, Object.keys(files).length);
  const ask = async (url: string) => {
    const response = await fetch(url);
    const {
      date,
      'last-modified': modified,
      'x-request-id': id,
      ...headers
    } = Object.fromEntries(response.headers);
    return {
      status: response.status,
      headers,
      body: Buffer.from(await response.arrayBuffer()).toString('base64'),
    };
  };
  for (const [at, upload] of uploads.entries()) {
    for (const one of ['url', 'iconUrl'] as const) {
      const expected = await ask(upload[one]);
      assert.equal(expected.status, 200);
      assert.deepEqual(await ask(imports[at]![one]), expected, `${upload.fileGuid}: ${one}`);
    }
  }
  await Promise.all([uploading.app.stop(), importing.app.stop()]);
  assert.deepEqual(await storedFiles(database), await storedFiles(uploading.database));
});

it('what is no image is refused with a reason, and what only its pixels show to be damaged is never served', async (t) => {
  const hostile = await hostileFiles();
  const files = Object.fromEntries(hostile.map(({ bytes }, at) => [`file-${at}`, bytes]));
  const folder = await writeSite(join(await temporaryFolder(t), 'in'), files);
  const quick = await freshDatabase('sqlite', t);
  const tried = await ws01(quick, [
    'import',
    folder,
    '--dry-run',
    '--json',
    '--refused',
    `${folder}.tried`,
  ]);
  const imported = await ws01(quick, ['import', folder, '--json']);
  const { added, refused } = JSON.parse(imported.stdout).kinds.images;
  assert.deepEqual(JSON.parse(tried.stdout).kinds, JSON.parse(imported.stdout).kinds);
  const told = await readLines(`${folder}.refused.jsonl`);
  assert.deepEqual(await readLines(`${folder}.tried`), told);
  assert.equal(told.length, refused);
  const taken = new Set(Object.keys(files));
  for (const { row, reason } of told) {
    assert.match(String(reason), /\w{3}.*\.$/);
    taken.delete(JSON.parse(String(row)).guid);
  }
  assert.equal(taken.size, added);
  const damaged = [...taken].map((name) => hostile[Number(name.slice('file-'.length))]!);
  assert.ok(damaged.length > 0, 'some are whole but for their pixels');
  for (const { code, name } of damaged) assert.equal(code, 'ImageUnreadable', name);

  const looked = await writeSite(
    join(folder, 'taken'),
    Object.fromEntries(damaged.map(({ bytes }, at) => [at, bytes])),
  );
  const decoded = await ws01(await freshDatabase('sqlite', t), [
    'import',
    looked,
    '--decode-images',
    '--json',
  ]);
  assert.deepEqual(JSON.parse(decoded.stdout).kinds.images, {
    added: 0,
    changed: 0,
    present: 0,
    refused: damaged.length,
  });

  const service = await startService(t, quick, { RATE_LIMITS: 'off' });
  const images = await listed(service);
  assert.deepEqual(new Set(images.map(({ fileGuid }) => fileGuid)), taken);
  for (const { url, iconUrl } of images) {
    for (const address of [url, iconUrl, url]) {
      const response = await fetch(address);
      assert.deepEqual(
        [response.status, response.headers.get('x-error-code')],
        [422, 'ImageUnreadable'],
      );
    }
  }
});
