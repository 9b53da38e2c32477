import { Ws01Error } from '../contract/errors.ts';

/** Awaits an answer of the API; `undefined` for what does not exist or is hidden from this role. */
export async function orUndefined<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    const isOwn =
      error instanceof Ws01Error &&
      error.code !== 'Internal' &&
      error.code !== 'StorageUnavailable';
    if (isOwn) return undefined;
    throw error;
  }
}
