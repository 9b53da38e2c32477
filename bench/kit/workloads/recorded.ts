/** What clients of other makes send, recorded once (`bench/clients/README.md`). */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HttpRequest } from '../sides/http.ts';

const FOLDER = `${import.meta.dirname}/../../clients`;

export interface RecordedCall {
  /** As `php-soap11`. */
  readonly client: string;
  readonly operation: string;
  readonly request: HttpRequest;
}

/**
 * Every recorded call, by client and operation. Connections are kept, whatever the client did: what
 * is measured is calls.
 */
export function recordedCalls(): readonly RecordedCall[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.http'))
    .sort()
    .map((file) => {
      const [, client = '', operation = ''] = /^(.*)-([A-Za-z]+)\.http$/.exec(file) ?? [];
      return { client, operation, request: readRequest(readFileSync(join(FOLDER, file), 'utf8')) };
    });
}

function readRequest(text: string): HttpRequest {
  const headEnd = text.indexOf('\r\n\r\n');
  const [requestLine = '', ...lines] = text.slice(0, headEnd).split('\r\n');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon);
    const value = line.slice(colon + 1).trim();
    if (!/^(?:connection|te)$/i.test(name))
      headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
  }
  const [method, path = ''] = requestLine.split(' ');
  return { method: method as HttpRequest['method'], path, headers, body: text.slice(headEnd + 4) };
}
