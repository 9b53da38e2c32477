/** An error as the log has it. */
export interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly stack?: string;
  /** What the system, the database or a library calls it. */
  readonly code?: string | number;
  readonly cause?: LoggedError;
}

/**
 * What is kept of the other things that errors carry. By name: the details of a database's error quote rows, a mail
 * server's reply quotes addresses, and neither belongs in a log.
 */
const KEPT = ['code', 'errcode', 'syscall', 'path', 'address', 'port', 'table', 'constraint', 'routine'] as const;

/** Causes of causes kept at most. */
const DEPTH = 5;

/** An error and what caused it, without any text that they carry besides what they say. */
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

/** The stacks of an error and of what caused it, as a person at a terminal reads them. */
export function stacksOf({ stack, type, message, cause }: LoggedError): string {
  const own = stack ?? `${type}: ${message}`;
  return cause === undefined ? own : `${own}\ncaused by ${stacksOf(cause)}`;
}
