import { deflateSync, gzipSync } from 'node:zlib';
import sharp from 'sharp';
import type { ImageRefusalCode } from '../../../src/contract/errors.ts';
import {
  blackPng,
  box,
  gif,
  gifComment,
  gifFrame,
  png,
  pngChunk,
  pngHeader,
  riff,
  riffChunk,
  webpCanvas,
  withJpegSegment,
  withJpegSize,
} from './containers.ts';

/** A file that must be refused, and how. */
export interface HostileFile {
  readonly name: string;
  readonly bytes: Buffer;
  readonly code: ImageRefusalCode;
}

const latin1 = (text: string): Buffer<ArrayBuffer> => Buffer.from(text, 'latin1');
const HTML = '<!DOCTYPE html><html><body><script>alert(document.domain)</script></body></html>';
const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)" width="1" height="1"><script>alert(1)</script></svg>';
const PHP = '<?php system($_GET["c"]); ?>';
/** A ZIP archive with one empty entry. */
const ZIP = Buffer.concat([
  latin1('PK\x03\x04\x14\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0a'),
  latin1(
    'PK\x01\x02\x14\0\x14\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0a',
  ),
  latin1('PK\x05\x06\0\0\0\0\x01\0\x01\0\x2f\0\0\0\x1f\0\0\0\0\0'),
]);

/** Files of other kinds, whatever they are called: nothing of them is an image that is accepted. */
function otherKinds(): Record<string, Buffer> {
  return {
    'plain text': Buffer.from('hello, 世界'),
    'one byte': latin1('\xff'),
    'zero bytes as content': Buffer.alloc(64),
    HTML: Buffer.from(HTML),
    'HTML after a byte order mark': Buffer.from(`\ufeff${HTML}`),
    'HTML after blanks': Buffer.from(`${' '.repeat(600)}${HTML}`),
    SVG: Buffer.from(SVG),
    'SVG with an XML declaration': Buffer.from(`<?xml version="1.0"?>${SVG}`),
    'SVG in UTF-16': Buffer.from(`\ufeff${SVG}`, 'utf16le'),
    'compressed SVG': gzipSync(SVG),
    'XML with an external entity': Buffer.from(
      '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
    ),
    PDF: latin1(
      '%PDF-1.7\n1 0 obj<</Type/Catalog/OpenAction<</S/JavaScript/JS(app.alert(1))>>>>endobj\n%%EOF',
    ),
    PostScript: latin1('%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 1 1\n'),
    'ZIP archive': ZIP,
    'GIF in a gzip file': gzipSync(gif({})),
    'PHP script': Buffer.from(PHP),
    'shell script': Buffer.from('#!/bin/sh\nrm -rf /\n'),
    JavaScript: Buffer.from('alert(1)'),
    'Windows program': latin1('MZ\x90\0\x03\0\0\0This program cannot be run in DOS mode'),
    'Linux program': latin1('\x7fELF\x02\x01\x01\0'),
    'Java class': latin1('\xca\xfe\xba\xbe\0\0\0\x34'),
    TIFF: latin1('II*\0\x08\0\0\0\0\0'),
    'TIFF, other byte order': latin1('MM\0*\0\0\0\x08\0\0'),
    BMP: latin1('BM\x3a\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x01\0\0\0\x01\0\0\0\x01\0\x18\0'),
    icon: latin1('\0\0\x01\0\x01\0\x10\x10'),
    Photoshop: latin1('8BPS\0\x01\0\0\0\0\0\0\0\x03'),
    PPM: latin1('P6 1 1 255 abc'),
    'ImageMagick script': latin1(
      'push graphic-context\nfill \'url(https://127.0.0.1/x.jpg"|ls "-la)\'\npop graphic-context\n',
    ),
    'JPEG 2000': latin1('\0\0\0\x0cjP  \r\n\x87\n'),
    'JPEG XL': latin1('\xff\x0a\xfa\x1f'),
    'JPEG XL in a container': latin1('\0\0\0\x0cJXL \r\n\x87\n'),
    'MP4 video': Buffer.concat([
      box('ftyp', latin1('isom\0\0\0\0isomavc1')),
      box('mdat', Buffer.alloc(64)),
    ]),
    'WAV sound': riff('WAVE', riffChunk('fmt ', Buffer.alloc(16))),
    'AVI video': riff('AVI ', riffChunk('LIST', Buffer.alloc(16))),
    WebM: latin1('\x1a\x45\xdf\xa3\x01\0\0\0'),
    Flash: latin1('FWS\x09\0\0\0\0'),
    'PNG as a text transfer breaks it': latin1('\x89PNG\n\x1a\n\0\0\0\rIHDR'),
    'GIF of no known version': latin1('GIF90a\x01\0\x01\0\0\0\0;'),
  };
}

