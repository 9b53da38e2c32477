import { placeText } from '../store/record-index.ts';
import type { Slice } from '../store/record-search.ts';
import type { Cursor } from './cursor.ts';
import type { PagePlan } from './list-sql.ts';

type Direction = Pick<PagePlan, 'order' | 'descending'>;

/** The slices that may have rows after one, in the order of the list. */
export function slicesAfter(
  { descending }: Direction,
  slices: readonly Slice[],
  after: Cursor | undefined,
): readonly Slice[] {
  const place = after && placeText(after[0]!);
  const isAfter = ({ first, last }: Slice) =>
    place === undefined || (descending ? first <= place : last >= place);
  const isFirst = (one: Slice, other: Slice) =>
    descending ? one.last > other.last : one.first < other.first;
  return slices.filter(isAfter).toSorted((one, other) => (isFirst(one, other) ? -1 : 1));
}

/** The slices that may have rows within the bounds of a page. */
export const slicesWithin = (
  { bounds }: Pick<PagePlan, 'bounds'>,
  slices: readonly Slice[],
): readonly Slice[] =>
  slices.filter(({ first, last }) =>
    bounds.every(({ operator, limit }) =>
      operator === '<' ? first < placeText(limit) : last >= placeText(limit),
    ),
  );

/** Whether a row comes before all of some slices. */
export function isBefore<Row>(
  { descending }: Direction,
  row: FoundRow<Row>,
  [next]: readonly Slice[],
): boolean {
  const place = placeText(row.cursor_0!);
  return next === undefined || (descending ? place > next.last : place < next.first);
}

/** A place in the list before all of some slices. */
export function edgeOf(
  { order, descending }: Direction,
  [next]: readonly Slice[],
): Cursor | undefined {
  if (next === undefined) return undefined;
  const { type } = order[0]!;
  const place = descending ? next.last : next.first;
  if (type === 'string') return [descending ? `${place} ` : place.slice(0, -1)];
  const beside = Number(place) + (descending ? 1 : -1);
  // Of two columns, no key is lower than an empty one, and none is higher than this character.
  return order.length === 1 ? [beside] : [beside, descending ? '' : '\u{10ffff}'];
}

/** The later of two places of a list: of a row, and before a slice. */
export function laterOf(
  plan: Direction,
  after: Cursor | undefined,
  slice: Slice,
): Cursor | undefined {
  const edge = edgeOf(plan, [slice])!;
  return after === undefined || isAfter(plan, rowAt(edge), after) ? edge : after;
}

/** Compares two rows by the order of a list, texts as the databases do: byte by byte. */
export function compareRows({ order, descending }: Direction, one: Placed, other: Placed): number {
  const compared = order.map(({ type }, at) => {
    const [a, b] = [one[`cursor_${at}`]!, other[`cursor_${at}`]!];
    return type === 'number'
      ? Number(a) - Number(b)
      : Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)));
  });
  return (compared.find((difference) => difference !== 0) ?? 0) * (descending ? -1 : 1);
}

/** Whether a row comes after a place in the list. */
export function isAfter(plan: Direction, row: Placed, place: Cursor): boolean {
  return compareRows(plan, row, rowAt(place)) > 0;
}

/** The earlier of two places of a list, of which one may be its end. */
export function earlierOf(plan: Direction, one: Cursor, other: Cursor | undefined): Cursor {
  return other !== undefined && isAfter(plan, rowAt(one), other) ? other : one;
}

const rowAt = (place: Cursor): Placed =>
  Object.fromEntries(place.map((value, at) => [`cursor_${at}`, value]));

/** The values that a list is ordered by, as columns of a row. */
type Placed = Record<string, string | number>;

/** A row with these. */
export type FoundRow<Row> = Row & Placed;
