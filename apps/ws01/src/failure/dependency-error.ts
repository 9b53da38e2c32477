/** What the service depends on and does not have in its own hands. */
export type Dependency = 'database' | 'files' | 'decoders' | 'mail' | 'sms';

/** What failed, as far as whoever asked can act on it. Unless it says otherwise, nothing was done. */
export type FailureKind =
  /** It cannot be reached or used: no connection, a full or broken disk, a sign-in that is refused. Later may be better. */
  | 'unavailable'
  /** It is there and cannot do this now: too many are waiting, it took too long, it says "later". Soon may be better. */
  | 'busy'
  /**
   * It was asked, and nobody knows whether it did it. Asking for the same again is right: it finds what the first time
   * did, or does it.
   */
  | 'outcomeUnknown'
  /** It will never do this, whenever it is asked: the mail, the message or the image is at fault. */
  | 'refused'
  /** A setting cannot be right: a malformed URL, a folder that is a file, a password that is refused at the start. */
  | 'misconfigured'
  /** Its data were written by other code than this: newer, or of another history. */
  | 'incompatible';

/** Why something was refused, where that makes a difference. */
export type RefusalReason =
  /** A mail: the address takes none, whatever the mail says. */
  | 'recipient'
  /** A mail: no server like this one can be given it, so that none was asked. */
  | 'unsendable'
  /** An image: its bytes cannot be decoded. */
  | 'unreadable'
  /** An image: it, or the work on it, is over a bound. */
  | 'tooLarge';

interface DependencyErrorOptions extends ErrorOptions {
  /** When to come again; s. */
  readonly retryAfter?: number;
  readonly reason?: RefusalReason | undefined;
}

/**
 * A failure of something that the service depends on: what the store and every adapter throw, and the only thing they
 * throw on purpose. Its message is one sentence for the operator, with what to do when there is something to do; it
 * names no secret and no parameter of an operation. What callers are told is decided by {@link translateFailure}.
 */
export class DependencyError extends Error {
  readonly dependency: Dependency;
  readonly kind: FailureKind;
  readonly retryAfter: number | undefined;
  readonly reason: RefusalReason | undefined;

  constructor(dependency: Dependency, kind: FailureKind, message: string, options: DependencyErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = 'DependencyError';
    this.dependency = dependency;
    this.kind = kind;
    this.retryAfter = options.retryAfter;
    this.reason = options.reason;
  }
}

/** Whether an error is a failure of one dependency, and of one of these kinds where any are named. */
export function isFailureOf(
  dependency: Dependency,
  error: unknown,
  ...kinds: readonly FailureKind[]
): error is DependencyError {
  return (
    error instanceof DependencyError &&
    error.dependency === dependency &&
    (kinds.length === 0 || kinds.includes(error.kind))
  );
}
