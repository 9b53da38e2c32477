// needs: ceph=ceph-common ceph-authtool=ceph-common monmaptool=ceph-common ceph-mon ceph-osd radosgw radosgw-admin=radosgw
/** The store of files, and a service, on a real object gateway of Ceph. */
import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, it, type TestContext } from 'node:test';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { type Files, openFiles } from '../../src/adapters/files/open.ts';
import { newNameOfFile } from '../../src/domain/images/file-names.ts';
import { sweepFiles } from '../../src/domain/images/sweep.ts';
import { TEST_BINDINGS } from '../kit/bindings.ts';
import { freshDatabase } from '../kit/database.ts';
import { keep, names, testFileStore } from '../kit/file-stores.ts';
import { blackPng } from '../kit/images/containers.ts';
import { startService, TOKEN } from '../kit/service.ts';
import type { Ending } from './nodes/programs.ts';
import { startRadosgw } from './radosgw/ceph.ts';

/** One more than S3 lists in one answer. */
const FILES = 1_001;

const [soap11, , get] = TEST_BINDINGS;

/** What ends the gateway. */
const ends: (() => unknown)[] = [];
const ending: Ending = { after: (end) => ends.push(end) };

let gateway: { readonly endpoint: string; readonly bucket: string } | undefined;
let prefixes = 0;

async function open(t: TestContext, prefix = `prefix-${prefixes++}/deeper`): Promise<Files> {
  const folder = await temporaryFolder(t, 'ws01-files-');
  const files = await openFiles({ kind: 's3', ...gateway!, prefix, region: undefined }, folder);
  t.after(() => files.store.close());
  return files;
}

describe('Ceph’s object gateway', () => {
  before(async () => {
    gateway = await startRadosgw(ending);
  });
  after(async () => {
    for (const end of ends.reverse()) await end();
  });

  testFileStore(open);

  it('lists more files than one answer has', async (t) => {
    const files = await open(t);
    const all = Array.from({ length: FILES }, (_, n) => `${String(n).padStart(4, '0')}-x`);
    for (let from = 0; from < FILES; from += 50) {
      await Promise.all(
        all.slice(from, from + 50).map((name) => keep(files, name, Buffer.from(name))),
      );
    }
    assert.deepEqual(await names(files), all);
  });

  it('copies a file by itself as long as it is the version that was seen', async (t) => {
    const [from, to] = [await open(t), await open(t)];
    await keep(from, 'ab-x', Buffer.from('first'));
    const seen = (await from.store.find('ab-x'))!;
    assert.equal(await to.store.copy(from.store, seen, 'cd-x'), true);
    assert.equal(String(await buffer(await to.store.read('cd-x'))), 'first');
    await keep(from, 'ab-x', Buffer.from('other'));
    assert.equal(await to.store.copy(from.store, seen, 'ef-x'), false);
    assert.deepEqual(await names(to), ['cd-x']);
  });

  it('serves two nodes: an image uploaded at one is shown whole and in part by the other, and is gone from both', async (t) => {
    const { endpoint, bucket } = gateway!;
    const FILES_URL = `s3://${bucket}/site?endpoint=${encodeURIComponent(endpoint)}`;
    const first = await startService(t, await freshDatabase('postgres', t), { FILES_URL });
    const second = await startService(t, first.database, { FILES_URL });
    const params = {
      verifyCode: TOKEN,
      FileGuid: 'shared',
      FileImg: blackPng(300, 200).toString('base64'),
    };
    assert.equal((await soap11!.call(first.url, 'InsertArticleImageFile', params)).result, 'true');
    assert.equal((await fetch(`${second.url}/readyz`)).status, 200);
    const [item] = JSON.parse((await get!.call(second.url, 'QueryImgData', {})).result!).items;
    const whole = Buffer.from(await (await fetch(item.url)).arrayBuffer());
    const part = await fetch(item.url, { headers: { Range: 'bytes=8-19' } });
    assert.deepEqual(
      [part.status, Buffer.from(await part.arrayBuffer())],
      [206, whole.subarray(8, 20)],
    );
    const files = await open(t, 'site');
    assert.equal((await names(files)).length, 3);
    const removed = await soap11!.call(second.url, 'DeleImgById', {
      verifyCode: TOKEN,
      FileGuid: 'shared',
    });
    assert.equal(removed.result, 'shared');
    assert.equal((await fetch(item.url.replace(second.app.url, first.app.url))).status, 410);
    assert.deepEqual(await names(files), []);
    const leftBehind = newNameOfFile('0'.repeat(64));
    await keep(files, leftBehind, Buffer.from('left'));
    const store = await first.database.open();
    const sweep = async (now: number) =>
      (await sweepFiles({ store, files, clock: Date.now }, { store: now, spool: now })).trashed;
    assert.equal(await sweep(Date.now()), 0);
    assert.equal(await sweep(Date.now() + 7_200_000), 1);
    assert.deepEqual(await names(files), []);
    const [trashed] = await Array.fromAsync(files.store.trash.list());
    assert.equal(await files.store.trash.putBack(trashed!), true);
    assert.deepEqual(await names(files), [leftBehind]);
  });
});
