import { hasCopy } from '../failure/answer-headers.ts';

/** Returns the value of a request header; `undefined` if it is absent. */
export type RequestHeader = (name: string) => string | undefined;

/**
 * Whether the client's copy is current (RFC 9110, 13.1.2 and 13.1.3): by If-None-Match if present,
 * otherwise by If-Modified-Since.
 * @param etag a strong entity tag with its quotes.
 */
export function isNotModified(header: RequestHeader, etag: string, modified: Date): boolean {
  const noneMatch = header('if-none-match');
  if (noneMatch !== undefined) return hasCopy(noneMatch, etag);
  const since = header('if-modified-since');
  return since !== undefined && wholeSeconds(modified) <= Date.parse(since);
}

/** The representation that a range belongs to. */
export interface Whole {
  readonly bytes: number;
  readonly etag: string;
  readonly modified: Date;
}

/** Bytes from `start` to `end`, both included. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * Returns the requested range (RFC 9110, 14.2). `undefined`, the whole: if no range or several are
 * requested, the header is invalid, or If-Range names another version.
 */
export function rangeOf(
  header: RequestHeader,
  { bytes, etag, modified }: Whole,
): Range | 'unsatisfiable' | undefined {
  const condition = header('if-range')?.trim();
  if (
    condition !== undefined &&
    condition !== etag &&
    Date.parse(condition) !== wholeSeconds(modified)
  )
    return undefined;
  const [, from, to] =
    /^bytes=([0-9]{0,15})-([0-9]{0,15})$/i.exec(header('range')?.trim() ?? '') ?? [];
  if (from === undefined || to === undefined || (from === '' && to === '')) return undefined;
  if (from === '') {
    const last = Number(to);
    return last === 0 || bytes === 0
      ? 'unsatisfiable'
      : { start: Math.max(0, bytes - last), end: bytes - 1 };
  }
  const start = Number(from);
  if (to !== '' && Number(to) < start) return undefined;
  if (start >= bytes) return 'unsatisfiable';
  return { start, end: to === '' ? bytes - 1 : Math.min(Number(to), bytes - 1) };
}

/** Truncates an instant to seconds, as HTTP dates are; ms. */
function wholeSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000) * 1000;
}
