import type { WireName } from '@ws01/asmx/internal/values/plan';

/** What of two lists is the same thing. */
interface Paired<T> {
  /** For each of the old list, in its order, what it is in ours; `undefined` for what is gone. */
  readonly partners: readonly (T | undefined)[];
  /** What only ours has. */
  readonly added: readonly T[];
}

/**
 * Pairs things with the same name: first those that are also in the same namespace, then the rest.
 * Several of one name and namespace are paired in their order.
 */
export function paired<T extends WireName>(
  old: readonly T[],
  ours: readonly T[],
  isSameNamespace: (old: string, ours: string) => boolean,
): Paired<T> {
  const left = Map.groupBy(ours, ({ name }) => name);
  const take = ({ name }: T, fits: (each: T) => boolean): T | undefined => {
    const candidates = left.get(name) ?? [];
    const at = candidates.findIndex(fits);
    return at < 0 ? undefined : candidates.splice(at, 1)[0];
  };
  const exact = old.map((each) =>
    take(each, ({ namespace }) => isSameNamespace(each.namespace, namespace)),
  );
  const partners = old.map((each, index) => exact[index] ?? take(each, () => true));
  return { partners, added: [...left.values()].flat() };
}

/** A list without what has the name and namespace of an earlier one. */
export function distinct<T extends WireName>(list: readonly T[]): readonly T[] {
  const seen = new Set<string>();
  return list.filter(({ name, namespace }) => {
    const key = `{${namespace}}${name}`;
    return !seen.has(key) && seen.add(key);
  });
}
