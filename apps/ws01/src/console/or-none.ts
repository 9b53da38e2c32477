import { Ws01Error } from '../contract/errors.ts';

/** What the API answers; what it does not have, or does not show to this role, is none. */
export async function orNone<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    const isOwn = error instanceof Ws01Error && error.code !== 'Internal' && error.code !== 'StorageUnavailable';
    if (isOwn) return undefined;
    throw error;
  }
}
