import { randomBytes } from 'node:crypto';
import sharp, { type Sharp } from 'sharp';

/** A picture whose four quarters tell which way up it is: red, green, blue and white, clockwise from top left. */
function quarters(width: number, height: number): Sharp {
  const colours = ['#e00000', '#00c000', '#ffffff', '#0000e0'];
  const [halfWidth, halfHeight] = [width / 2, height / 2];
  const places = [
    [0, 0],
    [halfWidth, 0],
    [0, halfHeight],
    [halfWidth, halfHeight],
  ] as const;
  const tiles = places.map(([left, top], index) => ({
    input: {
      create: {
        width: halfWidth,
        height: halfHeight,
        channels: 3 as const,
        background: colours[index]!,
      },
    },
    left,
    top,
  }));
  return sharp({ create: { width, height, channels: 3, background: '#000' } }).composite(tiles);
}

/** Where and with what a photograph was taken, which nobody is to learn from what is served. */
const EXIF = {
  IFD0: { Make: 'Spycam', Model: 'SECRET-MODEL', Copyright: 'Jane Doe' },
  IFD3: {
    GPSLatitudeRef: 'N',
    GPSLatitude: '51/1 30/1 3230/100',
    GPSLongitudeRef: 'W',
    GPSLongitude: '0/1 7/1 4366/100',
  },
};

/** A photograph of a camera held upright: 320 x 480 as it is shown, 480 x 320 as it is stored, with its place. */
export function cameraJpeg(): Promise<Buffer> {
  return quarters(480, 320)
    .withExif(EXIF)
    .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/"><secret>XMP-SECRET</secret></x:xmpmeta>')
    .withMetadata({ orientation: 6 })
    .withExif({ ...EXIF, IFD0: { ...EXIF.IFD0, Orientation: '6' } })
    .jpeg({ quality: 95 })
    .toBuffer();
}

/** A photograph in the colours of a wide-gamut screen. */
export function wideGamutJpeg(): Promise<Buffer> {
  return quarters(200, 200).withIccProfile('p3').jpeg({ quality: 95 }).toBuffer();
}

/** A photograph ready for a printing press. */
export function cmykJpeg(): Promise<Buffer> {
  return quarters(200, 200)
    .toColourspace('cmyk')
    .withIccProfile('cmyk')
    .jpeg({ quality: 95 })
    .toBuffer();
}

/** A scan of 16 bits a channel. */
export function deepPng(): Promise<Buffer> {
  return quarters(200, 100).toColourspace('rgb16').png().toBuffer();
}

/** An image that one can look through. */
export function transparentPng(): Promise<Buffer> {
  return sharp({
    create: {
      width: 300,
      height: 150,
      channels: 4,
      background: { r: 200, g: 0, b: 0, alpha: 0.5 },
    },
  })
    .png()
    .toBuffer();
}

/** A drawing with a palette, as most drawings and screenshots on the web, one part of it half transparent. */
export function palettePng(): Promise<Buffer> {
  const circles = Array.from({ length: 20 }, (_, at) => {
    const colour = `rgb(${at * 12}, ${255 - at * 9}, ${at * 5})`;
    return `<circle cx="${30 + at * 17}" cy="${40 + ((at * 53) % 160)}" r="30" fill="${colour}" opacity="${at === 7 ? 0.5 : 1}"/>`;
  });
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="240">${circles.join('')}</svg>`;
  return sharp(Buffer.from(drawing)).png({ palette: true, dither: 0 }).toBuffer();
}

/** A photograph as a PNG: its neighbouring pixels differ little, and hardly two are equal. */
export function photographPng(): Promise<Buffer> {
  const [width, height] = [400, 300];
  const pixels = Buffer.alloc(width * height * 3);
  for (let at = 0; at < pixels.length; at++) {
    const [x, y] = [Math.floor(at / 3) % width, Math.floor(at / 3 / width)];
    pixels[at] =
      128 + 80 * Math.sin(x / 60 + (at % 3)) * Math.cos(y / 45) + ((at * 2_654_435_761) % 8);
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .png({ adaptiveFiltering: true })
    .toBuffer();
}

/** An animation: 400 x 300, its frames red, green and blue, 120 ms each. */
export async function animation(format: 'gif' | 'webp'): Promise<Buffer> {
  const frames = await Promise.all(
    ['#e00000', '#00c000', '#0000e0'].map((background) =>
      sharp({ create: { width: 400, height: 300, channels: 3, background } })
        .png()
        .toBuffer(),
    ),
  );
  const joined = sharp(frames, { join: { animated: true } });
  const options = { delay: [120, 120, 120], loop: 0 };
  return format === 'gif'
    ? joined.gif(options).toBuffer()
    : joined.webp({ ...options, lossless: true }).toBuffer();
}

/** A photograph of a new phone, with its place. */
export function phoneAvif(): Promise<Buffer> {
  return quarters(320, 240).withExif(EXIF).avif({ effort: 0, quality: 80 }).toBuffer();
}

/** A photograph with a video behind it, as phones make "motion photos". */
export async function motionPhoto(): Promise<Buffer> {
  const jpeg = await quarters(200, 100).jpeg().toBuffer();
  return Buffer.concat([
    jpeg,
    Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0isommp42', 'latin1'),
    Buffer.alloc(50_000, 7),
  ]);
}

/** A photograph of many megapixels that says little. */
export function largeJpeg(width: number, height: number): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: '#68a' } })
    .jpeg()
    .toBuffer();
}

/** An image of 24 megapixels that takes 100 ms of CPU or more: a progressive one is decoded whole, then shrunk. */
export function slowJpeg(): Promise<Buffer> {
  return sharp({ create: { width: 6_000, height: 4_000, channels: 3, background: '#68a' } })
    .jpeg({ progressive: true })
    .toBuffer();
}

/** A photograph with as much detail as one of a camera, and its place. */
export async function detailedJpeg(width: number, height: number): Promise<Buffer> {
  const detail = (side: number) =>
    sharp({
      create: {
        width: Math.ceil(width / side),
        height: Math.ceil(height / side),
        channels: 3,
        background: '#888',
        noise: { type: 'gaussian', mean: 128, sigma: 40 },
      },
    }).resize(width, height, { fit: 'fill', kernel: 'cubic' });
  // Not compressed in between, which takes seconds.
  const fine = await detail(6).ensureAlpha(0.35).raw().toBuffer();
  const coarse = await detail(64).raw().toBuffer();
  return sharp(coarse, { raw: { width, height, channels: 3 } })
    .composite([{ input: fine, raw: { width, height, channels: 4 } }])
    .withExif({ IFD0: { Make: 'Camera' }, IFD3: { GPSLatitude: '48/1 0/1 0/1' } })
    .jpeg({ quality: 90 })
    .toBuffer();
}

/** A picture that does not compress: at least as many bytes as pixels. */
export function noisyPng(side: number): Promise<Buffer> {
  const raw = { width: side, height: side, channels: 3 } as const;
  return sharp(randomBytes(side * side * 3), { raw })
    .png({ compressionLevel: 0 })
    .toBuffer();
}
