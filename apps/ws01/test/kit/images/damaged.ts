import { crc32, deflateSync, inflateSync } from 'node:zlib';
import sharp from 'sharp';

/** A picture with one kind of damage. */
export interface DamagedPicture {
  readonly format: 'jpeg' | 'png' | 'gif' | 'webp' | 'avif' | 'heic';
  readonly damage: string;
  readonly bytes: Buffer;
}

const WIDTH = 96;
const HEIGHT = 64;

/** Each format, whole, and with each damage that cameras, programs, disks and lines do to it. */
export async function damagedPictures(): Promise<DamagedPicture[]> {
  const { jpeg, progressive, png, gif, animated, webp, lossless, avif } = await wholePictures();
  const all = (
    format: DamagedPicture['format'],
    name: string,
    bytes: Buffer,
    damages: readonly Damage[],
  ): DamagedPicture[] =>
    [...ANY_DAMAGE, ...damages].map(([damage, hurt]) => ({
      format,
      damage: `${name}: ${damage}`,
      bytes: hurt(bytes),
    }));
  return [
    ...all('jpeg', 'baseline', jpeg, JPEG),
    ...all('jpeg', 'progressive', progressive, JPEG),
    ...all('png', 'png', png, PNG),
    ...all('gif', 'still', gif, GIF),
    ...all('gif', 'animated', animated, GIF),
    ...all('webp', 'lossy', webp, WEBP),
    ...all('webp', 'lossless', lossless, WEBP),
    ...all('avif', 'avif', avif, AVIF),
  ];
}

async function wholePictures() {
  // Smooth enough to be alike after each codec, and rough enough to need some bytes.
  const pixels = Buffer.from(
    Array.from({ length: WIDTH * HEIGHT * 3 }, (_, at) => {
      const [x, y] = [Math.floor(at / 3) % WIDTH, Math.floor(at / 3 / WIDTH)];
      return Math.round(128 + 80 * Math.sin(x / 7 + (at % 3)) + 40 * Math.cos(y / 3 + x / 11));
    }),
  );
  const raw = { width: WIDTH, height: HEIGHT, channels: 3 } as const;
  const source = () => sharp(pixels, { raw });
  const frames = sharp(Buffer.concat([pixels, Buffer.from(pixels).reverse()]), {
    raw: { ...raw, height: HEIGHT * 2, pageHeight: HEIGHT },
  });
  return {
    jpeg: await source().jpeg({ quality: 85 }).withMetadata().toBuffer(),
    progressive: await source().jpeg({ quality: 85, progressive: true }).toBuffer(),
    png: await source().png().withMetadata().toBuffer(),
    gif: await source().gif().toBuffer(),
    animated: await frames.gif({ delay: [100, 100] }).toBuffer(),
    webp: await source().webp().toBuffer(),
    lossless: await source().webp({ lossless: true }).toBuffer(),
    avif: await source().avif({ effort: 0 }).toBuffer(),
  };
}

type Damage = readonly [name: string, hurt: (whole: Buffer) => Buffer];

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const insert = (bytes: Buffer, at: number, more: Buffer | string): Buffer =>
  Buffer.concat([
    bytes.subarray(0, at),
    typeof more === 'string' ? latin1(more) : more,
    bytes.subarray(at),
  ]);
const change = (bytes: Buffer, at: number, value: number): Buffer => {
  const changed = Buffer.from(bytes);
  changed[at] = value;
  return changed;
};
const flip = (share: number) => (bytes: Buffer) => {
  const at = Math.floor(bytes.length * share);
  return change(bytes, at, bytes[at]! ^ 0x15);
};
const cut = (share: number) => (bytes: Buffer) =>
  bytes.subarray(0, Math.floor(bytes.length * share));

