import { ERRORS, Ws01Error } from '../contract/errors.ts';

/** Awaits an answer of the API; `undefined` for what does not exist or is hidden from this role. */
export async function orUndefined<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    // A service that is busy or away may have it.
    if (error instanceof Ws01Error && ERRORS[error.code].side === 'client') return undefined;
    throw error;
  }
}
