import type { RecordedExchange } from './exchange.ts';
import { operationOf } from './keep-exchange.ts';

/** Common and combined log format of nginx and Apache: `… [time] "GET /path HTTP/1.1" 200 …`. */
const COMMON = /\[([^\]]*)\]\s+"([A-Z]+) (\S+)(?: HTTP\/[\d.]+)?"\s+(\d{3})/;

/**
 * Reads the lines of an access log, one by one.
 * @returns for each line its exchange, why it cannot be replayed, or `undefined` for a line that is no request.
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
  const values = line.split(/\s+/);
  const value = (name: string) => {
    const found = values[fields.indexOf(name)];
    return found === undefined || found === '-' ? '' : found;
  };
  const [stem, query] = [value('cs-uri-stem'), value('cs-uri-query')];
  if (stem === '' || values.length < fields.length) return 'the line has no request';
  const at = `${value('date')}T${value('time')}Z`;
  return logged(at, value('cs-method'), query === '' ? stem : `${stem}?${query}`, Number(value('sc-status') || 0));
}

function logged(at: string, method: string, target: string, status: number): RecordedExchange | string {
  if (method !== 'GET') return `a log does not have the body of a ${method}`;
  if (!target.startsWith('/')) return 'the line has no path';
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
