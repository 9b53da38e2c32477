/** What the header section of a request on the fast path says; the same object for as long as a client sends the same bytes. */
export interface HeaderSection {
  /** Values by lower-case name, each name once. */
  readonly headers: Readonly<Record<string, string>>;
  /** What Content-Length says; 0 for a request that has no body. */
  readonly bodyBytes: number;
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

/** All of a request on the fast path but its body. */
export interface RequestHead {
  readonly method: 'GET' | 'POST';
  /** In origin form. */
  readonly target: string;
  readonly section: HeaderSection;
  /** How many bytes it takes. */
  readonly bytes: number;
}

/** The bounds of the fast path; a larger request is for the general parser. */
export const MOST = { headBytes: 8 * 1024, bodyBytes: 64 * 1024, headers: 100 };

/**
 * Reads the head that some bytes begin with, if it is one for the fast path: GET without a body or POST with a Content-Length,
 * in HTTP/1.1, all of it printable ASCII (RFC 9112 sections 3 and 5), no header twice, and none that says how the
 * message or the connection is to be handled otherwise. A strict part of what `node:http` takes, read as it does.
 *
 * @param known the header section of the request before on this connection: a client sends the same bytes with each, so
 *   that they are compared instead of read, all but the length.
 * @returns `undefined` when the head is for the general parser, or not whole.
 */
export function readRequestHead(bytes: Buffer, known: HeaderSection | undefined): RequestHead | undefined {
  const lineEnd = bytes.indexOf(CARRIAGE_RETURN);
  if (lineEnd < 0 || lineEnd > MOST.headBytes || bytes[lineEnd + 1] !== LINE_FEED) return undefined;
  const [, method, target] = REQUEST_LINE.exec(bytes.toString('latin1', 0, lineEnd)) ?? [];
  if (target === undefined) return undefined;
  const from = lineEnd + 2;
  const section = (known && compareSection(bytes, from, known)) ?? parseSection(bytes, from);
  if (section === undefined || (method === 'GET') !== (section.lengthTo === 0)) return undefined;
  return { method: method as RequestHead['method'], target, section, bytes: from + section.bytes.length };
}

const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;

/** Each pattern has one class repeated up to a character that is not in it, so that nothing is tried twice. */
const REQUEST_LINE = /^(GET|POST) (\/[!"$-~]*) HTTP\/1\.1$/;
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const VALUE = /^[ -~]*$/;
/** Without leading zeros, and short enough for {@link MOST}. */
const LENGTH = /^(?:0|[1-9][0-9]{0,4})$/;

/** Headers that ask for another handling of the message or the connection. */
const GENERAL = new Set(['keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade']);

/** The section that stands here, when it is the known one or differs in the length alone. */
function compareSection(bytes: Buffer, from: number, known: HeaderSection): HeaderSection | undefined {
  const { bytes: expected, lengthFrom, lengthTo } = known;
  if (holds(bytes, from, expected, 0, expected.length)) return known;
  if (lengthTo === 0 || !holds(bytes, from, expected, 0, lengthFrom)) return undefined;
  const digitsFrom = from + lengthFrom;
  const digitsTo = bytes.indexOf(CARRIAGE_RETURN, digitsFrom);
  // Also when there is no end: what follows the digits does not stand there.
  if (!holds(bytes, digitsTo, expected, lengthTo, expected.length)) return undefined;
  const length = bytes.toString('latin1', digitsFrom, digitsTo);
  const bodyBytes = readLength(length);
  if (bodyBytes === undefined) return undefined;
  return {
    ...known,
    headers: Object.assign(Object.create(null), known.headers, { 'content-length': length }),
    bodyBytes,
    bytes: copyOf(bytes, from, digitsTo + expected.length - lengthTo),
    lengthTo: lengthFrom + length.length,
  };
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
  const headers: Record<string, string> = Object.create(null);
  let lengthFrom = 0;
  let count = 0;
  for (let at = 0; at < text.length - 2; ) {
    const lineEnd = text.indexOf('\r\n', at);
    const colon = text.indexOf(':', at);
    if (colon < 0 || colon > lineEnd) return undefined;
    const name = text.slice(at, colon).toLowerCase();
    const written = text.slice(colon + 1, lineEnd);
    if (!NAME.test(name) || !VALUE.test(written) || name in headers || GENERAL.has(name)) return undefined;
    if (++count > MOST.headers) return undefined;
    const value = written.trim();
    headers[name] = value;
    if (name === 'content-length') lengthFrom = colon + 1 + written.indexOf(value);
    at = lineEnd + 2;
  }
  const { host = '', connection = 'keep-alive', expect, 'content-length': length } = headers;
  const option = connection.toLowerCase();
  const bodyBytes = length === undefined ? 0 : readLength(length);
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') return undefined;
  if (host === '' || (option !== 'keep-alive' && option !== 'close') || bodyBytes === undefined) return undefined;
  return {
    headers,
    bodyBytes,
    closes: option === 'close',
    expects: expect !== undefined,
    bytes: copyOf(bytes, from, end),
    lengthFrom,
    lengthTo: lengthFrom + (length?.length ?? 0),
  };
}

function readLength(text: string): number | undefined {
  const length = LENGTH.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
  return length <= MOST.bodyBytes ? length : undefined;
}

/** A part that is kept must not keep the whole chunk. */
function copyOf(bytes: Buffer, from: number, to: number): Buffer {
  return Buffer.from(bytes.subarray(from, to));
}
