import type { Logger } from 'pino';

/** What is kept of an answered call: never a query, a body or a credential. */
interface AccessRecord {
  readonly requestId: string;
  /** The operation's name, when one was recognised. */
  readonly operation: string | undefined;
  readonly binding: string;
  readonly method: string;
  readonly status: number;
  /** ms from the request's arrival to its answer. */
  readonly durationMs: number;
  readonly address: string;
  /** The code of the error that was answered. */
  readonly error: string | undefined;
  /** Why, for errors that are the server's; never shown to the caller. */
  readonly cause: unknown;
  /** What was lost of the request although it was answered, such as bytes in an unknown charset. */
  readonly warnings: readonly string[];
}

/** One structured line for each answered call. */
export function accessLog(log: Logger): (record: AccessRecord) => void {
  return (record) => {
    if (record.warnings.length > 0 && (record.status < 500 || record.cause === undefined)) {
      log.warn(lineOf(record), 'answered, but something of the request was lost');
    } else if (record.status < 500 || record.error === undefined) {
      if (log.isLevelEnabled('info')) log.info(lineOf(record), 'answered');
    } else if (record.cause === undefined) log.warn(lineOf(record), 'answered');
    else log.error({ ...lineOf(record), err: record.cause }, 'failed');
  };
}

function lineOf({ durationMs, cause: _, warnings, ...record }: AccessRecord) {
  return { ...record, ...(warnings.length > 0 ? { warnings } : {}), ms: Math.round(durationMs * 100) / 100 };
}
