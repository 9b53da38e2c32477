/** An error as it is logged. */
export interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly stack?: string;
  /** Its code in the system, the database or a library. */
  readonly code?: string | number;
  readonly cause?: LoggedError;
}

/**
 * The properties of errors that are logged. Others are left out: details of database errors quote
 * rows, and replies of mail servers quote addresses.
 */
const KEPT = 'code errcode syscall path address port table constraint routine'.split(' ');

/** Maximum depth of causes. */
const DEPTH = 5;

/** Returns what is logged of an error and its causes: messages, but no other texts. */
export function loggedError(error: unknown, depth = DEPTH): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const { name, message, stack, cause } = error;
  const carried = error as unknown as Readonly<Record<string, unknown>>;
  const kept = KEPT.flatMap((key) => {
    const value = carried[key];
    return typeof value === 'string' || typeof value === 'number' ? [[key, value] as const] : [];
  });
  return {
    type: name,
    message,
    ...(stack === undefined ? {} : { stack }),
    ...Object.fromEntries(kept),
    ...(cause === undefined || depth === 0 ? {} : { cause: loggedError(cause, depth - 1) }),
  };
}

/** Returns the stacks of an error and its causes, for a person at a terminal. */
export function stacksOf({ stack, type, message, cause }: LoggedError): string {
  const own = stack ?? `${type}: ${message}`;
  return cause === undefined ? own : `${own}\ncaused by ${stacksOf(cause)}`;
}
