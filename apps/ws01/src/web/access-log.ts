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
  /** Whose fault that is, whatever the status: SOAP has 500 for all. */
  readonly side: 'client' | 'server' | undefined;
  /** Why; kept of errors that are the server's alone, since those of clients quote what they sent. */
  readonly cause: unknown;
  /** What was lost of the request although it was answered, such as bytes in an unknown charset. */
  readonly warnings: readonly string[];
}

/** One structured line for each answered call: `info`, unless the server is to blame. */
export function accessLog(log: Logger): (record: AccessRecord) => void {
  return (record) => {
    if (record.warnings.length > 0 && !isDefect(record)) {
      log.warn(lineOf(record), 'answered, but something of the request was lost');
    } else if (record.side !== 'server') {
      if (log.isLevelEnabled('info')) log.info(lineOf(record), 'answered');
    } else if (!isDefect(record)) log.warn(lineOf(record), 'answered');
    else log.error({ ...lineOf(record), err: record.cause }, 'failed');
  };
}

/** Whether the server is to blame, for something that the log must tell. */
function isDefect({ side, cause }: AccessRecord): boolean {
  return side === 'server' && cause !== undefined;
}

function lineOf({ durationMs, cause: _, side: __, warnings, ...record }: AccessRecord) {
  return { ...record, ...(warnings.length > 0 ? { warnings } : {}), ms: Math.round(durationMs * 100) / 100 };
}
