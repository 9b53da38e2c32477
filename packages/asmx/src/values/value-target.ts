/** Takes what was read of an element. */
export type TakeValue = (value: unknown) => void;

/** Where the value of an element goes: to a member of an object, to a place in a list, or to a function. */
export interface ValueTarget {
  readonly holder: Record<string, unknown> | unknown[] | TakeValue;
  /** The place in a list. */
  readonly index: number | undefined;
  /** The member; `''` for a place in a list that stands by itself. */
  readonly name: string;
}

export const NOWHERE: ValueTarget = { holder: () => {}, index: undefined, name: '' };

/** Brings a value to where it goes. */
export function deliver({ holder, index, name }: ValueTarget, value: unknown): void {
  if (typeof holder === 'function') holder(value);
  else if (index === undefined) (holder as Record<string, unknown>)[name] = value;
  else (holder as unknown[])[index] = value;
}

/** The next place in a list: what it gets may come later than what is behind it. */
export function placeIn(list: unknown[], name: string): ValueTarget {
  return { holder: list, index: list.push(undefined) - 1, name };
}

/** The list that a property holds. */
export function listIn(value: Record<string, unknown>, property: string): unknown[] {
  value[property] ??= [];
  return value[property] as unknown[];
}

/** Names and indexes as a path. */
export function pathOf(frames: readonly { readonly to: ValueTarget }[]): string {
  let path = '';
  for (const { to } of frames) {
    if (to.name !== '') path += path === '' ? to.name : `.${to.name}`;
    if (to.index !== undefined) path += `[${to.index}]`;
  }
  return path;
}
