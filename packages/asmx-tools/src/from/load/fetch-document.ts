import { lookup } from 'node:dns/promises';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { isIP } from 'node:net';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { decodePercentStrictly } from '@ws01/asmx/internal/message/percent';
import {
  Upstream,
  type UpstreamAnswer,
  UpstreamError,
} from '@ws01/asmx/internal/node/upstream/ask';
import { Networks, PrivateNetworkError } from '@ws01/asmx/internal/node/upstream/networks';
import { time } from '@ws01/asmx/time';
import { MissingDocument, WsdlError } from '../wsdl-error.ts';
import type { LoadLimits } from './limits.ts';

/** What a person named as a source: an http or https URL as it is, anything else a path. */
export function sourceUrl(source: string): URL {
  return /^https?:\/\//i.test(source) ? new URL(source) : pathToFileURL(source);
}

/** How a document is called in messages: its path, or its URL without user and password. */
export function nameOf(url: URL): string {
  if (url.protocol === 'file:') return fileURLToPath(url);
  const shown = new URL(url);
  shown.username = '';
  shown.password = '';
  return shown.href;
}

/** The bytes of a document, and where they were: relative places in it are relative to that. */
export interface FetchedDocument {
  readonly bytes: Uint8Array;
  readonly url: URL;
}

/** A document could not be had. The message is one sentence. */
function unreadable(url: URL, reason: string): WsdlError {
  return new WsdlError('unreadable', nameOf(url), '', reason);
}

function missing(url: URL, reason: string): MissingDocument {
  return new MissingDocument('unreadable', nameOf(url), '', reason);
}

/**
 * Where a file may be: in the folders above the document that imports it, the nearest first. An old
 * build ran in one of them, and the WSDL names files from there.
 */
export function placesAbove(url: URL, importer: string): readonly URL[] {
  if (url.protocol !== 'file:') return [];
  const places: URL[] = [];
  const own = new URL('.', pathToFileURL(importer));
  const path = url.href.startsWith(own.href)
    ? url.href.slice(own.href.length)
    : url.pathname.slice(1);
  for (let folder = own; ; ) {
    const above = new URL('..', folder);
    if (above.href === folder.href) return places;
    places.push(new URL(path, above));
    folder = above;
  }
}

/**
 * The bytes of a file.
 * @param named whether a person named it: then it may be a pipe, as `<(curl …)` is. A document that
 *   names one would have us wait for ever.
 * @param most bytes. @param importer the document that names it.
 * @throws {WsdlError} `unreadable`, in one line with what the system said.
 */
export async function readDocument(
  url: URL,
  {
    named,
    most,
    importer,
  }: { readonly named: boolean; readonly most: number; readonly importer: string | undefined },
): Promise<FetchedDocument> {
  try {
    const found = await stat(url);
    if (found.isDirectory()) throw unreadable(url, 'It is a folder; name a file.');
    if (!found.isFile() && !named) throw unreadable(url, 'It is no file.');
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of createReadStream(url) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > most) throw unreadable(url, tooLarge(most));
      chunks.push(chunk);
    }
    return { bytes: withoutHttpHead(Buffer.concat(chunks)), url };
  } catch (error) {
    if (error instanceof WsdlError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    const by = importer === undefined ? '' : ` ${importer} imports it.`;
    if (code === 'ENOENT') throw missing(url, `There is no such file.${by}`);
    throw unreadable(url, `It cannot be read (${code}).${by}`);
  }
}

const isCutOff = ({ cause }: Error): boolean =>
  ['ECONNRESET', 'EPIPE'].includes(String((cause as NodeJS.ErrnoException | undefined)?.code));

function tooLarge(most: number): string {
  return `The document has more than ${most} bytes (limit documentBytes).`;
}

/** A document that was saved with the head of its answer, as `curl -i` does. */
function withoutHttpHead(bytes: Buffer): Buffer {
  if (bytes.toString('latin1', 0, 5) !== 'HTTP/') return bytes;
  const end = bytes.indexOf('\r\n\r\n');
  return end < 0 ? bytes : bytes.subarray(end + 4);
}

/**
 * Fetches documents. A person may name a server in a private network. A redirect or an import of
 * that server may name the address that it answered at and public ones, but no other private one:
 * services there may answer everybody. Other addresses of its name do not count: who has the name
 * decides what they are.
 */
export class DocumentServers {
  readonly #limits: LoadLimits;
  /** Private networks that a person listed. */
  readonly #listed: readonly string[];
  readonly #networks: Networks;
  /** Whether the first server has answered. */
  #isKnown = false;
  readonly #end: number;
  readonly #upstreams = new Map<string, Upstream>();

  private constructor(limits: LoadLimits, listed: readonly string[], first: readonly string[]) {
    this.#limits = limits;
    this.#listed = listed;
    this.#networks = new Networks([...listed, ...first]);
    this.#end = time.steady() + limits.seconds * 1_000;
  }

  /**
   * @param first what a person named.
   * @param networks private ones that documents may be in.
   * @throws {WsdlError}
   */
  static async around(
    first: URL,
    limits: LoadLimits,
    networks: readonly string[],
  ): Promise<DocumentServers> {
    const host = hostOf(first);
    if (isIP(host) !== 0) return new DocumentServers(limits, networks, [host]);
    try {
      const own = await lookup(host, { all: true });
      return new DocumentServers(
        limits,
        networks,
        own.map(({ address }) => plain(address)),
      );
    } catch (error) {
      throw unreadable(
        first,
        `It cannot be fetched: ${host} is not known (${(error as NodeJS.ErrnoException).code}).`,
      );
    }
  }

