import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ByteRange, FilePieces } from '../../../src/adapters/files/file-store.ts';
import { HotFiles, LARGEST_HOT_FILE, PIECE_BYTES } from '../../../src/adapters/files/hot-files.ts';

const KIB = 1024;

/** A store of files of given sizes, which counts how often each is read. */
class CountingStore {
  readonly reads: string[] = [];
  readonly sizes: Record<string, number>;
  /** Reads wait for it. */
  gate: Promise<void> = Promise.resolve();

  constructor(sizes: Record<string, number>) {
    this.sizes = sizes;
  }

  /** The bytes of a file, different at each place. */
  bytes(name: string, { start, end }: ByteRange = { start: 0, end: this.sizes[name]! - 1 }): Buffer {
    return Buffer.from(Uint8Array.from({ length: end - start + 1 }, (_, at) => (start + at) % 251));
  }

  async pieces(name: string, range?: ByteRange): Promise<FilePieces> {
    this.reads.push(name);
    await this.gate;
    if (this.sizes[name] === undefined) throw new Error('ENOENT');
    return Readable.from([this.bytes(name, range)]);
  }
}

it('reads a small file once, for all who ask at once and later', async () => {
  const store = new CountingStore({ a: 1_000 });
  const files = new HotFiles(store, 64 * KIB);
  const all = await Promise.all(Array.from({ length: 10 }, () => files.piece('a', 1_000)));
  for (const one of [...all, await files.piece('a', 1_000)]) assert.deepEqual(one, store.bytes('a'));
  assert.deepEqual(await files.piece('a', 1_000, { start: 5, end: 9 }), store.bytes('a', { start: 5, end: 9 }));
  assert.deepEqual([store.reads, files.knownBytes('a')], [['a'], 1_000]);
});

it('gives no more than a piece at once; what is longer comes in pieces, from memory', async () => {
  const sizes = { piece: PIECE_BYTES, longer: PIECE_BYTES + 1 };
  const store = new CountingStore(sizes);
  const files = new HotFiles(store, 1024 * KIB);
  assert.equal((await files.piece('piece', sizes.piece))?.length, sizes.piece);
  assert.equal(await files.piece('longer', sizes.longer), undefined);
  for (const range of [undefined, { start: 3, end: sizes.longer - 2 }]) {
    assert.deepEqual(await buffer(await files.pieces('longer', sizes.longer, range)), store.bytes('longer', range));
  }
  assert.deepEqual(
    await files.piece('longer', sizes.longer, { start: 1, end: 9 }),
    Buffer.from([1, 2, 3, 4, 5, 6, 7, 8, 9]),
  );
  assert.deepEqual(store.reads, ['piece', 'longer']);
});

it('keeps no file over the largest size', async () => {
  const sizes = { largest: LARGEST_HOT_FILE, larger: LARGEST_HOT_FILE + 1 };
  const store = new CountingStore(sizes);
  const files = new HotFiles(store, 16 * LARGEST_HOT_FILE);
  for (const [name, bytes] of Object.entries(sizes)) {
    for (const _ of [1, 2]) assert.equal((await buffer(await files.pieces(name, bytes))).length, bytes);
  }
  assert.deepEqual(store.reads, ['largest', 'larger', 'larger']);
});

it('IMAGE_CACHE_BYTES: so much memory is used for what is kept, and no more', async () => {
  const sizes = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`f${at}`, 10 * KIB]));
  const store = new CountingStore(sizes);
  const [limit, kept] = [160 * KIB, 120 * KIB];
  const files = new HotFiles(store, limit);
  for (const name of Object.keys(sizes)) {
    await files.piece(name, sizes[name]!);
    assert.ok(files.heldBytes <= kept, `${files.heldBytes}`);
  }
  assert.ok(files.heldBytes > kept - 11 * KIB, `${files.heldBytes}`);
  // The latest are there, the earliest are not.
  await files.piece('f99', sizes.f99!);
  assert.equal(store.reads.length, 100);
  await files.piece('f0', sizes.f0!);
  assert.equal(store.reads.length, 101);
  const off = new HotFiles(store, 0);
  assert.equal(await off.piece('f1', sizes.f1!), undefined);
  assert.deepEqual(await buffer(await off.pieces('f1', sizes.f1!)), store.bytes('f1'));
  assert.deepEqual([off.knownBytes('f1'), off.heldBytes], [undefined, 0]);
});

