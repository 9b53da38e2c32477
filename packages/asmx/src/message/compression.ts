import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { WireResponse } from './http.ts';

const gzipped = promisify(gzip);

/** Below this length an answer travels in one packet either way; UTF-16 code units or bytes. */
const WORTH_COMPRESSING = 1400;

/** Ready-made bodies (descriptions) are compressed once. */
const kept = new WeakMap<Uint8Array, Promise<Uint8Array>>();

/**
 * An answer in the content coding that the client prefers: gzip, where it is accepted and worth it, or none
 * (RFC 9110 12.5.3). Every answer that could have come in either says so with `Vary`.
 *
 * @param acceptEncoding the request's header, `undefined` when it is absent.
 */
export function compress(
  response: WireResponse,
  acceptEncoding: string | undefined,
): WireResponse | Promise<WireResponse> {
  if (response.body.length < WORTH_COMPRESSING || response.rawHeaders !== undefined) return response;
  const headers = { ...response.headers, Vary: 'Accept-Encoding' };
  if (acceptEncoding === undefined || !acceptsGzip(acceptEncoding)) return { ...response, headers };
  return compressedBody(response.body).then((body) => ({
    ...response,
    headers: { ...withWeakTag(headers), 'Content-Encoding': 'gzip' },
    body,
  }));
}

function compressedBody(body: string | Uint8Array): Promise<Uint8Array> {
  if (typeof body === 'string') return gzipped(body);
  let made = kept.get(body);
  if (made === undefined) {
    made = gzipped(body);
    kept.set(body, made);
  }
  return made;
}

/** A strong tag would name two different sequences of bytes (RFC 9110 8.8.3). */
function withWeakTag(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { ETag: tag } = headers;
  return tag === undefined || tag.startsWith('W/') ? headers : { ...headers, ETag: `W/${tag}` };
}

/** Whether `gzip`, or else `*`, stands in the list with a weight above zero. */
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