/** Images that are something else besides. */
async function polyglots(): Promise<Record<string, Buffer>> {
  const { jpeg, webp, avif } = await pictures();
  const text = (content: string) => pngChunk('tEXt', latin1(`Comment\0${content}`));
  return {
    'JPEG and ZIP': Buffer.concat([jpeg, ZIP]),
    'PNG and ZIP': Buffer.concat([blackPng(2, 2), ZIP]),
    'GIF and ZIP (a Java archive)': Buffer.concat([gif({}), ZIP]),
    'WebP and ZIP': Buffer.concat([webp, ZIP]),
    'AVIF and ZIP': Buffer.concat([avif, box('free', ZIP)]),
    'JPEG and RAR': Buffer.concat([jpeg, latin1('Rar!\x1a\x07\x01\0')]),
    'JPEG and 7z': Buffer.concat([jpeg, latin1('7z\xbc\xaf\x27\x1c\0\x04')]),
    'JPEG followed by HTML': Buffer.concat([jpeg, Buffer.from(HTML)]),
    'JPEG followed by HTML far behind': Buffer.concat([
      jpeg,
      Buffer.alloc(200_000),
      Buffer.from(HTML),
    ]),
    'PNG followed by a program': Buffer.concat([
      blackPng(2, 2),
      latin1('MZ\x90\0This program cannot be run in DOS mode'),
    ]),
    'JPEG followed by a program': Buffer.concat([jpeg, latin1('\x7fELF\x02\x01\x01\0')]),
    'JPEG with PHP in a comment': withJpegSegment(jpeg, 0xfe, PHP),
    'JPEG with a script in Exif': withJpegSegment(jpeg, 0xe1, `Exif\0\0${SVG}`),
    'JPEG with PDF in a comment': withJpegSegment(jpeg, 0xfe, '%PDF-1.7\n1 0 obj'),
    'JPEG with HTML over two segments': withJpegSegment(
      withJpegSegment(jpeg, 0xfe, 'x'),
      0xfe,
      HTML.toUpperCase(),
    ),
    'GIF with a script in a comment': gif({ before: gifComment(`*/=0;${HTML.slice(0, 100)}`) }),
    'GIF followed by a script': Buffer.concat([gif({}), Buffer.from(`/*${HTML}`)]),
    'PNG with a script in a text': png(
      pngHeader(1, 1),
      text(HTML),
      pngChunk('IDAT', deflateSync(Buffer.alloc(2))),
      pngChunk('IEND'),
    ),
    'PNG with PHP behind its end': Buffer.concat([blackPng(2, 2), Buffer.from(PHP)]),
    'WebP with a script in its metadata': riff(
      'WEBP',
      webpCanvas(2, 2, 4),
      webp.subarray(12),
      riffChunk('XMP ', Buffer.from(SVG)),
    ),
    'AVIF followed by HTML': Buffer.concat([avif, box('free', Buffer.from(HTML))]),
  };
}

