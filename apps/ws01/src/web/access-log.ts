import type { Logger } from 'pino';
import type { Rate } from '../domain/values/rate.ts';

/** The log data of an answered call, without queries, bodies and credentials. */
export interface AccessRecord {
  readonly requestId: string;
  /** The operation's name, when one was recognised. */
  readonly operation: string | undefined;
  /** The name that was asked for, of an operation that does not exist; shown as far as it looks like one. */
  readonly requested?: string | undefined;
  readonly binding: string;
  readonly method: string;
  readonly status: number;
  /** ms from the request's arrival to its answer. */
  readonly durationMs: number;
  /** Where they went; ms each. */
  readonly phases: Readonly<Record<'waitMs' | 'readMs' | 'authorizeMs' | 'invokeMs' | 'writeMs', number>>;
  readonly address: string;
  /** The id of the credential and the user that it is bound to or sends as, when it was recognised. */
  readonly tokenId: string | undefined;
  readonly user: string | undefined;
  /** The code of the error that was answered. */
  readonly error: string | undefined;
  /** Whose fault that is, whatever the status: SOAP has 500 for all. */
  readonly side: 'client' | 'server' | undefined;
  /** The parameter that was wrong. */
  readonly parameter: string | undefined;
  /** Why, where that quotes nothing that a client sent. */
  readonly reason: string | undefined;
  /** What caused it; kept of errors that are the server's alone, since those of clients quote what they sent. */
  readonly cause: unknown;
  /** What was lost of the request although it was answered, such as bytes in an unknown charset. */
  readonly warnings: readonly string[];
}

export interface AccessLogOptions {
  readonly log: Logger;
  /** A call that takes longer, the arrival of its request not counted, gets its own line; ms, 0 for none. */
  readonly slowMs: number;
  /**
   * Lines of calls that went well or failed by the client's fault, at most, and an eighth as many warnings: of slow calls, of
   * a server that is busy. Further ones are counted. Errors are always told.
   */
  readonly most: Rate | undefined;
}

/** Refusals of a server that is busy may be thousands a second, and to write each of them would keep it busy. */
const BUSY_LINES: Rate = { limit: 1_000, window: 30_000 };

/** Writes one structured log line per answered call: `info`, unless it is a server error. */
export function accessLog({ log, slowMs, most }: AccessLogOptions): (record: AccessRecord) => void {
  const mayTell = most === undefined ? () => true : limited(log, most, 'lines of answered calls');
  const mayWarn =
    most === undefined ? () => true : limited(log, { ...most, limit: Math.ceil(most.limit / 8) }, 'warnings of calls');
  const mayTellBusy = limited(log, BUSY_LINES, 'lines of calls that were told Busy');
  const warn = (fields: Record<string, unknown>, msg: string) => {
    if (log.isLevelEnabled('warn') && mayWarn()) log.warn(fields, msg);
  };
  return (record) => {
    const { phases, durationMs } = record;
    if (slowMs > 0 && durationMs - phases.readMs > slowMs) warn({ ...lineOf(record), ...rounded(phases) }, 'slow call');
    if (record.warnings.length > 0 && !isDefect(record)) {
      warn(lineOf(record), 'answered, but something of the request was lost');
    } else if (record.side !== 'server') {
      if (log.isLevelEnabled('info') && mayTell()) log.info(lineOf(record), 'answered');
    } else if (!isDefect(record)) {
      if (record.error !== 'Busy' || mayTellBusy()) warn(lineOf(record), 'answered');
    } else log.error({ ...lineOf(record), err: record.cause }, 'failed');
  };
}

/**
 * Lets so many lines through in each window. Who collects the log, as journald does, throws lines away when there are too
 * many, and looks at no level: errors would go with them.
 */
function limited(log: Logger, { limit, window }: Rate, what: string): () => boolean {
  let told = 0;
  let leftOut = 0;
  let until = 0;
  return () => {
    const now = performance.now();
    if (now >= until) {
      if (leftOut > 0) log.warn({ lines: leftOut }, `${what} were left out, see LOG_CALLS`);
      told = 0;
      leftOut = 0;
      until = now + window;
    }
    if (told < limit) {
      told++;
      return true;
    }
    leftOut++;
    return false;
  };
}

/** Whether the server is to blame, for something that the log must tell. */
function isDefect({ side, cause }: AccessRecord): boolean {
  return side === 'server' && cause !== undefined;
}

function lineOf({ durationMs, phases: _, cause: __, side: ___, warnings, requested, ...record }: AccessRecord) {
  return {
    ...record,
    ...(requested === undefined ? {} : { requested: nameOf(requested) }),
    ...(warnings.length > 0 ? { warnings } : {}),
    ms: hundredths(durationMs),
  };
}

/** Texts that look like an operation name or an action URI; others may be values or hostile, and are not logged. */
const NAME = /^[A-Za-z_][\w.:/#-]{0,99}$/;

function nameOf(requested: string): string {
  return NAME.test(requested) ? requested : `(no name, ${requested.length} characters)`;
}

function rounded(phases: AccessRecord['phases']) {
  return Object.fromEntries(Object.entries(phases).map(([name, ms]) => [name, hundredths(ms)]));
}

const hundredths = (ms: number): number => Math.round(ms * 100) / 100;
