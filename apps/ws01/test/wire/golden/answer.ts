import { gunzipSync } from 'node:zlib';
import { words } from '../../../../../packages/asmx/src/contract/words.ts';

/** The headers that a client or a cache acts on; a recorded answer and ours must agree in each. */
const HEADERS = words('Content-Type Cache-Control Content-Encoding Allow Connection jsonerror');

/** What came back on a connection. Of its bytes nothing is left out but headers that no client acts on. */
export interface Answer {
  /** As sent: `HTTP/1.1 200 OK`; `closed` when the connection was closed without an answer. */
  readonly line: string;
  /** Those of the {@link HEADERS} that it has, each as sent. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body's bytes: as text where they are UTF-8, otherwise one character a byte. Unpacked where it is gzip. */
  readonly body: string;
  /** What the operation was called with, where the answer does not show it: that of a boolean operation. */
  readonly understood?: string;
  /** The number of bytes by which Content-Length and the body differ, where they do. */
  readonly lengthOff?: number;
  /** The answer to the next request on the same connection. */
  readonly next?: Answer;
}

const CLOSED: Answer = { line: 'closed', headers: {}, body: '' };

/** Takes what came on a connection apart; interim answers (100 Continue) are passed over. */
export function parseAnswer(raw: Buffer, toHead = false): Answer {
  const end = raw.indexOf('\r\n\r\n');
  if (end < 0) return CLOSED;
  const [line, ...fields] = raw.toString('latin1', 0, end).split('\r\n');
  const rest = raw.subarray(end + 4);
  if (line === 'HTTP/1.1 100 Continue') return parseAnswer(rest, toHead);
  const values = new Map(fields.map((field) => splitField(field)));
  const headers: Record<string, string> = {};
  for (const name of HEADERS) {
    const value = values.get(name.toLowerCase());
    if (value !== undefined) headers[name] = value;
  }
  const declared = values.get('content-length');
  const length =
    toHead || declared === undefined ? rest.length : Math.min(Number(declared), rest.length);
  const behind = rest.subarray(length);
  const understood = values.get('x-echo');
  return {
    line: line!,
    headers,
    body: bodyText(rest.subarray(0, length), headers['Content-Encoding']),
    ...(understood === undefined ? {} : { understood }),
    ...(!toHead && Number(declared ?? 0) > length ? { lengthOff: Number(declared) - length } : {}),
    ...(behind.length === 0 ? {} : nextOf(behind)),
  };
}

/** @returns what stands behind an answer: another one, or bytes that Content-Length does not count. */
function nextOf(behind: Buffer): Partial<Answer> {
  const begins = behind.subarray(0, 9).equals(Buffer.from('HTTP/1.1 '));
  return begins ? { next: parseAnswer(behind) } : { lengthOff: -behind.length };
}

function splitField(field: string): [string, string] {
  const colon = field.indexOf(':');
  return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
}

function bodyText(bytes: Buffer, coding: string | undefined): string {
  if (coding === 'gzip' && bytes[0] === 0x1f && bytes[1] === 0x8b)
    return gunzipSync(bytes).toString();
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) ? text : bytes.toString('latin1');
}

/** The status of an answer; 0 where there is none. */
export function statusOf(answer: Answer): number {
  return Number(/^HTTP\/1\.\d (\d{3})/.exec(answer.line)?.[1] ?? 0);
}

/** The media type of an answer, without parameters; `''` for none. */
export function typeOf(answer: Answer): string {
  return (answer.headers['Content-Type'] ?? '').split(';')[0]!;
}

/** The code and the reason of a SOAP fault of either version. */
export function faultOf({
  body,
}: Answer): { readonly code: string; readonly reason: string } | undefined {
  const code = /<(?:faultcode|soap:Value)>([^<]*)</.exec(body)?.[1];
  const reason = /<(?:faultstring|soap:Text[^>]*)>([^<]*)</.exec(body)?.[1];
  return code === undefined ? undefined : { code, reason: reason ?? '' };
}

/** The code and message of this service's own errors, in whatever binding. */
export function errorOf({
  body,
}: Answer): { readonly code: string; readonly message: string } | undefined {
  const xml = /<error xmlns="[^"]*"><code>([^<]*)<\/code><message>([^<]*)/.exec(body);
  if (xml !== null) return { code: xml[1]!, message: xml[2]! };
  const json = /"detail":"((?:[^"\\]|\\.)*)","code":"([^"]*)"/.exec(body);
  return json === null ? undefined : { code: json[2]!, message: json[1]! };
}

/** What differs from call to call is left out: the request's id. */
export function withoutRequestId(answer: Answer): Answer {
  const body = answer.body
    .replaceAll(/<requestId>[0-9a-f-]{36}<\/requestId>/g, '<requestId>{requestId}</requestId>')
    .replaceAll(/"requestId":"[0-9a-f-]{36}"/g, '"requestId":"{requestId}"');
  return { ...answer, body };
}
