import type { ImageFormat } from '../../../store/tables/tables.ts';

/** What is served of an image: all of it, or small. */
export type Rendition = 'full' | 'icon';

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
export function renditionFormat(format: ImageFormat, rendition: Rendition): ImageFormat {
  return rendition === 'icon' && format === 'gif' ? 'png' : format;
}

/** The last part of a rendition's URL: the hash of the file as it was sent, and what is shown of it. */
export function mediaName(hash: string, format: ImageFormat, rendition: Rendition): string {
  const extension = EXTENSIONS[renditionFormat(format, rendition)];
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
  { hash, format }: { readonly hash: string; readonly format: ImageFormat },
  rendition: Rendition,
): string {
  return `${baseUrl}${MEDIA_PATH}/${mediaName(hash, format, rendition)}`;
}
