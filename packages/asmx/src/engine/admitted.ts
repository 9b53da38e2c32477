import { ServiceError } from '../contract/errors.ts';

/** What `authorize` says of nobody. */
export type Nobody = false | null;

/**
 * The caller that `authorize` lets in, or a promise of it. `false` and `null` refuse the call, as guards elsewhere do, and
 * so does an error that is returned.
 * @throws {ServiceError} Unauthorized, or the error that was returned.
 */
export function admitted(said: unknown): unknown {
  if (isThenable(said)) return Promise.resolve(said).then(admitted);
  if (said === false || said === null)
    throw new ServiceError(
      'Unauthorized',
      'The call is refused: its credential is absent, unknown or wrong.',
    );
  if (said instanceof Error) throw said;
  return said;
}

function isThenable(said: unknown): said is PromiseLike<unknown> {
  return typeof (said as { readonly then?: unknown } | null | undefined)?.then === 'function';
}