it('a quarter of it is for files that are being read; further ones are streamed', async () => {
  const sizes = { a: 20 * KIB, b: 20 * KIB, c: 1 };
  const store = new CountingStore(sizes);
  const files = new HotFiles(store, 160 * KIB);
  const { promise, resolve } = Promise.withResolvers<void>();
  store.gate = promise;
  const loading = [files.piece('a', sizes.a), files.piece('b', sizes.b)];
  assert.ok(loading.every((one) => one instanceof Promise));
  assert.equal(files.piece('c', sizes.c), undefined);
  resolve();
  await Promise.all(loading);
  await nextTurn();
  assert.equal((await files.piece('c', sizes.c))?.length, 1);
});

it('a file that is no longer kept while it is sent is read on from the store', async () => {
  const [long, other] = [8 * PIECE_BYTES + 7, 9 * PIECE_BYTES];
  const store = new CountingStore({ long, a: other, b: other, c: other, d: other });
  const files = new HotFiles(store, 40 * PIECE_BYTES);
  const pieces: Buffer[] = [];
  for await (const piece of await files.pieces('long', long)) {
    pieces.push(piece);
    if (pieces.length > 1) continue;
    for (const name of ['a', 'b', 'c', 'd']) await buffer(await files.pieces(name, other));
    assert.equal(files.knownBytes('long'), undefined);
  }
  assert.deepEqual(Buffer.concat(pieces), store.bytes('long'));
  assert.equal(store.reads.filter((name) => name === 'long').length, 2);
});

it('a file of which somebody has a piece takes its memory until the piece is given back, kept or not', async () => {
  const bytes = 9 * PIECE_BYTES;
  const names = ['a', 'b', 'c', 'd', 'e'];
  const store = new CountingStore(Object.fromEntries(names.map((name) => [name, bytes])));
  // Three are kept; one may be read or sent beside them.
  const limit = 40 * PIECE_BYTES;
  const files = new HotFiles(store, limit);
  const open = async (name: string) => (await files.pieces(name, bytes))[Symbol.asyncIterator]();
  const first = await open('a');
  assert.equal((await first.next()).value.length, PIECE_BYTES);
  for (const name of ['b', 'c', 'd']) await buffer(await files.pieces(name, bytes));
  assert.equal(files.knownBytes('a'), undefined);
  assert.ok(files.heldBytes > 4 * bytes && files.heldBytes <= limit, `${files.heldBytes}`);
  // There is no memory for another one, which is sent from the store.
  await buffer(await files.pieces('e', bytes));
  assert.equal(files.knownBytes('e'), undefined);
  // It goes on from the store, too, or its reader leaves.
  await first.next();
  assert.ok(files.heldBytes < 4 * bytes, `${files.heldBytes}`);
  const second = await open('b');
  await second.next();
  for (const name of ['a', 'c', 'd']) await buffer(await files.pieces(name, bytes));
  assert.ok(files.heldBytes > 4 * bytes);
  await second.return!();
  assert.ok(files.heldBytes < 4 * bytes);
  await buffer(await files.pieces('e', bytes));
  assert.equal(files.knownBytes('e'), bytes);
});

it('a file that is gone or has another size is an error, and only what is kept is known', async () => {
  const sizes: Record<string, number> = { a: 1_000, large: LARGEST_HOT_FILE + 1 };
  const store = new CountingStore(sizes);
  const files = new HotFiles(store, 8 * LARGEST_HOT_FILE);
  for (const now of [999, 1_001]) {
    sizes.a = now;
    await assert.rejects(async () => files.piece('a', 1_000), { dependency: 'files', kind: 'unavailable' });
    assert.equal(files.knownBytes('a'), undefined);
  }
  delete sizes.a;
  await assert.rejects(async () => files.piece('a', 1_000), /ENOENT/);
  await buffer(await files.pieces('large', sizes.large!));
  assert.deepEqual([files.knownBytes('a'), files.knownBytes('large')], [undefined, undefined]);
});
