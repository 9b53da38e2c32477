import { mkdtemp, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { PATIENCE_MS } from '../../../../packages/asmx/test/kit/until.ts';

/** As much of s3rver as is used here; it has no types of its own. */
interface S3rver {
  readonly httpServer: Server;
  run(): Promise<AddressInfo>;
  close(): Promise<void>;
}
type S3rverClass = new (options: Readonly<Record<string, unknown>>) => S3rver;

/** Gives this process the credentials that s3rver knows, where the AWS tools look for them. */
export function allowS3(): void {
  process.env.AWS_ACCESS_KEY_ID = 'S3RVER';
  process.env.AWS_SECRET_ACCESS_KEY = 'S3RVER';
}

/** A real S3 service over HTTP with one bucket, stopped after the test; `directory` has its objects. */
export async function startS3(
  test: TestContext,
): Promise<{ readonly endpoint: string; readonly bucket: string; readonly directory: string }> {
  allowS3();
  const S3rver = createRequire(import.meta.url)('s3rver') as S3rverClass;
  const directory = await mkdtemp(join(tmpdir(), 'ws01-s3-'));
  const bucket = 'images';
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: bucket }],
  });
  const { port } = await server.run();
  // A client that is slow to send the next request meets the end of its connection.
  server.httpServer.keepAliveTimeout = PATIENCE_MS;
  test.after(async () => {
    await server.close();
    await rm(directory, { recursive: true, force: true });
  });
  return { endpoint: `http://127.0.0.1:${port}`, bucket, directory };
}