/** What may happen to any file. */
export const ANY_DAMAGE: readonly Damage[] = [
  ['whole', (whole) => whole],
  ['a byte too few', (whole) => whole.subarray(0, -1)],
  ['two bytes too few', (whole) => whole.subarray(0, -2)],
  ['five bytes too few', (whole) => whole.subarray(0, -5)],
  ['twelve bytes too few', (whole) => whole.subarray(0, -12)],
  ['cut at 95 %', cut(0.95)],
  ['cut at 50 %', cut(0.5)],
  ['cut at 20 %', cut(0.2)],
  ['a wrong byte at 40 %', flip(0.4)],
  ['a wrong byte at 70 %', flip(0.7)],
  ['a wrong byte at 90 %', flip(0.9)],
  ['zeros behind it', (whole) => Buffer.concat([whole, Buffer.alloc(512)])],
  [
    'a video behind it, with letters by chance',
    (whole) => Buffer.concat([whole, latin1('\x9d\x01<Svg\x90\0<?PhP\xfe<BODY\x02PK\x03\x04')]),
  ],
  ['letters behind it', (whole) => Buffer.concat([whole, Buffer.alloc(512, 65)])],
  [
    'zeros in the place of 64 bytes at 60 %',
    (whole) => {
      const changed = Buffer.from(whole);
      const at = Math.floor(whole.length * 0.6);
      return changed.fill(0, at, at + 64);
    },
  ],
];

/** Where the first segment of a JPEG with this marker begins. */
const segment = (jpeg: Buffer, marker: number): number => jpeg.indexOf(Buffer.from([0xff, marker]));

const JPEG: readonly Damage[] = [
  ['stray bytes behind the first mark', (whole) => insert(whole, 2, 'stray')],
  ['stray bytes before DQT', (whole) => insert(whole, segment(whole, 0xdb), Buffer.alloc(18))],
  ['stray bytes before DHT', (whole) => insert(whole, segment(whole, 0xc4), 'ab\xff\x00cd')],
  ['stray bytes before the scan', (whole) => insert(whole, segment(whole, 0xda), '\0\0\0')],
  ['stray bytes before the end', (whole) => insert(whole, whole.length - 2, Buffer.alloc(100))],
  ['a scan header as of old firmware', (whole) => withScan(whole, 0, 0)],
  ['a scan header with odd bits', (whole) => withScan(whole, 0, 63, 0x11)],
  ['a mark of the end too much', (whole) => insert(whole, whole.length, '\xff\xd9')],
  ['its start twice', (whole) => insert(whole, 2, '\xff\xd8')],
  ['a comment longer than the file', (whole) => insert(whole, 2, '\xff\xfe\xff\xff')],
  ['an empty comment', (whole) => insert(whole, 2, '\xff\xfe\0\x02')],
  ['a segment of no length', (whole) => insert(whole, 2, '\xff\xe5\0\0')],
  ['an unknown marker', (whole) => insert(whole, 2, '\xff\xf3\0\x04ab')],
  ['Exif that is none', (whole) => insert(whole, 2, '\xff\xe1\0\x0cExif\0\0II*\0')],
  ['fill bytes before the scan', (whole) => insert(whole, segment(whole, 0xda), '\xff\xff\xff')],
  ['a restart mark too much', (whole) => insert(whole, whole.length - 40, '\xff\xd3')],
  ['the end amid the pixels', (whole) => insert(whole, whole.length >> 1, '\xff\xd9')],
  ['cut at 50 %, then the end', (whole) => Buffer.concat([cut(0.5)(whole), latin1('\xff\xd9')])],
  ['no Huffman tables', (whole) => change(whole, segment(whole, 0xc4) + 1, 0xfe)],
  ['no quantization tables', (whole) => change(whole, segment(whole, 0xdb) + 1, 0xfe)],
];

/** A JPEG whose first scan header has other bounds of the spectrum, and bits. */
function withScan(jpeg: Buffer, first: number, last: number, bits = 0): Buffer {
  const scan = segment(jpeg, 0xda);
  const changed = Buffer.from(jpeg);
  const at = scan + 2 + changed.readUInt16BE(scan + 2);
  changed.set([first, last, bits], at - 3);
  return changed;
}

/** Where the head of a PNG's chunk begins. */
const chunk = (png: Buffer, type: string): number => png.indexOf(type) - 4;

