/** A path or query in which one part is a key: what stands before it and behind it. */
export interface PathPattern {
  /** In lower case, as they are compared: IIS made no difference. */
  readonly before: string;
  readonly after: string;
}

/** Longest key, as records have them. */
const KEY_CHARS = 64;

/** Longest target that is looked at, in characters. */
const TARGET_CHARS = 2_048;

/** What paths and queries are written in. */
const PLAIN = /^\/[A-Za-z0-9._~\-/?=&{}]*$/;

/**
 * Reads a pattern such as `/upload/{key}.jpg` or `/go.aspx?id={code}`. No other wildcard: it takes one comparison of its
 * beginning and one of its end, whatever comes.
 * @param place `{key}` or `{code}`; once.
 * @returns `undefined` for what is no such pattern.
 */
export function parsePathPattern(text: string, place: string): PathPattern | undefined {
  const parts = text.split(place);
  const [before = '', after = ''] = parts.map((part) => part.toLowerCase());
  const hasOther = /[{}]/.test(before + after);
  if (parts.length !== 2 || hasOther || !PLAIN.test(text) || before === '/' || text.split('?').length > 2) {
    return undefined;
  }
  return { before, after };
}

/**
 * The key in a request's target, where it is as a pattern says: slashes and further parameters are no part of one.
 * @param target path and query as they were sent.
 */
export function keyInPath({ before, after }: PathPattern, target: string): string | undefined {
  // What trackers add behind a path is no part of it.
  const looked = before.includes('?') || after.includes('?') ? target : target.split('?', 1)[0]!;
  if (looked.length > TARGET_CHARS || looked.length < before.length + after.length) return undefined;
  const compared = looked.toLowerCase();
  if (!compared.startsWith(before) || !compared.endsWith(after)) return undefined;
  const written = looked.slice(before.length, looked.length - after.length);
  const key = decoded(written);
  return key !== undefined && key !== '' && key.length <= KEY_CHARS && !/[/?&#]/.test(key) ? key : undefined;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