/** Images that are broken, cut off, or contradict themselves. */
async function broken(): Promise<Record<string, Buffer>> {
  const { jpeg, webp, avif, noise } = await pictures();
  const whole = blackPng(64, 64);
  const animated = gif({ frames: 3 });
  const spoilt = (bytes: Buffer, at: number): Buffer => {
    const changed = Buffer.from(bytes);
    changed[at]! ^= 0xff;
    return changed;
  };
  return {
    'JPEG, only its beginning': jpeg.subarray(0, 3),
    'JPEG cut off in its header': jpeg.subarray(0, 30),
    'JPEG cut off before its pixels': jpeg.subarray(0, jpeg.indexOf(Buffer.from([0xff, 0xda]))),
    'JPEG cut off in the middle': noise.subarray(0, noise.length >> 1),
    'JPEG without pixels': latin1('\xff\xd8\xff\xd9'),
    'JPEG of no width': withJpegSize(jpeg, 0, 10),
    'JPEG with a segment of no length': latin1('\xff\xd8\xff\xe0\0\0'),
    'JPEG beginning twice': Buffer.concat([jpeg.subarray(0, 2), jpeg]),
    'JPEG head with HTML behind it': Buffer.concat([
      latin1('\xff\xd8\xff'),
      Buffer.from('plain words and nothing else'),
    ]),
    'PNG, only its signature': whole.subarray(0, 8),
    'PNG cut off in its pixels': whole.subarray(0, 50),
    'PNG without pixels': png(pngHeader(1, 1), pngChunk('IEND')),
    'PNG of no height': png(
      pngHeader(1, 0),
      pngChunk('IDAT', deflateSync(Buffer.alloc(2))),
      pngChunk('IEND'),
    ),
    'PNG without a header': png(pngChunk('IDAT', deflateSync(Buffer.alloc(2))), pngChunk('IEND')),
    'PNG with two headers': png(
      pngHeader(1, 1),
      pngHeader(2, 2),
      pngChunk('IDAT', deflateSync(Buffer.alloc(2))),
      pngChunk('IEND'),
    ),
    'PNG with a wrong checksum of its header': spoilt(whole, 30),
    'PNG whose pixels are not compressed data': png(
      pngHeader(8, 8),
      pngChunk('IDAT', Buffer.alloc(40, 7)),
      pngChunk('IEND'),
    ),
    'PNG with too few pixels': png(
      pngHeader(8, 800),
      pngChunk('IDAT', deflateSync(Buffer.alloc(20))),
      pngChunk('IEND'),
    ),
    'PNG with a chunk longer than the file': png(pngHeader(1, 1), latin1('\x7f\xff\xff\xffIDAT')),
    'PNG with a bit depth that there is not': png(
      pngHeader(8, 8, 3),
      pngChunk('IDAT', deflateSync(Buffer.alloc(80))),
      pngChunk('IEND'),
    ),
    'PNG with a text of 5 MB': blackPng(2, 2, pngChunk('tEXt', Buffer.alloc(5_000_000, 'a'))),
    'GIF, only its header': animated.subarray(0, 13),
    'GIF cut off in a frame': animated.subarray(0, 45),
    'GIF without frames': gif({ frames: 0 }),
    'GIF with a block that there is not': gif({ before: latin1('\x99') }),
    'GIF of half a million parts': gif({
      before: Buffer.concat([latin1('!\xfe'), latin1('\x01a'.repeat(500_000)), latin1('\0')]),
    }),
    'GIF with a frame of too few pixels': gif({
      width: 500,
      height: 500,
      frame: Buffer.concat([gifFrame(500, 500).subarray(0, 10), latin1('\x0c\x01\0\0')]),
    }),
    'WebP cut off': webp.subarray(0, webp.length - 20),
    'WebP without pixels': riff('WEBP', webpCanvas(4, 4)),
    'WebP whose pixels are none': riff('WEBP', riffChunk('VP8 ', Buffer.alloc(40, 7))),
    'WebP with a chunk longer than the file': riff('WEBP', latin1('VP8L\xff\xff\xff\x7f')),
    'AVIF cut off': avif.subarray(0, avif.length - 20),
    'HEIC without properties': Buffer.concat([
      box('ftyp', latin1('heic\0\0\0\0mif1heic')),
      box('mdat', Buffer.alloc(64)),
    ]),
    'AVIF without properties': Buffer.concat([
      box('ftyp', latin1('avif\0\0\0\0avifmif1')),
      box('mdat', Buffer.alloc(64)),
    ]),
    'AVIF without pixels': Buffer.concat([
      box('ftyp', latin1('avif\0\0\0\0avifmif1')),
      box('meta', Buffer.alloc(4)),
    ]),
    'AVIF with a box longer than the file': Buffer.concat([
      box('ftyp', latin1('avif\0\0\0\0avifmif1')),
      latin1('\x7f\xff\xff\xffmeta'),
    ]),
  };
}

