/** What adverts can be sorted by. */
export type OrderField = 'created' | 'title' | 'deadline' | 'category';

/** The order of a list of adverts; ties are broken by the key, in the same direction. */
export interface Order {
  readonly field: OrderField;
  readonly direction: 'asc' | 'desc';
}

/** An order, and a sentence about each word that was not understood. */
export interface ReadOrder {
  readonly order: Order;
  readonly warnings: readonly string[];
}

const FIELDS: readonly OrderField[] = ['created', 'title', 'deadline', 'category'];
const DIRECTIONS: readonly Order['direction'][] = ['asc', 'desc'];
const DEFAULT: Order = { field: 'created', direction: 'desc' };

/**
 * Reads `orderBy` and `sort`, in any case (semantics 5.9). What is empty is the default, newest first; so is what is
 * not known, with a warning.
 */
export function orderOf(orderBy: string | undefined, sort: string | undefined): ReadOrder {
  const warnings: string[] = [];
  const choose = <Word extends string>(name: string, text: string | undefined, words: readonly Word[], other: Word) => {
    const given = (text ?? '').trim().toLowerCase();
    const known = words.find((word) => word === given);
    if (known === undefined && given !== '') {
      warnings.push(`${name} is not known and ${other} was used; known are ${words.join(', ')}.`);
    }
    return known ?? other;
  };
  const field = choose('orderBy', orderBy, FIELDS, DEFAULT.field);
  const direction = choose('sort', sort, DIRECTIONS, DEFAULT.direction);
  return { order: { field, direction }, warnings };
}
