/** Stores the value of an element. */
export type TakeValue = (value: unknown) => void;

/**
 * The destination of an element's value: a member of an object, an item of a list, or a function.
 */
export interface ValueTarget {
  readonly holder: Record<string, unknown> | unknown[] | TakeValue;

  readonly index: number | undefined;
  /** The name of the member; `''` for an item of a list without a member. */
  readonly name: string;
}

/** An object or a list, whose parts are set by name or place. */
export type Holder = Record<string | number, unknown>;

/** Discards the value. */
export const NOWHERE: ValueTarget = { holder: () => {}, index: undefined, name: '' };

/** Stores a value in its destination. */
export function storeValue({ holder, index, name }: ValueTarget, value: unknown): void {
  if (typeof holder === 'function') holder(value);
  else if (index === undefined) (holder as Record<string, unknown>)[name] = value;
  else (holder as unknown[])[index] = value;
}

/** Reserves the next item of a list, whose value may be stored after those of later items. */
export function reserveItem(list: unknown[], name: string): ValueTarget {
  return { holder: list, index: list.push(undefined) - 1, name };
}

/** The list in a property; creates it if necessary. */
export function listIn(value: Record<string, unknown>, property: string): unknown[] {
  value[property] ??= [];
  return value[property] as unknown[];
}

/** A path with one step more: the name of a member, or the place of an item. */
export function pathWith(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`;
  return path === '' ? key : `${path}.${key}`;
}

/** Names and indexes as a path. */
export function pathOf(frames: readonly { readonly to: ValueTarget }[]): string {
  let path = '';
  for (const { to } of frames) {
    if (to.name !== '') path = pathWith(path, to.name);
    if (to.index !== undefined) path = pathWith(path, to.index);
  }
  return path;
}
