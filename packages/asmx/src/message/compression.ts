import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { words } from '../contract/words.ts';
import { charsetDecoder } from './charset.ts';
import { header, type WireRequest, type WireResponse } from './http.ts';

const gzipped = promisify(gzip);

/** Below this length an answer travels in one packet either way; UTF-16 code units or bytes. */
const WORTH_COMPRESSING = 1400;

/**
 * What may wait to be compressed at the same time; bytes. What comes then goes as it is: the
 * threads could not keep up, and who reads slowly holds up nobody (`slow-readers.ts` counts it).
 */
const MOST_COMPRESSING = 8 * 1024 * 1024;

/** What is being compressed; bytes. */
let compressing = 0;

/** Ready-made bodies (descriptions) are compressed once. */
const kept = new WeakMap<Uint8Array, Promise<Uint8Array>>();

/**
 * An answer in the content coding that the client prefers: gzip, where it is accepted and worth it,
 * or none (RFC 9110 12.5.3); none, too, while {@link MOST_COMPRESSING} waits for its turn. Every
 * answer that could have come in either says so with `Vary`.
 *
 * @param acceptEncoding the request's header, `undefined` when it is absent.
 */
export function compress(
  response: WireResponse,
  acceptEncoding: string | undefined,
): WireResponse | Promise<WireResponse> {
  if (response.body.length < WORTH_COMPRESSING || response.rawHeaders !== undefined)
    return response;
  const headers = { ...response.headers, Vary: 'Accept-Encoding' };
  if (acceptEncoding === undefined || !acceptsGzip(acceptEncoding)) return { ...response, headers };
  const made = compressedBody(response.body);
  if (made === undefined) return { ...response, headers };
  return made.then((body) => ({
    ...response,
    headers: { ...withWeakTag(headers), 'Content-Encoding': 'gzip' },
    body,
  }));
}

/** @returns `undefined` when there is too much to compress already. */
function compressedBody(body: string | Uint8Array): Promise<Uint8Array> | undefined {
  const known = typeof body === 'string' ? undefined : kept.get(body);
  if (known !== undefined) return known;
  // Of a string, its bytes: they are what waits.
  const bytes = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
  if (compressing > 0 && compressing + bytes > MOST_COMPRESSING) return undefined;
  compressing += bytes;
  const made = gzipped(body).finally(() => {
    compressing -= bytes;
  });
  if (typeof body !== 'string') kept.set(body, made);
  return made;
}

/** A strong tag would name two different sequences of bytes (RFC 9110 8.8.3). */
function withWeakTag(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { ETag: tag } = headers;
  return tag === undefined || tag.startsWith('W/') ? headers : { ...headers, ETag: `W/${tag}` };
}

/** Whether `gzip`, or else `*`, is in the list with a weight above zero. */
function acceptsGzip(acceptEncoding: string): boolean {
  let any = false;
  for (const entry of acceptEncoding.split(',')) {
    const [coding, ...parameters] = entry.split(';');
    const name = coding!.trim().toLowerCase();
    if (name === 'gzip' || name === 'x-gzip') return !parameters.some(isZeroWeight);
    if (name === '*') any = !parameters.some(isZeroWeight);
  }
  return any;
}

function isZeroWeight(parameter: string): boolean {
  const [name, value] = parameter.split('=');
  return name!.trim().toLowerCase() === 'q' && Number(value) === 0;
}

/**
 * Names that clients write into Content-Encoding and that are no coding: of transfer encodings, of
 * nothing.
 */
const NO_CODINGS = new Set<string>([
  '',
  ...words('identity none null undefined default plain text xml json ansi utf unicode'),
  ...words('7bit 8bit binary quoted-printable base64 chunked'),
]);

/**
 * The coding in which a body is packed, in lower case; `undefined` for none. ASP.NET takes no
 * notice of the header, and its clients write charsets, media types and transfer encodings into it:
 * such words name no coding, and the body is plain. Anything else is taken at its word (RFC 9110
 * 8.4.1), known or not.
 */
export function contentCodingOf(request: Pick<WireRequest, 'headers'>): string | undefined {
  const value = header(request, 'content-encoding');
  if (value === undefined) return undefined;
  const codings = value.toLowerCase().split(',').map(unquoted).filter(namesCoding);
  return codings.length === 0 ? undefined : codings.join(', ');
}

function unquoted(name: string): string {
  return name.trim().replace(/^"(.*)"$/, '$1');
}

/**
 * A media type holds a slash, `charset=utf-8` an equals sign, and what is left may be a charset.
 */
function namesCoding(name: string): boolean {
  return !NO_CODINGS.has(name) && !/[/=]/.test(name) && charsetDecoder(name, false) === undefined;
}
