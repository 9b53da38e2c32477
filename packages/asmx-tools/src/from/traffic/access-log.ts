import type { RecordedExchange } from './exchange.ts';
import { operationOf } from './keep-exchange.ts';

/** Common and combined log format of nginx and Apache: `… [time] "GET /path HTTP/1.1" 200 …`. */
const COMMON = /\[([^\]]*)\] +"([A-Z]+) ([^ ]+)(?: HTTP\/[\d.]+)?" +(\d{3})/;

/**
 * Reads the lines of an access log, one by one, each byte as one character: clients send URLs in
 * whatever charset theirs is.
 * @returns for each line its exchange, why it cannot be replayed, or `undefined` for a line that is
 *   no request.
 */
export function accessLogReader(): (line: string) => RecordedExchange | string | undefined {
  let fields: readonly string[] | undefined;
  return (line) => {
    if (line.startsWith('#')) {
      if (line.startsWith('#Fields:')) fields = line.slice('#Fields:'.length).trim().split(/\s+/);
      return undefined;
    }
    if (fields !== undefined) return iisLine(line, fields);
    const found = COMMON.exec(line);
    if (found === null) return 'the line has no request';
    const [, at = '', method = '', target = '', status = ''] = found;
    return logged(at, method, target, Number(status));
  };
}

/** W3C extended log: the `#Fields` line says what stands where; `-` for nothing. */
function iisLine(line: string, fields: readonly string[]): RecordedExchange | string {
  const values = line.split(/[ \t]+/);
  const value = (name: string) => {
    const found = values[fields.indexOf(name)];
    return found === undefined || found === '-' ? '' : found;
  };
  const [stem, query] = [value('cs-uri-stem'), value('cs-uri-query')];
  if (stem === '' || values.length < fields.length) return 'the line has no request';
  const at = `${value('date')}T${value('time')}Z`;
  return logged(
    at,
    value('cs-method'),
    query === '' ? stem : `${stem}?${query}`,
    Number(value('sc-status') || 0),
  );
}

/**
 * The target as it can be sent: nginx and Apache write what is not ASCII, quotes and backslashes as
 * `\xE4` or `\"`, IIS as it came.
 */
function targetOf(logged: string): string {
  const percent = (byte: number) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  return logged
    .replace(/\\x([0-9a-f]{2})/gi, '%$1')
    .replace(/\\(["\\])/g, '$1')
    .replace(/[^!-~]|["\\]/g, (one) => percent(one.charCodeAt(0)));
}

function logged(
  at: string,
  method: string,
  written: string,
  status: number,
): RecordedExchange | string {
  if (method !== 'GET') return `a log does not have the body of a ${method}`;
  if (!written.startsWith('/')) return 'the line has no path';
  const target = targetOf(written);
  return {
    at,
    durationMs: 0,
    method,
    target,
    operation: operationOf({ method, target, body: new Uint8Array() }, new Map()),
    redacted: [],
    request: { headers: {}, body: { text: '' } },
    answer: { status, headers: {}, body: undefined },
  };
}
