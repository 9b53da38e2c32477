import { utimes } from 'node:fs/promises';
import type { TestContext } from 'node:test';
import { HOUR_MS } from '@ws01/asmx/time';
import { filesIn, temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { type Files, openFiles } from '../../src/adapters/files/open.ts';
import { startS3 } from './s3.ts';

/** A place for the files of a service: what its settings say, and the files themselves. */
export interface FilePlace {
  readonly env: Readonly<Record<string, string>>;
  open(): Promise<Files>;
  /** Makes all files three hours older. */
  age(): Promise<void>;
}

/** Where files can be: each is a fresh place, removed after the test. */
export const FILE_PLACES: Readonly<
  Record<'disk' | 's3', (test: TestContext) => Promise<FilePlace>>
> = {
  disk: async (test) => {
    const folder = await temporaryFolder(test, 'ws01-pictures-');
    return {
      env: { FILES_URL: folder },
      open: () => openFiles({ kind: 'disk', folder }, folder),
      age: () => ageAll(folder),
    };
  },
  s3: async (test) => {
    const { endpoint, bucket, directory } = await startS3(test);
    const folder = await temporaryFolder(test, 'ws01-pictures-');
    return {
      env: {
        FILES_URL: `s3://${bucket}/site?endpoint=${encodeURIComponent(endpoint)}`,
        AWS_ACCESS_KEY_ID: 'S3RVER',
        AWS_SECRET_ACCESS_KEY: 'S3RVER',
      },
      open: async () => {
        const files = await openFiles(
          { kind: 's3', bucket, prefix: 'site', endpoint, region: undefined },
          folder,
        );
        test.after(() => files.store.close());
        return files;
      },
      age: () => ageAll(directory),
    };
  },
};

async function ageAll(folder: string): Promise<void> {
  const then = new Date(Date.now() - 3 * HOUR_MS);
  for (const path of (await filesIn(folder)).values()) await utimes(path, then, then);
}
