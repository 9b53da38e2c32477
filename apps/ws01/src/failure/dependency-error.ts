/** The dependencies of the service. */
export type Dependency = 'database' | 'files' | 'decoders' | 'mail' | 'sms';

/**
 * The kind of a failure, which decides how callers react. Unless it says otherwise, nothing was
 * done.
 */
export type FailureKind =
  /**
   * It cannot be reached or used: no connection, a full or broken disk, a sign-in that is refused.
   * Later may be better.
   */
  | 'unavailable'
  /**
   * It is there and cannot do this now: too many are waiting, it took too long, it says "later".
   * Soon may be better.
   */
  | 'busy'
  /**
   * It was asked, and nobody knows whether it did it. Asking for the same again is right: it finds
   * what the first time did, or does it.
   */
  | 'outcomeUnknown'
  /**
   * It will never do this, whenever it is asked: the mail, the message or the image is at fault.
   */
  | 'refused'
  /**
   * A setting cannot be right: a malformed URL, a folder that is a file, a password that is refused
   * at the start.
   */
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
 * A failure of a dependency: the only error that the store and the adapters throw on purpose. Its
 * message is one sentence for the operator, with the remedy if there is one; it names no secret and
 * no parameter of an operation. {@link translateFailure} decides what callers are answered.
 */
export class DependencyError extends Error {
  readonly dependency: Dependency;
  readonly kind: FailureKind;
  readonly retryAfter: number | undefined;
  readonly reason: RefusalReason | undefined;

  constructor(
    dependency: Dependency,
    kind: FailureKind,
    message: string,
    options: DependencyErrorOptions = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = 'DependencyError';
    this.dependency = dependency;
    this.kind = kind;
    this.retryAfter = options.retryAfter;
    this.reason = options.reason;
  }
}

/**
 * Whether an error is a failure of one dependency, and of one of these kinds where any are named.
 */
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