  /** @throws {WsdlError} `unreadable`, in one line with what the server said. */
  async fetch(asked: URL): Promise<FetchedDocument> {
    const { redirects } = this.#limits;
    const end = Math.min(time.steady() + this.#limits.documentSeconds * 1_000, this.#end);
    let url = asked;
    for (let count = 0; count <= redirects; count++) {
      const answer = await this.#ask(url, end);
      const location = REDIRECTS.has(answer.status) ? headerIn(answer, 'location') : undefined;
      if (location === undefined) return { bytes: await this.#body(url, answer), url };
      url = redirected(url, location);
    }
    throw unreadable(asked, `It redirects more than ${redirects} times (limit redirects).`);
  }

  /** Closes the connections that are kept. */
  close(): void {
    for (const upstream of this.#upstreams.values()) upstream.close();
  }

  async #ask(url: URL, end: number): Promise<UpstreamAnswer> {
    const left = new AbortController();
    const limit = time.limit(Math.max(0, end - time.steady()), () => left.abort());
    const ask = () =>
      this.#upstream(url).ask({
        method: 'GET',
        target: `${url.pathname}${url.search}`,
        headers: [
          ...['Accept', 'text/xml, */*', 'Accept-Encoding', 'gzip, deflate'],
          ...(url.username === '' ? [] : ['Authorization', basic(url)]),
        ],
        body: undefined,
        signal: left.signal,
      });
    try {
      // A server may close a connection that it kept while the next request is on its way (RFC 9112
      // 9.3.1).
      const answer = await ask().catch((error) =>
        isCutOff(error) ? ask() : Promise.reject(error),
      );
      if (!this.#isKnown) this.#answeredFrom(answer.address);
      return answer;
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      throw unreadable(url, this.#reason(url, error, left.signal.aborted ? end : undefined));
    } finally {
      limit.end();
    }
  }

  /** From now on the other addresses of the first name are as foreign as any. */
  #answeredFrom(address: string): void {
    this.#isKnown = true;
    this.#networks.allowOnly([...this.#listed, plain(address)]);
  }

  /** @param passed the time that has passed; by `time.steady`. */
  #reason(url: URL, { message, cause }: UpstreamError, passed: number | undefined): string {
    const { documentBytes, documentSeconds, seconds } = this.#limits;
    if (passed !== undefined) {
      return passed === this.#end
        ? `The documents were not there after ${seconds} s (limit seconds).`
        : `It was not there after ${documentSeconds} s (limit documentSeconds).`;
    }
    if (cause instanceof PrivateNetworkError) {
      return `${url.hostname} is in a private network, and not the server of the WSDL; if you trust the WSDL, list the network (--network).`;
    }
    return cause === undefined
      ? tooLarge(documentBytes)
      : `It cannot be fetched: ${message.replace(/\.$/, '')}.`;
  }

  #upstream(url: URL): Upstream {
    const known = this.#upstreams.get(url.origin);
    if (known !== undefined) return known;
    const made = new Upstream({
      url,
      networks: this.#networks,
      timeoutMs: this.#limits.seconds * 1_000,
      answerBytes: this.#limits.documentBytes,
    });
    this.#upstreams.set(url.origin, made);
    return made;
  }

  async #body(url: URL, answer: UpstreamAnswer): Promise<Uint8Array> {
    const { status, body } = answer;
    if (status < 200 || status > 299) {
      const remedy =
        status === 401
          ? ' User and password may stand in the URL, before an @; for NTLM and others save the file: curl --ntlm -u user URL > old.wsdl.'
          : '';
      throw (status === 404 || status === 410 ? missing : unreadable)(
        url,
        `The server answered ${status}.${remedy}`,
      );
    }
    const coding = headerIn(answer, 'content-encoding')?.trim().toLowerCase() ?? 'identity';
    if (coding === 'identity' || coding === '') return body;
    const unpack = CODINGS.get(coding);
    if (unpack === undefined)
      throw unreadable(url, 'The server sent it in a content coding that is not read.');
    const { documentBytes } = this.#limits;
    try {
      return await unpack(body, { maxOutputLength: documentBytes });
    } catch (error) {
      const isLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
      throw unreadable(
        url,
        isLarge ? tooLarge(documentBytes) : 'What the server sent cannot be inflated.',
      );
    }
  }
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

const CODINGS = new Map([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
] as const) as ReadonlyMap<
  string,
  (body: Uint8Array, options: { readonly maxOutputLength: number }) => Promise<Buffer>
>;

function headerIn({ headers }: UpstreamAnswer, name: string): string | undefined {
  const at = headers.findIndex((header, index) => index % 2 === 0 && header.toLowerCase() === name);
  return at < 0 ? undefined : headers[at + 1];
}

/**
 * Where a redirect leads. User and password stay with their server.
 * @throws {WsdlError} for what is no web server.
 */
function redirected(from: URL, location: string): URL {
  const to = URL.parse(location, from);
  if (to === null || (to.protocol !== 'http:' && to.protocol !== 'https:')) {
    throw unreadable(from, 'It redirects to what is no http or https URL.');
  }
  if (to.origin === from.origin && to.username === '') {
    to.username = from.username;
    to.password = from.password;
  }
  return to;
}

function basic({ username, password }: URL): string {
  const decoded = (text: string) => decodePercentStrictly(text) ?? text;
  const credential = `${decoded(username)}:${decoded(password)}`;
  return `Basic ${Buffer.from(credential).toString('base64')}`;
}

/** Without the brackets of IPv6. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** Without the zone of a link-local address. */
function plain(address: string): string {
  return address.replace(/%.*$/, '');
}
