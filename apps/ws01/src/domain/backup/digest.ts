import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Returns size and SHA-256 of a local file. */
export async function digestOf(
  path: string,
): Promise<{ readonly bytes: number; readonly sha256: string }> {
  return { bytes: (await stat(path)).size, sha256: await sha256Of(createReadStream(path)) };
}

/** Returns the SHA-256 in lower-case hexadecimal digits. */
export async function sha256Of(source: Readable): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(source, hash);
  return hash.digest('hex');
}
