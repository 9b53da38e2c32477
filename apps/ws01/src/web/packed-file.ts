import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { FOREVER, NOSNIFF } from '../failure/answer-headers.ts';

const PACK = {
  br: promisify((bytes: Uint8Array, done: (error: Error | null, packed: Uint8Array) => void) =>
    brotliCompress(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }, done),
  ),
  gzip: promisify((bytes: Uint8Array, done: (error: Error | null, packed: Uint8Array) => void) =>
    gzip(bytes, done),
  ),
} as const;

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

type Encoding = keyof typeof PACK;

/** A file that pages load. It is compressed once, when a browser first asks for it so. */
export class PackedFile {
  readonly #type: string;
  /** A hash of the file, for its URL: browsers may then cache it for ever. */
  readonly tag: string;
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #packed = new Map<Encoding, Promise<Uint8Array>>();

  constructor(path: string | URL) {
    this.#type = TYPES[extname(String(path))]!;
    this.#bytes = readFileSync(path);
    this.tag = createHash('sha256').update(this.#bytes).digest('base64url').slice(0, 16);
  }

  /** Answers a request for the file. @param accepted the header `Accept-Encoding`. */
  async answer(accepted: string | undefined): Promise<Response> {
    const headers = {
      'Content-Type': this.#type,
      'Cache-Control': FOREVER,
      ...NOSNIFF,
      Vary: 'Accept-Encoding',
    };
    const encoding = encodingOf(accepted);
    if (encoding === undefined) return new Response(this.#bytes, { headers });
    const packed = this.#packed.get(encoding) ?? PACK[encoding](this.#bytes);
    this.#packed.set(encoding, packed);
    return new Response(new Uint8Array(await packed), {
      headers: { ...headers, 'Content-Encoding': encoding },
    });
  }
}

/** The best encoding that a browser names without refusing it (RFC 9110, 12.5.3). */
function encodingOf(accepted = ''): Encoding | undefined {
  const named = new Set(
    accepted
      .toLowerCase()
      .split(',')
      .map((one) => one.split(';').map((part) => part.trim()))
      .filter(([, weight]) => weight === undefined || !/^q=0(?:\.0*)?$/.test(weight))
      .map(([name]) => name),
  );
  return (['br', 'gzip'] as const).find((name) => named.has(name));
}
