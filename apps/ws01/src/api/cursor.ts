import { invalid } from './problem.ts';

/** The sort values of the last row of a page; the next page begins after it. */
export type Cursor = readonly (string | number)[];

/** Maximum length of a cursor, in UTF-16 code units. Two keys of 64 four-byte characters fit. */
const CURSOR_CHARS = 1_024;

/** Encodes a cursor as text that is opaque to clients. */
export function writeCursor(order: string, cursor: Cursor): string {
  return Buffer.from(JSON.stringify([order, ...cursor])).toString('base64url');
}

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
