import { decodePercent } from './percent.ts';

// A pattern such as /upload/*/*/{key}.jpg or /go.aspx?id={code}.

/** A pattern for a path with query that contains a key. */
export interface PathPattern {
  readonly segments: readonly Part[];
  /** By parameter, in lower case; others may be there too. */
  readonly parameters: ReadonlyMap<string, Part>;
}

/**
 * A segment or a value: a text, or the texts before and after the key, or any. In lower case, since
 * paths are compared without case, as by IIS.
 */
type Part = { readonly text: string } | { readonly before: string; readonly after: string } | 'any';

/** A key that a request target holds. */
export interface KeyInPath {
  readonly key: string;
  /** The parameters that the pattern does not have, with a question mark; `''` for none. */
  readonly query: string;
}

/** Longest key, in characters. */
const KEY_CHARS = 64;

/** Longest request target, in characters; a longer one has no key. */
const TARGET_CHARS = 2_048;

/** A path with query in the allowed characters. */
const PLAIN = /^\/[A-Za-z0-9._~\-/?=&{}*]*$/;

/**
 * Parses a pattern. It has exactly one placeholder, behind a first segment that is a text; `*`
 * stands for one segment, such as a year.
 * @param place the placeholder: `{key}` or `{code}`.
 * @returns `undefined` for an invalid pattern.
 */
export function parsePathPattern(text: string, place: string): PathPattern | undefined {
  if (!PLAIN.test(text) || text.split(place).length !== 2) return undefined;
  const [path = '', query, ...more] = text.split('?');
  const segments = path
    .slice(1)
    .split('/')
    .map((segment) => partOf(segment, place));
  const pairs = query === undefined ? [] : query.split('&').map((pair) => pair.split('='));
  const parameters = new Map(
    pairs.map(([name = '', value = '']) => [name.toLowerCase(), partOf(value, place)]),
  );
  const all = [...segments, ...parameters.values()];
  const isWrong =
    more.length > 0 || pairs.some((pair) => pair.length !== 2) || all.includes(undefined);
  const [first] = segments;
  const isTooWide = typeof first !== 'object' || !('text' in first) || first.text === '';
  return isWrong || isTooWide ? undefined : ({ segments, parameters } as PathPattern);
}

/** @returns `undefined` for a text that is none. */
function partOf(text: string, place: string): Part | undefined {
  if (text === '*') return 'any';
  const [before = '', after] = text.toLowerCase().split(place);
  if (/[{}*]/.test(before + (after ?? ''))) return undefined;
  return after === undefined ? { text: before } : { before, after };
}

/**
 * Finds the key in a request target that matches a pattern. Parameters may stand in any order, and
 * trackers append others.
 * @param target path and query as sent.
 * @returns `undefined` when the target does not match.
 */
export function keyInPath(pattern: PathPattern, target: string): KeyInPath | undefined {
  if (target.length > TARGET_CHARS) return undefined;
  const at = target.indexOf('?');
  const [path, query] = at < 0 ? [target, ''] : [target.slice(0, at), target.slice(at + 1)];
  const segments = path.slice(1).split('/');
  if (segments.length !== pattern.segments.length) return undefined;
  const found = new Found();
  const isPath = segments.every((segment, at) => found.take(pattern.segments[at]!, segment));
  if (!isPath) return undefined;
  const rest: string[] = [];
  const left = new Map(pattern.parameters);
  for (const pair of query === '' ? [] : query.split('&')) {
    const [name = '', ...value] = pair.split('=');
    const part = left.get(name.toLowerCase());
    if (part === undefined) rest.push(pair);
    else if (found.take(part, value.join('='))) left.delete(name.toLowerCase());
    else return undefined;
  }
  if (left.size > 0 || found.key === undefined) return undefined;
  return { key: found.key, query: rest.length === 0 ? '' : `?${rest.join('&')}` };
}

/** The key, once the part that has it was compared. */
class Found {
  key: string | undefined;

  /** @returns whether a segment or value as sent matches. */
  take(part: Part, sent: string): boolean {
    const compared = sent.toLowerCase();
    if (part === 'any') return sent !== '';
    if ('text' in part) return compared === part.text;
    const { before, after } = part;
    if (sent.length < before.length + after.length) return false;
    if (!compared.startsWith(before) || !compared.endsWith(after)) return false;
    this.key = keyOf(sent.slice(before.length, sent.length - after.length));
    return this.key !== undefined;
  }
}

function keyOf(written: string): string | undefined {
  const key = decodePercent(written);
  if (key === undefined || key === '' || key.length > KEY_CHARS) return undefined;
  return /[/?&#]/.test(key) ? undefined : key;
}
