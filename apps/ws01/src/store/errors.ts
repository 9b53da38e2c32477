/** What went wrong in the store, as far as callers can act on it. */
export type StoreErrorKind =
  /** The database or its disk cannot be used: full disk, I/O error, lost connection. Trying again later may work. */
  | 'unavailable'
  /**
   * A write was sent to be committed and nobody said whether it was: it may have taken effect or not. The same write again
   * is right, for it finds what the first one did.
   */
  | 'unknown'
  /** Others held the database for too long, or kept colliding with this write. Nothing was written; try again. */
  | 'busy'
  /** The database was written by other code than this: newer than it, or of another history. */
  | 'schema'
  /** A setting cannot be right: a malformed URL, a folder that is a file, a refused password. */
  | 'configuration';

/**
 * A failure of the store itself, on either engine. Its message is one sentence for the operator, with what to do when
 * there is something to do; it names no secret. What the engine said is in `cause`.
 */
export class StoreError extends Error {
  readonly kind: StoreErrorKind;

  constructor(kind: StoreErrorKind, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'StoreError';
    this.kind = kind;
  }
}