const PNG: readonly Damage[] = [
  ['a wrong checksum of the end', (whole) => change(whole, whole.length - 1, 0)],
  ['no end', (whole) => whole.subarray(0, chunk(whole, 'IEND'))],
  ['a broken text', (whole) => insert(whole, chunk(whole, 'IDAT'), chunkOf('tEXt', 'a\0b', 7))],
  ['a broken profile', (whole) => insert(whole, 33, chunkOf('iCCP', 'x\0\0garbage', 7))],
  ['a gamma of no length', (whole) => insert(whole, 33, chunkOf('gAMA', '', 7))],
  ['a density of a wrong length', (whole) => insert(whole, 33, chunkOf('pHYs', 'abc', 7))],
  ['an unknown chunk', (whole) => insert(whole, 33, chunkOf('abCd', 'abc', 7))],
  ['an unknown chunk that matters', (whole) => insert(whole, 33, chunkOf('ABCD', 'abc', 7))],
  ['stray bytes between chunks', (whole) => insert(whole, chunk(whole, 'IDAT'), '\0\0\0')],
  [
    'a wrong checksum of the pixels',
    (whole) => {
      const at = chunk(whole, 'IDAT');
      const end = at + 8 + whole.readUInt32BE(at);
      return change(whole, end, whole[end]! ^ 1);
    },
  ],
  ['a wrong checksum of the header', (whole) => change(whole, 32, whole[32]! ^ 1)],
  ['pixels without a checksum of zlib', (whole) => withPixels(whole, (all) => all.subarray(0, -4))],
  ['pixels with a wrong checksum of zlib', (whole) => withPixels(whole, (all) => flip(0.999)(all))],
  [
    'pixels with a small window of zlib',
    (whole) => withPixels(whole, (all) => change(change(all, 0, 0x18), 1, 0x19)),
  ],
  [
    'letters behind the pixels',
    (whole) => withPixels(whole, (all) => Buffer.concat([all, latin1('more')])),
  ],
  [
    'a row too few',
    (whole) =>
      withPixels(whole, (all) => deflateSync(inflateSync(all).subarray(0, -(WIDTH * 3 + 1)))),
  ],
  ['a text longer than the file', (whole) => insert(whole, chunk(whole, 'IEND'), '\0\x0f\0\0tEXt')],
];

/** A PNG with one chunk of pixels, its compressed data changed. */
function withPixels(png: Buffer, changed: (compressed: Buffer) => Buffer): Buffer {
  const from = chunk(png, 'IDAT');
  const to = chunk(png, 'IEND');
  const pieces: Buffer[] = [];
  for (let at = from; at < to; at += 12 + png.readUInt32BE(at))
    pieces.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  const content = changed(Buffer.concat(pieces)).toString('latin1');
  const pixels = chunkOf('IDAT', content, crc32(latin1(`IDAT${content}`)));
  return Buffer.concat([png.subarray(0, from), pixels, png.subarray(to)]);
}

/** A chunk of a PNG with this checksum. */
function chunkOf(type: string, content: string, checksum: number): Buffer {
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(content.length, 0);
  ends.writeUInt32BE(checksum, 4);
  return Buffer.concat([ends.subarray(0, 4), latin1(type), latin1(content), ends.subarray(4)]);
}

const GIF: readonly Damage[] = [
  ['zeros before the end', (whole) => insert(whole, whole.length - 1, '\0\0\0')],
  ['letters before the end', (whole) => insert(whole, whole.length - 1, 'abc')],
  ['an unknown extension', (whole) => insert(whole, whole.length - 1, '!\x55\x02ab\0')],
  [
    'a comment that is cut',
    (whole) => insert(whole.subarray(0, -1), whole.length - 1, '!\xfe\x40ab'),
  ],
  ['an application that is none', (whole) => insert(whole, whole.length - 1, '!\xff\x03abc\0')],
  ['an ending sub-block too much', (whole) => insert(whole, whole.length - 1, '\0')],
  [
    'letters in the place of the end',
    (whole) => insert(whole.subarray(0, -1), whole.length, 'abc'),
  ],
  ['an older version', (whole) => change(whole, 4, 0x37)],
];

const WEBP: readonly Damage[] = [
  ['a size too small by one', (whole) => change(whole, 4, whole[4]! - 1)],
  ['a size too large by two', (whole) => change(whole, 4, whole[4]! + 2)],
  ['a size of nothing', (whole) => change(change(change(whole, 4, 0), 5, 0), 6, 0)],
  ['a chunk behind the size', (whole) => Buffer.concat([whole, latin1('EXIF\x04\0\0\0abcd')])],
];

const AVIF: readonly Damage[] = [
  ['a box of zeros behind it', (whole) => Buffer.concat([whole, latin1('\0\0\0\x10free12345678')])],
  ['a box longer than the file', (whole) => Buffer.concat([whole, latin1('\0\0\xff\0free1234')])],
  [
    'a box of pixels longer than the file',
    (whole) => change(whole, whole.indexOf('mdat') - 2, 0x7f),
  ],
  ['half a box behind it', (whole) => Buffer.concat([whole, latin1('\0\0\0')])],
];
