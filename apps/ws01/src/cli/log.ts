import { pino } from 'pino';
import type { ServiceLog } from '../app/resources.ts';
import type { Config } from '../config/config.ts';
import { type LoggedError, loggedError, stacksOf } from './log-errors.ts';
import { LogStream } from './log-stream.ts';

const STANDARD_ERROR = 2;

/**
 * The size up to which writes of several processes to one pipe are never mixed (PIPE_BUF on Linux);
 * bytes.
 */
const WHOLE_WRITE_BYTES = 4_096;

/** Maximum size of a write otherwise; bytes. */
const MAX_WRITE_BYTES = 16 * 1024;

/** How values that are not plain data are logged. */
export const LOG_SERIALIZERS = { err: (error: unknown) => loggedError(error) };

/**
 * Creates the log on standard error: one JSON object per line with `time` (RFC 3339), `level`,
 * `pid`, `msg` and the event's fields; at a terminal, one short line.
 * @param shared whether several processes write to the same standard error; writes are then so
 *   small that lines stay whole.
 */
export function createLog(level: Config['logLevel'], shared = false): ServiceLog {
  const sync = process.stderr.isTTY === true;
  const lines = new LogStream(STANDARD_ERROR, {
    sync,
    maxWrite: shared ? WHOLE_WRITE_BYTES : MAX_WRITE_BYTES,
  });
  const log = pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: timeField,
      formatters: { level: (label) => ({ level: label }) },
      serializers: LOG_SERIALIZERS,
    },
    {
      write: (json) =>
        lines.write(process.stderr.isTTY ? shortLine(json) : json, IS_ERROR.test(json)),
    },
  );
  return Object.assign(log, { trouble: () => lines.trouble });
}

/** Our lines begin with the level. */
const IS_ERROR = /^\{"level":"(?:error|fatal)"/;

let knownSecond = Number.NaN;
let untilSecond = '';

/** `,"time":"2030-01-31T03:04:05.678Z"`. All but the milliseconds is formatted once per second. */
function timeField(): string {
  const now = Date.now();
  const second = Math.floor(now / 1000);
  if (second !== knownSecond) {
    knownSecond = second;
    untilSecond = `,"time":"${new Date(second * 1000).toISOString().slice(0, -'000Z'.length)}`;
  }
  return `${untilSecond}${String(now - second * 1000).padStart(3, '0')}Z"`;
}

/**
 * Formats a line for a terminal: `03:04:05 answered operation=InsertArticle status=200 ms=1.2`;
 * from `warn` on it includes the level.
 */
export function shortLine(json: string): string {
  const { time, level, pid: _, msg, err, ...fields } = JSON.parse(json) as Record<string, unknown>;
  const shown = Object.entries(fields).map(([name, value]) => `${name}=${valueText(value)}`);
  const severe =
    level === 'info' || level === 'debug' || level === 'trace' ? [] : [String(level).toUpperCase()];
  const line = [String(time).slice(11, 19), ...severe, msg, ...shown].join(' ');
  return err === undefined ? `${line}\n` : `${line}\n${stacksOf(err as LoggedError)}\n`;
}

function valueText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return typeof value === 'string' && /[^\x21-\x7e]|["=]/.test(text) ? JSON.stringify(text) : text;
}
