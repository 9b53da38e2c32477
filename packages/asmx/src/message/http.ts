/** HTTP messages as values, without sockets. Only `node/` uses `node:http`. */

/** A request body: a stream of chunks that is read once. */
export interface WireBody extends AsyncIterable<Uint8Array> {
  /** The body, if it is in memory already. */
  readonly bytes?: Uint8Array;
  /**
   * The body in one piece, if its declared length is small; much cheaper than iterating.
   * @param came called with the size of each piece; if it throws, the reading ends.
   */
  readonly whole?: (came: (bytes: number) => void) => Promise<Uint8Array>;
  /** Of a body that comes in chunks of HTTP. */
  readonly chunks?: ChunkAccount | undefined;
  /**
   * Ends the reading: pending and later reads fail with the error. Absent if the body is already in
   * memory.
   */
  readonly stop?: (error: Error) => void;
}

/**
 * What has been parsed of a body in chunks of HTTP (RFC 9112 7.1); some of it may not have been
 * read yet.
 */
export interface ChunkAccount {
  /** In bytes. */
  readonly bodyBytes: number;
  /**
   * What that has taken on the wire, with the sizes and extensions of the chunks; bytes, never more
   * than it has.
   */
  readonly wireBytes: number;
}

/** What ASP.NET says of answers: a copy is asked for again each time. */
export const CACHING = { 'Cache-Control': 'private, max-age=0' };

/** A body in memory, for callers without a socket. */
export function bytesBody(bytes: Uint8Array): WireBody {
  return new BytesBody(bytes);
}

class BytesBody implements WireBody {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  async whole(): Promise<Uint8Array> {
    return this.bytes;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    yield this.bytes;
  }
}

/** A request of HTTP, as a server hands it to an endpoint. */
export interface WireRequest {
  /** As sent; verbs are case-sensitive. */
  readonly method: string;
  /**
   * The request target as sent: origin form (`/WS01.asmx?x`) or absolute form
   * (`http://host/WS01.asmx?x`).
   */
  readonly target: string;
  /** Header values by lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: WireBody;
  /** The address of the peer as the socket knows it. */
  readonly remoteAddress: string;
  /** Whether the connection is one of TLS. */
  readonly encrypted?: boolean;
  /**
   * The path that the server has taken away from the target, such as `/v1` of `app.use('/v1', …)`
   * in Express.
   */
  readonly mountPath?: string;
  /**
   * Aborted if the client disconnects before the answer; created on first use. Absent if
   * disconnects cannot be detected.
   */
  readonly gone?: () => AbortSignal;
}

/** An answer of HTTP, as an endpoint hands it to a server. */
export interface WireResponse {
  readonly status: number;
  /** Without Content-Length, Date and Connection, which the adapter writes. */
  readonly headers: Readonly<Record<string, string>>;
  /** The values of `Set-Cookie`, each its own header. */
  readonly cookies?: readonly string[];
  /**
   * Of an answer that another server gave: header names and values in turn, written as they are in
   * place of {@link headers}; the body is not compressed.
   */
  readonly rawHeaders?: readonly string[];
  readonly body: string | Uint8Array;
}

/** The first value of a header, `undefined` when it is absent. */
export function header(request: Pick<WireRequest, 'headers'>, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'object' ? value[0] : value;
}

/** A Content-Type taken apart. */
export interface ContentType {
  /**
   * Lower-case text before the first `;`, not trimmed at its end: ASP.NET refuses `text/xml ;…`.
   */
  readonly base: string;
  /** Parameter values by lower-case name, without their quotes; the first of a repeated name. */
  readonly parameters: ReadonlyMap<string, string>;
}

const NO_CONTENT_TYPE: ContentType = { base: '', parameters: new Map() };

/** Those parsed lately: clients send few different ones, each again and again. */
const parsed = new Map<string, ContentType>();
const MOST_PARSED = 200;
const LONGEST_PARSED = 300;

/**
 * Parses a Content-Type header; quotes, apostrophes and blanks around parameter values are dropped
 * as ASP.NET does; not the apostrophes of a boundary, which are part of it (RFC 2046, 5.1.1).
 */
export function parseContentType(value: string | undefined): ContentType {
  if (value === undefined) return NO_CONTENT_TYPE;
  let contentType = parsed.get(value);
  if (contentType === undefined) {
    contentType = parse(value);
    if (parsed.size === MOST_PARSED) parsed.clear();
    if (value.length <= LONGEST_PARSED) parsed.set(value, contentType);
  }
  return contentType;
}

function parse(value: string): ContentType {
  const parts = splitOutsideQuotes(value);
  const parameters = new Map<string, string>();
  for (const part of parts.slice(1)) {
    const equals = part.indexOf('=');
    if (equals < 0) continue;
    const name = part.slice(0, equals).trim().toLowerCase();
    if (!parameters.has(name))
      parameters.set(name, trimQuotes(part.slice(equals + 1), name !== 'boundary'));
  }
  return { base: parts[0]!.trimStart().toLowerCase(), parameters };
}

function splitOutsideQuotes(value: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let quoted = false;
  for (let at = 0; at < value.length; at++) {
    const char = value.charCodeAt(at);
    if (char === 0x22) quoted = !quoted;
    else if (char === 0x3b && !quoted) {
      parts.push(value.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(value.slice(start));
  return parts;
}

function trimQuotes(text: string, apostrophes: boolean): string {
  let start = 0;
  let end = text.length;
  const dropped = (at: number) =>
    text[at] === '"' || (apostrophes && text[at] === "'") || text[at] === ' ' || text[at] === '\t';
  while (start < end && dropped(start)) start++;
  while (end > start && dropped(end - 1)) end--;
  return text.slice(start, end);
}

/**
 * A request target taken apart: the path as sent, and the query without its `?` (`''` for none).
 */
export interface Target {
  readonly path: string;
  readonly query: string;
}

/**
 * Splits a request target; the authority of an absolute-form target is dropped (RFC 9112 3.2.2).
 */
export function parseTarget(target: string): Target {
  let rest = target;
  if (!rest.startsWith('/')) {
    const authority = rest.indexOf('://');
    const slash = authority < 0 ? -1 : rest.indexOf('/', authority + 3);
    rest = slash < 0 ? '/' : rest.slice(slash);
  }
  const mark = rest.indexOf('?');
  return mark < 0
    ? { path: rest, query: '' }
    : { path: rest.slice(0, mark), query: rest.slice(mark + 1) };
}

/**
 * So many pieces are kept as they came: what each takes besides its bytes, 100 to 400 bytes, is not
 * counted anywhere.
 */
const MOST = 256;

/**
 * The bytes of a message that is to be used in one piece, as they come. Bytes that are sent one by
 * one would take a hundred times their memory, so pieces are put together.
 */
export class GatheredBytes {
  #all: Buffer[] = [];

  add(piece: Buffer): void {
    this.#all.push(piece);
    if (this.#all.length >= MOST) this.joined();
  }

  /** Returns them in one piece. */
  joined(): Buffer {
    if (this.#all.length !== 1) this.#all = [Buffer.concat(this.#all)];
    return this.#all[0]!;
  }

  clear(): void {
    this.#all = [];
  }
}
