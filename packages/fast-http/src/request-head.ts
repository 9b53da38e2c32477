import { words } from '@ws01/asmx/internal/contract/words';

/**
 * The header section of a request on the fast path; the same object for as long as a client sends
 * the same, whatever the length.
 */
export interface HeaderSection {
  /** Values by lower-case name, each name once. */
  readonly headers: Headers;
  /** Whether the client wants the connection closed with the answer. */
  readonly closes: boolean;
  /** Whether the client waits for `100 Continue` before it sends the body (RFC 9110 10.1.1). */
  readonly expects: boolean;
  /** As sent, the blank line included. */
  readonly bytes: Buffer;
  /** Where in `bytes` the digits of Content-Length stand; both 0 when there is none. */
  readonly lengthFrom: number;
  readonly lengthTo: number;
}

type Headers = Readonly<Record<string, string>>;

/** All of a request on the fast path but its body. */
export interface RequestHead {
  /** The request line. */
  readonly line: string;
  readonly method: 'GET' | 'POST';
  /** In origin form. */
  readonly target: string;
  readonly section: HeaderSection;
  /** Those of the section, with the length of this request. */
  readonly headers: Headers;
  /** What Content-Length says, as written; `''` for a request that has none. */
  readonly length: string;
  /** What Content-Length says; 0 for a request that has no body. */
  readonly bodyBytes: number;
  /** How many bytes the head takes. */
  readonly bytes: number;
}

/** Whether a head is the same as another one, but for a length that is not larger. */
export function isAlike({ line, section, bodyBytes }: RequestHead, other: RequestHead): boolean {
  return section === other.section && line === other.line && bodyBytes <= other.bodyBytes;
}

/** The bounds of the fast path; a larger request is for the general parser. */
export const MOST = { headBytes: 8 * 1024, bodyBytes: 64 * 1024, headers: 100 };

/**
 * Reads the head that some bytes begin with, if it is one for the fast path: GET without a body or
 * POST with a Content-Length, in HTTP/1.1, all of it printable ASCII (RFC 9112 sections 3 and 5),
 * no header twice, and none that says how the message or the connection is to be handled otherwise.
 * A strict part of what `node:http` takes, read as it does.
 *
 * @param known the head of the previous request on this connection. A client sends the same bytes
 *   each time, so they are compared instead of read, all but the length.
 * @returns `undefined` when the head is for the general parser, or not whole.
 */
export function readRequestHead(
  bytes: Buffer,
  known: RequestHead | undefined,
): RequestHead | undefined {
  const lineEnd = bytes.indexOf(CARRIAGE_RETURN);
  if (lineEnd < 0 || lineEnd > MOST.headBytes || bytes[lineEnd + 1] !== LINE_FEED) return undefined;
  const from = lineEnd + 2;
  const line = bytes.toString('latin1', 0, lineEnd);
  const knownLength = known && lengthIn(bytes, from, known.section);
  if (line === known?.line && knownLength === known.length) return known;
  const request = line === known?.line ? known : readLine(line);
  const section = knownLength === undefined ? parseSection(bytes, from) : known?.section;
  if (request === undefined || section === undefined) return undefined;
  const { method, target } = request;
  const { lengthFrom, lengthTo } = section;
  const length = knownLength ?? section.headers['content-length'] ?? '';
  const bodyBytes = length === '' ? 0 : readLength(length);
  if ((method === 'GET') !== (length === '') || bodyBytes === undefined) return undefined;
  const headers = length === '' ? section.headers : withLength(section.headers, length);
  const headBytes = from + section.bytes.length - (lengthTo - lengthFrom) + length.length;
  return { line, method, target, section, headers, length, bodyBytes, bytes: headBytes };
}

const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;

/**
 * Each pattern has one class repeated up to a character that is not in it, so that nothing is tried
 * twice.
 */
