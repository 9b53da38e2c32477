import { Ws01Error } from '../../contract/errors.ts';

/** What callers are told when files cannot be stored or read: full disk, failing disk, S3 not there. */
export function storageUnavailable(cause: unknown): Ws01Error {
  const message = 'Files cannot be stored or read now and nothing was done; try again later.';
  return new Ws01Error('StorageUnavailable', message, { cause });
}

/** Runs work with the disk or S3; whatever goes wrong in it is {@link storageUnavailable}. */
export async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof Ws01Error ? error : storageUnavailable(error);
  }
}

/** Whether an error says that there is no such file. */
export function isMissing(error: unknown): boolean {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return code === 'ENOENT' || name === 'NoSuchKey' || name === 'NotFound';
}
