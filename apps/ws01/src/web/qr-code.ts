import { deflateSync } from 'node:zlib';
import type { QRCode } from 'qrcode';
import { PNG_SIGNATURE, pngChunk } from '../adapters/images/png-chunk.ts';
import { CacheUse, recentlyUsed } from '../turns/memory.ts';

/** The format of a QR code, as a file extension. */
export type QrFormat = 'svg' | 'png';

type Picture = Uint8Array<ArrayBuffer>;

/** Width of a PNG unless another is asked for; pixels. */
const SIZE = 512;

/** Light modules around a code (ISO/IEC 18004, 9.1). */
const MARGIN = 4;

/** How a code looks. */
export interface QrLook {
  /**
   * Width; pixels. A PNG may be smaller, because modules have whole pixels; an SVG has any size
   * unless it is given.
   */
  readonly size: number | undefined;
  /** Light modules around it; absent: four. */
  readonly margin: number | undefined;
}

interface QrOrder extends QrLook {
  readonly text: string;
  readonly format: QrFormat;
}

/** Maximum size of the cache of recent codes; bytes. */
const KEPT_BYTES = 2 * 1024 ** 2;

/** Draws QR codes and caches them. */
export class QrCodes {
  readonly #kept = recentlyUsed<Picture>(KEPT_BYTES, ({ length }) => length);

  readonly cacheUse = new CacheUse();

  /** Returns a cached code; `undefined` if it must be drawn. */
  find(order: QrOrder): Picture | undefined {
    return this.cacheUse.note(this.#kept.get(keyOf(order)));
  }

  /** Draws a code, which takes about a millisecond. */
  async draw(order: QrOrder): Promise<Picture> {
    // Loaded on first use.
    const { default: library } = await import('qrcode');
    const code = library.create(order.text, {});
    const picture = new Uint8Array(
      order.format === 'svg' ? Buffer.from(svgOf(code, order)) : pngOf(code, order),
    );
    this.#kept.set(keyOf(order), picture);
    return picture;
  }
}

function keyOf({ text, format, size, margin }: QrOrder): string {
  return [format, size, margin, text].join(' ');
}

/** Draws one path with a stroke per run of dark modules. */
function svgOf({ modules }: QRCode, { size, margin = MARGIN }: QrLook): string {
  const side = modules.size + 2 * margin;
  const sized = size === undefined ? '' : ` width="${size}" height="${size}"`;
  let path = '';
  for (let row = 0; row < modules.size; row++) {
    for (let column = 0; column < modules.size; ) {
      let end = column;
      while (end < modules.size && modules.get(row, end)) end++;
      if (end > column) path += `M${column + margin} ${row + margin}.5h${end - column}`;
      column = end + 1;
    }
  }
  return (
    `<svg xmlns="http://www.w3.org/2000/svg"${sized} viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges">` +
    `<path fill="#fff" d="M0 0h${side}v${side}H0z"/><path stroke="#000" d="${path}"/></svg>\n`
  );
}

/**
 * One bit per pixel. All rows of a module except the first are encoded as "same as above", which
 * takes almost no space.
 */
function pngOf({ modules }: QRCode, { size = SIZE, margin = MARGIN }: QrLook): Buffer {
  const inModules = modules.size + 2 * margin;
  const scale = Math.max(1, Math.floor(size / inModules));
  const side = inModules * scale;
  const rowBytes = 1 + Math.ceil(side / 8);
  const rows = Buffer.alloc(rowBytes * side);
  for (let row = 0; row < inModules; row++) {
    const first = row * scale * rowBytes;
    rows[first] = NO_FILTER;
    rows.fill(0xff, first + 1, first + rowBytes);
    for (let column = 0; column < inModules; column++) {
      if (isDark(modules, row - margin, column - margin))
        darken(rows, first + 1, column * scale, scale);
    }
    for (let more = 1; more < scale; more++) rows[first + more * rowBytes] = AS_ABOVE;
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  // One bit of grey.
  header[8] = 1;
  return Buffer.concat([
    PNG_SIGNATURE,
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflateSync(rows)),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Row filters (PNG specification, 9.2). */
const NO_FILTER = 0;
const AS_ABOVE = 2;

function isDark(modules: QRCode['modules'], row: number, column: number): boolean {
  const within = row >= 0 && column >= 0 && row < modules.size && column < modules.size;
  return within && Boolean(modules.get(row, column));
}

/** Clears bits; the first one of a byte is its highest. */
function darken(rows: Buffer, begin: number, from: number, count: number): void {
  for (let pixel = from; pixel < from + count; pixel++)
    rows[begin + (pixel >> 3)]! &= ~(0x80 >> (pixel & 7));
}
