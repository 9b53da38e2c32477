import { invalid } from './problem.ts';

/** The sort values of the last row of a page; the next page begins after it. */
export type Cursor = readonly (string | number)[];

/** Maximum length of a cursor, in UTF-16 code units. Two keys of 64 four-byte characters fit. */
const CURSOR_CHARS = 1_024;

/** Encodes a cursor as text that is opaque to clients. */
export function writeCursor(order: string, cursor: Cursor): string {
  return Buffer.from(JSON.stringify([order, ...cursor])).toString('base64url');
}

/** A time-ordered key (UUIDv7) begins with its instant. */
const TIMED_KEY = /^([\da-f]{8})-([\da-f]{4})(?:-|$)/;

/**
 * The instant of the record that a cursor stands at, ms; `undefined` where the list has another order
 * than that of creation.
 */
export function instantOf(text: string): number | undefined {
  const [named, first] = parsed(text);
  if (!/^~?-?created$/.test(String(named))) return undefined;
  if (typeof first === 'number') return first;
  const [, high, low] = TIMED_KEY.exec(String(first)) ?? [];
  return high === undefined ? undefined : Number.parseInt(high + low, 16);
}

/** The name of the order that a cursor is of. */
export const orderNamed = (text: string): unknown =>
  text.length > CURSOR_CHARS ? undefined : parsed(text)[0];

/**
 * Decodes a cursor from a list with the same order.
 * @throws {Ws01Error} `InvalidParameter`
 */
export function readCursor(
  text: string,
  order: string,
  columns: readonly { readonly type: 'string' | 'number' }[],
): Cursor {
  const [named, ...values] = text.length > CURSOR_CHARS ? [] : parsed(text);
  const fits =
    named === order &&
    values.length === columns.length &&
    values.every((value, index) =>
      columns[index]!.type === 'number' ? Number.isSafeInteger(value) : isPlainText(value),
    );
  if (!fits)
    throw invalid('cursor', 'cursor is not one of this list in this order; begin without one.');
  return values as Cursor;
}

/** Whether a value is a text without NUL characters, which PostgreSQL rejects. */
function isPlainText(value: unknown): boolean {
  return typeof value === 'string' && value.isWellFormed() && !value.includes('\0');
}

function parsed(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