const REQUEST_LINE = /^(GET|POST) (\/[!"$-~]*) HTTP\/1\.1$/;
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const VALUE = /^[ -~]*$/;
/** Without leading zeros, and short enough for {@link MOST}. */
const LENGTH = /^(?:0|[1-9][0-9]{0,4})$/;

/** Headers that ask for another handling of the message or the connection. */
const GENERAL = new Set<string>(
  words('keep-alive proxy-connection te trailer transfer-encoding upgrade'),
);

function readLine(line: string): Pick<RequestHead, 'method' | 'target'> | undefined {
  const [, method, target] = REQUEST_LINE.exec(line) ?? [];
  return target === undefined ? undefined : { method: method as RequestHead['method'], target };
}

/**
 * Whether a known section stands here, but for the length.
 * @returns the length as written, `''` where the section has none; `undefined` when something else
 *   stands here.
 */
function lengthIn(
  bytes: Buffer,
  from: number,
  { bytes: expected, lengthFrom, lengthTo }: HeaderSection,
): string | undefined {
  if (!holds(bytes, from, expected, 0, lengthFrom)) return undefined;
  const digitsFrom = from + lengthFrom;
  const digitsTo = lengthTo === 0 ? digitsFrom : bytes.indexOf(CARRIAGE_RETURN, digitsFrom);
  if (lengthTo > 0 && digitsTo === digitsFrom) return undefined;
  // Also when there is no end: what follows the digits does not stand there.
  if (!holds(bytes, digitsTo, expected, lengthTo, expected.length)) return undefined;
  return bytes.toString('latin1', digitsFrom, digitsTo);
}

/**
 * Quick because the object is an ordinary one; of one without a prototype, V8 takes 2 µs for a
 * copy.
 */
function withLength(headers: Headers, length: string): Headers {
  return headers['content-length'] === length ? headers : { ...headers, 'content-length': length };
}

/** Whether a part of `expected` stands in `bytes` at an index, which may lie outside. */
function holds(bytes: Buffer, at: number, expected: Buffer, from: number, to: number): boolean {
  const end = at + to - from;
  return at >= 0 && end <= bytes.length && bytes.compare(expected, from, to, at, end) === 0;
}

function parseSection(bytes: Buffer, from: number): HeaderSection | undefined {
  const end = bytes.indexOf('\r\n\r\n', from - 2, 'latin1') + 4;
  if (end < from + 4 || end - from > MOST.headBytes) return undefined;
  const text = bytes.toString('latin1', from, end);
  const headers: Record<string, string> = {};
  let lengthFrom = 0;
  let count = 0;
  for (let at = 0; at < text.length - 2; ) {
    const lineEnd = text.indexOf('\r\n', at);
    const colon = text.indexOf(':', at);
    if (colon < 0 || colon > lineEnd) return undefined;
    const name = text.slice(at, colon).toLowerCase();
    const written = text.slice(colon + 1, lineEnd);
    // A name that every object has, such as `constructor`, is for the general parser, too.
    if (!NAME.test(name) || !VALUE.test(written) || name in headers || GENERAL.has(name))
      return undefined;
    if (++count > MOST.headers) return undefined;
    const value = written.trim();
    headers[name] = value;
    if (name === 'content-length') lengthFrom = colon + 1 + written.indexOf(value);
    at = lineEnd + 2;
  }
  const { host = '', connection = 'keep-alive', expect, 'content-length': length = '' } = headers;
  const option = connection.toLowerCase();
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') return undefined;
  if (host === '' || (option !== 'keep-alive' && option !== 'close')) return undefined;
  // Read as no length, it would be taken for a GET's.
  if (length === '' && 'content-length' in headers) return undefined;
  return {
    headers,
    closes: option === 'close',
    expects: expect !== undefined,
    bytes: copyOf(bytes, from, end),
    lengthFrom,
    lengthTo: lengthFrom + length.length,
  };
}

/** @returns `undefined` when it is for the general parser. */
function readLength(text: string): number | undefined {
  const length = LENGTH.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
  return length <= MOST.bodyBytes ? length : undefined;
}

/** A part that is kept must not keep the whole chunk. */
function copyOf(bytes: Buffer, from: number, to: number): Buffer {
  return Buffer.from(bytes.subarray(from, to));
}
