import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { it, type TestContext } from 'node:test';
import type { Files } from '../../src/adapters/files/open.ts';

/** Stores bytes under a name, by way of the spool. */
export async function keep({ spool, store }: Files, name: string, bytes: Buffer): Promise<void> {
  const upload = spool.receive();
  for (let from = 0; from < bytes.length; from += 10_000)
    await upload.write(bytes.subarray(from, from + 10_000));
  const { path } = await upload.finish();
  await store.keep(path, name);
  await upload.release();
}

export async function names({ store }: Files): Promise<string[]> {
  const found: string[] = [];
  for await (const { name } of store.list()) found.push(name);
  return found.sort();
}

/** What no stored file is called; on a disk each would be somewhere else. */
export const FOREIGN_NAMES = [
  ...[
    '..',
    '../x',
    '../../x',
    'aa/../../../x',
    'aa/x',
    '/etc/x',
    '.x',
    '',
    'a\0b',
    'a\nb',
    'a\\..\\x',
    'a b',
    'é',
    '%2e%2e',
  ],
  ...['a'.repeat(256), '-x', '_x', '..%2fx', 'C:x', 'aa/', '~x', '\u202e', '..\u2215x'],
] as const;

/** What every store of files does, to be tested inside a `describe`. */
export function testFileStore(open: (test: TestContext) => Promise<Files>): void {
  it('keeps a file byte for byte, finds it, reads it and parts of it, and removes it', async (t) => {
    const files = await open(t);
    const bytes = randomBytes(6_000_000);
    await files.store.check();
    assert.deepEqual(await names(files), []);
    await keep(files, 'ab12-x', bytes);
    await keep(files, 'ab12-x.full', Buffer.from('other'));
    const found = await files.store.find('ab12-x');
    assert.equal(found!.bytes, bytes.length);
    assert.ok(Math.abs(found!.storedAt - Date.now()) < 60_000);
    assert.deepEqual(await buffer(await files.store.read('ab12-x')), bytes);
    const part = await buffer(await files.store.read('ab12-x', { start: 5, end: 70_000 }));
    assert.deepEqual(part, bytes.subarray(5, 70_001));
    for (const range of [undefined, { start: 5, end: 70_000 }]) {
      const copies: Buffer[] = [];
      for await (const piece of await files.store.pieces('ab12-x', range))
        copies.push(Buffer.from(piece));
      assert.deepEqual(Buffer.concat(copies), range === undefined ? bytes : part);
    }
    assert.deepEqual(await names(files), ['ab12-x', 'ab12-x.full']);
    await files.store.remove('ab12-x');
    await files.store.remove('ab12-x');
    assert.equal(await files.store.find('ab12-x'), undefined);
    assert.deepEqual(await names(files), ['ab12-x.full']);
  });

  it('takes no name that is not one of a file, whoever vouches for it', async (t) => {
    const files = await open(t);
    await keep(files, 'ab12', Buffer.from('bytes'));
    const upload = files.spool.receive();
    await upload.write(Buffer.from('planted'));
    const { path } = await upload.finish();
    const refused = { message: /is not the name of a file of this service/ };
    for (const name of FOREIGN_NAMES) {
      await assert.rejects(files.store.find(name), refused, name);
      await assert.rejects(files.store.read(name), refused, name);
      await assert.rejects(files.store.pieces(name), refused, name);
      await assert.rejects(async () => files.store.withPath(name, async () => {}), refused, name);
      await assert.rejects(files.store.keep(path, name), refused, name);
      await assert.rejects(files.store.keepAll([{ path, name }]), refused, name);
      await assert.rejects(files.store.remove(name), refused, name);
    }
    await upload.release();
    assert.deepEqual(await names(files), ['ab12']);
  });

  it('says so when it cannot', async (t) => {
    const files = await open(t);
    for (const read of ['read', 'pieces'] as const)
      await assert.rejects(files.store[read]('gone'), { dependency: 'files', kind: 'unavailable' });
    await assert.rejects(files.store.keep('/no/such/file', 'ab'), {
      dependency: 'files',
      kind: 'unavailable',
    });
  });

  it('moves a file to the trash and back, byte for byte, and again what was done before', async (t) => {
    const files = await open(t);
    const { store } = files;
    const [day, later] = ['2026-11-27', '2026-11-28'];
    const bytes = randomBytes(300_000);
    await keep(files, 'ab12-x', bytes);
    await keep(files, 'ab12-y', Buffer.from('other'));
    const trashed = async () =>
      (await Array.fromAsync(store.trash.list())).map((file) => `${file.day} ${file.name}`);
    assert.deepEqual(await trashed(), []);
    await store.trash.take('ab12-x', day);
    await store.trash.take('ab12-x', later);
    await store.trash.take('no-such', day);
    assert.deepEqual([await names(files), await trashed()], [['ab12-y'], [`${day} ab12-x`]]);
    await store.trash.take('ab12-y', later);
    assert.deepEqual(
      [await names(files), await trashed()],
      [[], [`${day} ab12-x`, `${later} ab12-y`]],
    );

    const [first, second] = await Array.fromAsync(store.trash.list());
    assert.deepEqual(first, { name: 'ab12-x', bytes: bytes.length, day });
    assert.equal(await store.trash.putBack(first!), true);
    assert.deepEqual(await buffer(await store.read('ab12-x')), bytes);
    assert.equal(await store.trash.putBack({ ...first!, name: 'no-such' }), false);
    await store.trash.remove(first!);
    await store.trash.remove(second!);
    await store.trash.remove(second!);
    assert.deepEqual([await names(files), await trashed()], [['ab12-x'], []]);
  });

  it('belongs to one database at a time, and its id is no file', async (t) => {
    const files = await open(t);
    assert.equal(await files.store.owner(), undefined);
    for (const id of ['one', 'another']) {
      await files.store.giveTo(id);
      assert.equal(await files.store.owner(), id);
    }
    assert.deepEqual(await names(files), []);
    await files.store.giveTo(undefined);
    assert.equal(await files.store.owner(), undefined);
  });
}
