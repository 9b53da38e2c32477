import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { bePatient, passLimits } from '../../../../../packages/asmx/test/kit/steered-time.ts';
import type { ByteRange, FilePieces } from '../../../src/adapters/files/file-store.ts';
import { HotFiles, LARGEST_PART, PIECE_BYTES } from '../../../src/adapters/files/hot-files.ts';
import { resumedPieces } from '../../../src/adapters/files/resumed-pieces.ts';

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
  bytes(
    name: string,
    { start, end }: ByteRange = { start: 0, end: this.sizes[name]! - 1 },
  ): Buffer {
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
  for (const one of [...all, await files.piece('a', 1_000)])
    assert.deepEqual(one, store.bytes('a'));
  assert.deepEqual(
    await files.piece('a', 1_000, { start: 5, end: 9 }),
    store.bytes('a', { start: 5, end: 9 }),
  );
  assert.deepEqual([store.reads, files.knownBytes('a')], [['a'], 1_000]);
});

it('gives no more than a piece at once; what is longer comes in pieces, from memory', async () => {
  const sizes = { piece: PIECE_BYTES, longer: PIECE_BYTES + 1 };
  const store = new CountingStore(sizes);
  const files = new HotFiles(store, 1024 * KIB);
  assert.equal((await files.piece('piece', sizes.piece))?.length, sizes.piece);
  assert.equal(await files.piece('longer', sizes.longer), undefined);
  for (const range of [undefined, { start: 3, end: sizes.longer - 2 }]) {
    assert.deepEqual(
      await buffer(await files.pieces('longer', sizes.longer, range)),
      store.bytes('longer', range),
    );
  }
  assert.deepEqual(
    await files.piece('longer', sizes.longer, { start: 1, end: 9 }),
    Buffer.from([1, 2, 3, 4, 5, 6, 7, 8, 9]),
  );
  assert.deepEqual(store.reads, ['piece', 'longer']);
});

it('keeps no file over an eighth of the memory', async () => {
  const memory = 4 * 1024 * KIB;
  const sizes = { largest: memory * LARGEST_PART, larger: memory * LARGEST_PART + 1 };
  const store = new CountingStore(sizes);
  const files = new HotFiles(store, memory);
  for (const [name, bytes] of Object.entries(sizes)) {
    for (const _ of [1, 2])
      assert.equal((await buffer(await files.pieces(name, bytes))).length, bytes);
  }
  assert.deepEqual(store.reads, ['largest', 'larger', 'larger']);
});

it('so much memory is used for what is kept, and no more', async () => {
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
  const others = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const store = new CountingStore({
    long,
    ...Object.fromEntries(others.map((name) => [name, other])),
  });
  const files = new HotFiles(store, 80 * PIECE_BYTES);
  const pieces: Buffer[] = [];
  for await (const piece of await files.pieces('long', long)) {
    pieces.push(piece);
    if (pieces.length > 1) continue;
    for (const name of others) await buffer(await files.pieces(name, other));
    assert.equal(files.knownBytes('long'), undefined);
  }
  assert.deepEqual(Buffer.concat(pieces), store.bytes('long'));
  assert.equal(store.reads.filter((name) => name === 'long').length, 2);
});

it('a file of which somebody has a piece takes its memory until the piece is given back, kept or not', async () => {
  const bytes = 9 * PIECE_BYTES;
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  const store = new CountingStore(Object.fromEntries(names.map((name) => [name, bytes])));
  // Five are kept; two may be read or sent beside them.
  const limit = 8 * bytes;
  const files = new HotFiles(store, limit);
  const load = async (...names: readonly string[]) => {
    for (const name of names) await buffer(await files.pieces(name, bytes));
  };
  const begin = async (name: string) => {
    const reader = (await files.pieces(name, bytes))[Symbol.asyncIterator]();
    assert.equal((await reader.next()).value.length, PIECE_BYTES);
    return reader;
  };
  const first = [await begin('a'), await begin('b')];
  await load('c', 'd', 'e', 'f', 'g');
  assert.deepEqual([files.knownBytes('a'), files.knownBytes('b')], [undefined, undefined]);
  assert.ok(files.heldBytes > 7 * bytes && files.heldBytes <= limit, `${files.heldBytes}`);
  // There is no memory for another one, which is sent from the store.
  await load('h');
  assert.equal(files.knownBytes('h'), undefined);
  // Their readers go on from the store, too, or leave.
  for (const reader of first) await reader.next();
  assert.ok(files.heldBytes < 6 * bytes, `${files.heldBytes}`);
  const second = [await begin('f'), await begin('g')];
  await load('a', 'b', 'c', 'd', 'e');
  assert.ok(files.heldBytes > 7 * bytes, `${files.heldBytes}`);
  for (const reader of second) await reader.return!();
  assert.ok(files.heldBytes < 6 * bytes, `${files.heldBytes}`);
  await load('h');
  assert.equal(files.knownBytes('h'), bytes);
});

it('a file that is gone or has another size is an error, and only what is kept is known', async () => {
  const memory = 1024 * KIB;
  const sizes: Record<string, number> = { a: 1_000, large: memory * LARGEST_PART + 1 };
  const store = new CountingStore(sizes);
  const files = new HotFiles(store, memory);
  for (const now of [999, 1_001]) {
    sizes.a = now;
    await assert.rejects(async () => files.piece('a', 1_000), {
      dependency: 'files',
      kind: 'unavailable',
    });
    assert.equal(files.knownBytes('a'), undefined);
  }
  delete sizes.a;
  await assert.rejects(async () => files.piece('a', 1_000), /ENOENT/);
  await buffer(await files.pieces('large', sizes.large!));
  assert.deepEqual([files.knownBytes('a'), files.knownBytes('large')], [undefined, undefined]);
});

it('a file that comes too slowly is given up for all who wait, and read anew by who asks then', async (t) => {
  bePatient(t);
  const store = new CountingStore({ a: 1_000 });
  let stalls = true;
  const pieces = store.pieces.bind(store);
  store.pieces = async (name) => {
    if (!stalls) return pieces(name);
    store.reads.push(name);
    return resumedPieces(new Readable({ read() {} }), async () => assert.fail());
  };
  const files = new HotFiles(store, 64 * KIB);
  const waiting = Promise.allSettled([files.piece('a', 1_000), files.piece('a', 1_000)]);
  while (store.reads.length === 0) await nextTurn();
  await nextTurn();
  passLimits(60_000);
  for (const one of await waiting) {
    assert.ok(one.status === 'rejected');
    assert.equal(one.reason.name, 'DependencyError');
  }
  stalls = false;
  assert.deepEqual(await files.piece('a', 1_000), store.bytes('a'));
});
