import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it } from 'node:test';
import { ContentBuffer } from '../../src/message/files/content-buffer.ts';

it('bytes that wait come back in order, from memory and from the disk, however many wait at once', async () => {
  const sizes = [0, 1, 64 * 1024, 64 * 1024 + 1, 300_000];
  await Promise.all(
    Array.from({ length: 20 }, async (_, at) => {
      const bytes = randomBytes(sizes[at % sizes.length]!);
      const buffer = new ContentBuffer();
      for (let from = 0; from < bytes.length; from += 50_000)
        await buffer.write(bytes.subarray(from, from + 50_000));
      const pieces: Buffer[] = [];
      for await (const piece of buffer.read()) pieces.push(Buffer.from(piece));
      assert.ok(Buffer.concat(pieces).equals(bytes));
      await Promise.all([buffer.release(), buffer.release()]);
    }),
  );
});
