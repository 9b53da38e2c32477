import type { ImageFormat } from '../../store/tables/tables.ts';

/** The renditions: full size, or small. */
export type Rendition = 'full' | 'icon';

/** Longest side of an icon; pixels. */
export const ICON_SIDE = 256;

/** The widths in which images are served with `?w=`; pixels. */
export const WIDTHS = [320, 640, 1280, 1920] as const;

/** The formats of an image. */
export interface ImageFormats {
  /** Of the original file. */
  readonly format: ImageFormat;
  /** Of the full rendition; `null` for the same. */
  readonly served_format: ImageFormat | null;
}

/** The path of images below the base URL. */
export const MEDIA_PATH = '/media';

export const CONTENT_TYPES: Readonly<Record<ImageFormat, string>> = {
  jpeg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  heic: 'image/heic',
};

const EXTENSIONS: Readonly<Record<ImageFormat, string>> = {
  jpeg: 'jpg',
  png: 'png',
  gif: 'gif',
  webp: 'webp',
  avif: 'avif',
  heic: 'heic',
};

/**
 * Returns the format of a rendition. Icons are not animated, so the icon of a GIF is a PNG; the
 * icon of a HEIC is a JPEG.
 */
export function renditionFormat(
  { format, served_format }: ImageFormats,
  rendition: Rendition,
): ImageFormat {
  if (rendition === 'full') return served_format ?? format;
  if (format === 'gif') return 'png';
  return format === 'heic' ? 'jpeg' : format;
}

/**
 * Returns the last segment of a rendition's URL: the hash of the original file and the rendition.
 */
export function mediaName(hash: string, formats: ImageFormats, rendition: Rendition): string {
  const extension = EXTENSIONS[renditionFormat(formats, rendition)];
  return rendition === 'icon' ? `${hash}-icon.${extension}` : `${hash}.${extension}`;
}

const NAME = /^([0-9a-f]{64})(-icon)?\.([a-z]{3,4})$/;

/** Parses such a name; `undefined` if it is invalid. */
export function parseMediaName(
  name: string,
):
  | { readonly hash: string; readonly rendition: Rendition; readonly extension: string }
  | undefined {
  const [, hash, icon, extension] = NAME.exec(name) ?? [];
  if (hash === undefined || extension === undefined) return undefined;
  return { hash, rendition: icon === undefined ? 'full' : 'icon', extension };
}

/** Returns the public URL of a rendition. */
export function imageUrl(
  baseUrl: string,
  image: ImageFormats & { readonly hash: string },
  rendition: Rendition,
): string {
  // Joined, not added: V8 keeps a sum of texts as its parts, and JSON.stringify takes much longer
  // to write those.
  return [baseUrl, MEDIA_PATH, '/', mediaName(image.hash, image, rendition)].join('');
}

/** What the widths of an image depend on. */
export interface SizedImage {
  /** The size of one frame; pixels. */
  readonly width: number;
  readonly frames: number;
}

/**
 * Returns the URLs of an image by width, as `srcset` of HTML has them; `null` of an animation,
 * which has one size.
 * @param url of its full rendition.
 */
export function srcsetOf(url: string, image: SizedImage): string | null {
  if (image.frames > 1) return null;
  return widthsOf(image)
    .map((width) => `${url}?w=${width} ${Math.min(width, image.width)}w`)
    .join(', ');
}

/**
 * The widths in which an image is kept: it is never enlarged, so the first that is as wide as it is
 * the last.
 */
function widthsOf({ width }: Pick<SizedImage, 'width'>): readonly number[] {
  const last = WIDTHS.findIndex((one) => one >= width);
  return last === -1 ? WIDTHS : WIDTHS.slice(0, last + 1);
}

/** Returns the width that an image is served in when one of {@link WIDTHS} is asked for. */
export function keptWidth(image: Pick<SizedImage, 'width'>, asked: number): number {
  return Math.min(asked, widthsOf(image).at(-1)!);
}
