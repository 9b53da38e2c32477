import type { Logger } from 'pino';
import type { Rate } from '../domain/values/rate.ts';

/** The logged data of an answered call, without queries, bodies and credentials. */
export interface AccessRecord {
  readonly requestId: string;
  /** The name of the operation; `undefined` if unknown. */
  readonly operation: string | undefined;
  /** The requested name of an unknown operation, or how long it is if it looks like none. */
  readonly requested?: string | undefined;
  readonly binding: string;
  readonly method: string;
  readonly status: number;
  /** ms from the arrival of the request to its answer. */
  readonly durationMs: number;
  /** Duration of each phase; ms. */
  readonly phases: Readonly<
    Record<'waitMs' | 'readMs' | 'authorizeMs' | 'invokeMs' | 'writeMs', number>
  >;
  readonly address: string;
  /** The id of a valid credential, and the user that it is bound to or sends as. */
  readonly tokenId: string | undefined;
  readonly user: string | undefined;
  /** The error code of the answer. */
  readonly error: string | undefined;
  /** The side at fault, whatever the status: SOAP answers 500 to all errors. */
  readonly side: 'client' | 'server' | undefined;
  /** The invalid parameter. */
  readonly parameter: string | undefined;
  /** The limit that the request was over, where the code does not say that it was one. */
  readonly limit?: string | undefined;
  /** The error message without what the client sent, where these can be told apart. */
  readonly reason: string | undefined;
  /**
   * The cause of a server error. Causes of client errors are left out, because they quote input.
   */
  readonly cause: unknown;
  /** Data that was lost although the call was answered, such as bytes in an unknown charset. */
  readonly warnings: readonly string[];
}

export interface AccessLogOptions {
  readonly log: Logger;
  /**
   * Calls that take longer than this, without the arrival of the request, get a warning; ms; 0:
   * none.
   */
  readonly slowMs: number;
  /**
   * Maximum rate of lines for successful calls and client errors; an eighth of it for warnings
   * about slow calls and a busy server. Further lines are counted. Server errors are always logged.
   */
  readonly most: Rate | undefined;
}

/** A busy server may refuse thousands of calls per second, and logging each would keep it busy. */
const BUSY_LINES: Rate = { limit: 1_000, window: 30_000 };

/** Returns the function that logs an answered call: level `info`, unless it is a server error. */
export function accessLog({ log, slowMs, most }: AccessLogOptions): (record: AccessRecord) => void {
  const mayTell = most === undefined ? () => true : limited(log, most, 'lines of answered calls');
  const mayWarn =
    most === undefined
      ? () => true
      : limited(log, { ...most, limit: Math.ceil(most.limit / 8) }, 'warnings of calls');
  const mayTellBusy = limited(log, BUSY_LINES, 'lines of calls answered Busy');
  const warn = (fields: Record<string, unknown>, msg: string) => {
    if (log.isLevelEnabled('warn') && mayWarn()) log.warn(fields, msg);
  };
  return (record) => {
    const { phases, durationMs } = record;
    if (slowMs > 0 && durationMs - phases.readMs > slowMs)
      warn({ ...lineOf(record), ...rounded(phases) }, 'slow call');
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
 * Limits the lines per time window. Log collectors such as journald drop lines when there are too
 * many, whatever their level.
 */
function limited(log: Logger, { limit, window }: Rate, what: string): () => boolean {
  let told = 0;
  let leftOut = 0;
  let until = 0;
  return () => {
    const now = performance.now();
    if (now >= until) {
      if (leftOut > 0) log.warn({ lines: leftOut }, `${what} were left out`);
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

/** Whether the server is at fault, so that the call must be logged. */
function isDefect({ side, cause }: AccessRecord): boolean {
  return side === 'server' && cause !== undefined;
}

function lineOf({
  durationMs,
  phases: _,
  cause: __,
  side: ___,
  warnings,
  ...record
}: AccessRecord) {
  return {
    ...record,
    ...(warnings.length > 0 ? { warnings } : {}),
    ms: hundredths(durationMs),
  };
}

function rounded(phases: AccessRecord['phases']) {
  return Object.fromEntries(Object.entries(phases).map(([name, ms]) => [name, hundredths(ms)]));
}

const hundredths = (ms: number): number => Math.round(ms * 100) / 100;
