/** The caller: the principal of a credential, or anonymous for operations without one. */
export interface Caller {
  /**
   * `service` acts for the user that the call names; `user` is bound to one; `admin` also overrides
   * ownership.
   */
  readonly kind: 'service' | 'user' | 'admin' | 'anonymous';
  /** The credential's id (never its text), for audit and budgets; `undefined` when anonymous. */
  readonly tokenId: string | undefined;
  /**
   * The bound user of a `user` credential, the default sender of the others; may be `undefined`
   * there.
   */
  readonly userId: string | undefined;
  /** The name of the admin who acts in the console; absent for others. */
  readonly admin?: string | undefined;
}

/** What an operation knows of the call besides its parameters. */
export interface CallContext {
  readonly caller: Caller;
  /**
   * The observed address of the client, canonical: IPv4 dotted or IPv6 compressed, v4-mapped
   * unwrapped.
   */
  readonly address: string;
  /**
   * Whether the address is one of `TRUSTED_CALLERS`: a back end that is trusted without a
   * credential, too.
   */
  readonly isTrusted?: boolean | undefined;
  /** Finds the call in the log. */
  readonly requestId: string;
  /** The trace that the call belongs to, for what it asks of others (W3C Trace Context). */
  readonly traceparent?: string | undefined;
  /**
   * Where the client reached the service, for addresses in its answer, where `BASE_URL` says
   * nothing. Its own word: not to be kept, mailed or sent anywhere.
   */
  readonly reachedAt?: string | undefined;
}

/** The public base URL of URLs in an answer, without a trailing slash. */
export type AnswerUrl = (context: Pick<CallContext, 'reachedAt'>) => string;

/** The clock of the service: ms since 1970-01-01T00:00:00Z. Injected, so that tests can set it. */
export type Clock = () => number;
