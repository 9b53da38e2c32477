import type { ImageFormat } from '../../../store/tables/tables.ts';

/** What is served of an image: all of it, or small. */
export type Rendition = 'full' | 'icon';

/** Longest side of an icon; pixels. */
export const ICON_SIDE = 256;

/** What tells the formats of an image's renditions. */
export interface ImageFormats {
  /** Of the file as it was sent. */
  readonly format: ImageFormat;
  /** Of its full rendition; `null` for the same. */
  readonly served_format: ImageFormat | null;
}

/** Where images are served, below the base URL. */
export const MEDIA_PATH = '/media';

export const CONTENT_TYPES: Readonly<Record<ImageFormat, string>> = {
  jpeg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
};

const EXTENSIONS: Readonly<Record<ImageFormat, string>> = {
  jpeg: 'jpg',
  png: 'png',
  gif: 'gif',
  webp: 'webp',
  avif: 'avif',
};

/** The format that a rendition of an image has: an icon does not move, so that of a GIF is a PNG. */
export function renditionFormat({ format, served_format }: ImageFormats, rendition: Rendition): ImageFormat {
  if (rendition === 'full') return served_format ?? format;
  return format === 'gif' ? 'png' : format;
}

/** The last part of a rendition's URL: the hash of the file as it was sent, and what is shown of it. */
export function mediaName(hash: string, formats: ImageFormats, rendition: Rendition): string {
  const extension = EXTENSIONS[renditionFormat(formats, rendition)];
  return rendition === 'icon' ? `${hash}-icon.${extension}` : `${hash}.${extension}`;
}

const NAME = /^([0-9a-f]{64})(-icon)?\.([a-z]{3,4})$/;

/** Takes such a name apart; `undefined` when it is none. */
export function parseMediaName(
  name: string,
): { readonly hash: string; readonly rendition: Rendition; readonly extension: string } | undefined {
  const [, hash, icon, extension] = NAME.exec(name) ?? [];
  if (hash === undefined || extension === undefined) return undefined;
  return { hash, rendition: icon === undefined ? 'full' : 'icon', extension };
}

/** The public URL of a rendition. */
export function imageUrl(
  baseUrl: string,
  image: ImageFormats & { readonly hash: string },
  rendition: Rendition,
): string {
  return `${baseUrl}${MEDIA_PATH}/${mediaName(image.hash, image, rendition)}`;
}
