/** What images can be sorted by. */
export type OrderField = 'created' | 'size' | 'category';

/** The order of a list of images; ties are broken by the key, in the same direction. */
export interface Order {
  readonly field: OrderField;
  readonly direction: 'asc' | 'desc';
}

/** An order, and a sentence when the words were not understood. */
export interface ReadOrder {
  readonly order: Order;
  readonly warnings: readonly string[];
}

/** The orders by their names, each with the direction that people expect when they name none. */
const ORDERS: ReadonlyMap<string, Order> = new Map([
  ['created', { field: 'created', direction: 'desc' }],
  ['size', { field: 'size', direction: 'desc' }],
  ['category', { field: 'category', direction: 'asc' }],
]);

const DEFAULT: Order = { field: 'created', direction: 'desc' };

/**
 * Reads `orderBy` (semantics 5.6), in any case: newest first, largest first or categories from A to Z, each followed by
 * `asc` or `desc` for the other way round. What is empty is newest first; so is what is not known, with a warning.
 */
export function orderOf(orderBy: string | undefined): ReadOrder {
  const text = (orderBy ?? '').trim().toLowerCase();
  if (text === '') return { order: DEFAULT, warnings: [] };
  const [name = '', direction, ...rest] = text.split(/\s+/);
  const named = ORDERS.get(name);
  if (named === undefined || rest.length > 0 || !(direction === undefined || isDirection(direction))) {
    const warning =
      'orderBy was not understood and is taken as created; it can be created, created asc, size, category.';
    return { order: DEFAULT, warnings: [warning] };
  }
  return { order: { ...named, direction: direction ?? named.direction }, warnings: [] };
}

function isDirection(word: string): word is Order['direction'] {
  return word === 'asc' || word === 'desc';
}
