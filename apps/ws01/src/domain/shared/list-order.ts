/** The order of a list; ties are broken by the key, in the same direction. */
export interface Order<Field extends string> {
  readonly field: Field;
  readonly direction: Direction;
}

type Direction = 'asc' | 'desc';

/** The sort fields of a list, each with its default direction. */
export type OrderFields<Field extends string> = Readonly<Record<Field | 'created', Direction>>;

/** An order, and a warning for each unknown word. */
export interface ReadOrder<Field extends string> {
  readonly order: Order<Field | 'created'>;
  readonly warnings: readonly string[];
}

export function nameOfOrder({ field, direction }: Order<string>): string {
  return `${field} ${direction}`;
}

/** Unknown words are shown up to this many characters. */
const SHOWN_CHARS = 50;

/**
 * Parses the order of a list (semantics 5.6, semantics 5.9), case-insensitive: a field, optionally
 * followed by `asc` or `desc`; `sort`, if the operation has it, overrides the direction. Empty
 * means newest first; so does an unknown field, with a warning.
 *
 * @param sort `undefined` where the operation has no such parameter.
 */
export function orderOf<Field extends string>(
  fields: OrderFields<Field>,
  orderBy: string | undefined,
  sort?: string,
): ReadOrder<Field> {
  const warnings: string[] = [];
  const [name = '', behind, ...rest] = wordsOf(orderBy);
  const known =
    rest.length === 0 && (behind === undefined || isDirection(behind))
      ? fieldOf(fields, name)
      : undefined;
  if (known === undefined && name !== '') warnings.push(unknown('orderBy', orderBy, 'created'));
  const field = known ?? 'created';
  const named =
    known !== undefined && behind !== undefined && isDirection(behind) ? behind : fields[field];
  const [direction, ...more] = wordsOf(sort);
  if (direction === undefined) return { order: { field, direction: named }, warnings };
  if (isDirection(direction) && more.length === 0) return { order: { field, direction }, warnings };
  warnings.push(unknown('sort', sort, named));
  return { order: { field, direction: named }, warnings };
}

function wordsOf(text: string | undefined): readonly string[] {
  const trimmed = (text ?? '').trim().toLowerCase();
  return trimmed === '' ? [] : trimmed.split(/\s+/);
}

function fieldOf<Field extends string>(
  fields: OrderFields<Field>,
  name: string,
): Field | 'created' | undefined {
  return Object.hasOwn(fields, name) ? (name as Field) : undefined;
}

function isDirection(word: string): word is Direction {
  return word === 'asc' || word === 'desc';
}

function unknown(name: string, text: string | undefined, used: string): string {
  const [...characters] = (text ?? '').trim();
  const shown =
    characters.length > SHOWN_CHARS
      ? `${characters.slice(0, SHOWN_CHARS).join('')}…`
      : characters.join('');
  return `${name} "${shown}" is unknown; ${used} was used.`;
}
