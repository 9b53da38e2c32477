import { decodePercent } from './percent.ts';

/** A pattern for a path with query that contains a key: the texts before and after the key. */
export interface PathPattern {
  /** In lower case, since paths are compared without case, as by IIS. */
  readonly before: string;
  readonly after: string;
}

/** Longest key, in characters. */
const KEY_CHARS = 64;

/** Longest request target, in characters; a longer one has no key. */
const TARGET_CHARS = 2_048;

/** A path with query in the allowed characters. */
const PLAIN = /^\/[A-Za-z0-9._~\-/?=&{}]*$/;

/**
 * Parses a pattern such as `/upload/{key}.jpg` or `/go.aspx?id={code}`. It has exactly one placeholder, so that a match
 * takes one comparison of the start and one of the end.
 * @param place the placeholder: `{key}` or `{code}`.
 * @returns `undefined` for an invalid pattern.
 */
export function parsePathPattern(text: string, place: string): PathPattern | undefined {
  const parts = text.split(place);
  const [before = '', after = ''] = parts.map((part) => part.toLowerCase());
  const hasOther = /[{}]/.test(before + after);
  if (
    parts.length !== 2 ||
    hasOther ||
    !PLAIN.test(text) ||
    before === '/' ||
    text.split('?').length > 2
  ) {
    return undefined;
  }
  return { before, after };
}

/**
 * Finds the key in a request target that matches a pattern. A key contains no slash and no further parameter.
 * @param target path and query as sent.
 * @returns `undefined` when the target does not match.
 */
export function keyInPath({ before, after }: PathPattern, target: string): string | undefined {
  // Trackers append parameters to a path; they are ignored.
  const looked = before.includes('?') || after.includes('?') ? target : target.split('?', 1)[0]!;
  if (looked.length > TARGET_CHARS || looked.length < before.length + after.length)
    return undefined;
  const compared = looked.toLowerCase();
  if (!compared.startsWith(before) || !compared.endsWith(after)) return undefined;
  const written = looked.slice(before.length, looked.length - after.length);
  const key = decodePercent(written);
  return key !== undefined && key !== '' && key.length <= KEY_CHARS && !/[/?&#]/.test(key)
    ? key
    : undefined;
}
