import { MEDIA_PATH } from '../domain/values/image-url.ts';

/**
 * Texts that are no segment of a path by themselves: browsers resolve `.` and `..`, and `new` and `upload` are forms.
 */
const TAKEN = /^(?:\.\.?|new|upload)$/;

/**
 * Returns the key of a record as a segment of a path, of the console or the API. A blank, which no key begins with,
 * keeps a key apart from what the path would mean otherwise; the API ignores it.
 */
export function segmentOf(key: string): string {
  return encodeURIComponent(TAKEN.test(key) ? ` ${key}` : key.toWellFormed());
}

/** The path of an image below the service. */
export const mediaPathOf = (url: string): string => url.slice(url.lastIndexOf(`${MEDIA_PATH}/`));
