import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { writePieces } from '../../src/node/write-pieces.ts';

/** Writes pieces of so many bytes as a body of a length. @returns how many bytes came. */
async function written(length: number, sizes: readonly number[]): Promise<number> {
  let taken = 0;
  const out = new Writable({
    write(bytes, _encoding, done) {
      taken += bytes.length;
      setImmediate(done);
    },
  });
  async function* pieces() {
    for (const size of sizes) yield Buffer.alloc(size, 'x');
  }
  await writePieces(out, { length, pieces: pieces() });
  return taken;
}

test('a body in pieces is written whole', async () => {
  assert.equal(await written(150_000, [65_536, 65_536, 18_928]), 150_000);
  assert.equal(await written(0, []), 0);
});

for (const [name, sizes] of Object.entries({
  'a byte less': [65_536, 3_999],
  'a byte more': [65_536, 4_001],
  'a piece more': [65_536, 4_000, 1],
  'none at all': [],
})) {
  test(`of a body that has another length than was said, its client is not left to wait: ${name}`, async () => {
    await assert.rejects(written(69_536, sizes), /another length/);
  });
}