/** Small files that would be very large. */
async function bombs(): Promise<Record<string, Buffer>> {
  const { jpeg } = await pictures();
  const ispe = Buffer.alloc(12);
  ispe.writeUInt32BE(30_000, 4);
  ispe.writeUInt32BE(30_000, 8);
  const avifMeta = box('meta', Buffer.alloc(4), box('iprp', box('ipco', box('ispe', ispe))));
  const frames = riffChunk('ANMF', Buffer.alloc(24));
  return {
    'PNG of 144 megapixels in 18 kB': blackPng(12_000, 12_000),
    'PNG that says 60,000 x 60,000': png(
      pngHeader(60_000, 60_000, 8, 2),
      pngChunk('IDAT', deflateSync(Buffer.alloc(100))),
      pngChunk('IEND'),
    ),
    'PNG that says 2,147,483,647 x 1': png(
      pngHeader(2 ** 31 - 1, 1),
      pngChunk('IDAT', deflateSync(Buffer.alloc(100))),
      pngChunk('IEND'),
    ),
    'JPEG that says 65,500 x 65,500': withJpegSize(jpeg, 65_500, 65_500),
    'GIF that says 65,535 x 65,535': gif({ width: 65_535, height: 65_535 }),
    'GIF with a frame larger than its screen': gif({
      width: 1,
      height: 1,
      frame: gifFrame(60_000, 60_000),
    }),
    'GIF of 1,001 frames': gif({ frames: 1_001 }),
    'GIF of 200 frames of 500 kilopixels': gif({ width: 1_000, height: 500, frames: 200 }),
    'WebP that says 16,384 x 16,384': riff(
      'WEBP',
      webpCanvas(16_384, 16_384),
      riffChunk('VP8 ', latin1('\0\0\0\x9d\x01\x2a\x01\0\x01\0')),
    ),
    'WebP of 300 frames of 1 megapixel': riff(
      'WEBP',
      webpCanvas(1_000, 1_000, 2),
      riffChunk('ANIM', Buffer.alloc(6)),
      ...Array.from({ length: 300 }, () => frames),
    ),
    'HEIC that says 30,000 x 30,000': Buffer.concat([
      box('ftyp', latin1('heic\0\0\0\0mif1heic')),
      avifMeta,
      box('mdat', Buffer.alloc(64)),
    ]),
    'AVIF that says 30,000 x 30,000': Buffer.concat([
      box('ftyp', latin1('avif\0\0\0\0avifmif1')),
      avifMeta,
      box('mdat', Buffer.alloc(64)),
    ]),
  };
}

async function pictures() {
  const plain = sharp({ create: { width: 64, height: 48, channels: 3, background: '#c33' } });
  const noise = sharp({
    create: {
      width: 200,
      height: 200,
      channels: 3,
      background: 'white',
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
    },
  });
  return {
    jpeg: await plain.clone().jpeg().toBuffer(),
    webp: await plain.clone().webp().toBuffer(),
    avif: await plain.clone().avif({ effort: 0 }).toBuffer(),
    noise: await noise.jpeg().toBuffer(),
  };
}

/** Every hostile file, made anew. */
export async function hostileFiles(): Promise<readonly HostileFile[]> {
  const groups: [ImageRefusalCode, Record<string, Buffer>][] = [
    ['ImageTypeRefused', otherKinds()],
    ['ImageTypeRefused', await polyglots()],
    ['ImageUnreadable', await broken()],
    ['ImageTooLarge', await bombs()],
  ];
  return groups.flatMap(([code, files]) =>
    Object.entries(files).map(([name, bytes]) => ({ name, bytes, code })),
  );
}
