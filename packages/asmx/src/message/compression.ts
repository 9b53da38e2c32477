import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { WireResponse } from './http.ts';

const gzipped = promisify(gzip);

/** Below this length an answer travels in one packet either way; UTF-16 code units or bytes. */
const WORTH_COMPRESSING = 1400;

/**
 * What may wait to be compressed at the same time; bytes. What comes then goes as it is: the threads could not keep up,
 * and who reads slowly holds up nobody (`slow-readers.ts` counts it).
 */
const MOST_COMPRESSING = 8 * 1024 * 1024;

/** What is being compressed; bytes. */
let compressing = 0;

/** Ready-made bodies (descriptions) are compressed once. */
const kept = new WeakMap<Uint8Array, Promise<Uint8Array>>();

/**
 * An answer in the content coding that the client prefers: gzip, where it is accepted and worth it, or none
 * (RFC 9110 12.5.3); none, too, while {@link MOST_COMPRESSING} waits for its turn. Every answer that could have come in either says so with `Vary`.
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
