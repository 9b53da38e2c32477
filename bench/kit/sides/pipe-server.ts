/** The measure of uploads: `node:http` that pipes what it is sent into a file, with its SHA-256, syncs it and says so. */
import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

const [folder = '.'] = process.argv.slice(2);

const server = createServer(async (req, res) => {
  const path = join(folder, randomUUID());
  const hash = createHash('sha256');
  await pipeline(
    req,
    async function* (pieces: AsyncIterable<Buffer>) {
      for await (const piece of pieces) {
        hash.update(piece);
        yield piece;
      }
    },
    createWriteStream(path),
  );
  hash.digest();
  const handle = await open(path);
  await handle.sync();
  await handle.close();
  await rm(path);
  res.end('true');
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
