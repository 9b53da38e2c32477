import type { NamedType } from '../contract/types.ts';

/** What is done with a type, and after it and all types that extend it. */
interface Visit {
  enter(key: string): void;
  leave(key: string): void;
}

/** The inheritance of a contract's object types. How deep it is costs no stack. */
export class Extensions {
  readonly #types: Readonly<Record<string, NamedType>>;
  /** Keys of the types that extend each directly. */
  readonly #derived = new Map<string, string[]>();
  /** When a walk through all families enters and leaves each type. */
  #spans: ReadonlyMap<string, { readonly from: number; to: number }> | undefined;

  constructor(types: Readonly<Record<string, NamedType>>) {
    this.#types = types;
    for (const [key, type] of Object.entries(types)) {
      if (type.kind !== 'object' || type.extends === undefined) continue;
      const known = this.#derived.get(type.extends);
      if (known === undefined) this.#derived.set(type.extends, [key]);
      else known.push(key);
    }
  }

  /** Keys of the types that extend a type directly, in their order. */
  derived(key: string): readonly string[] {
    return this.#derived.get(key) ?? [];
  }

  /** Keys of all types that extend a type, directly or not. */
  descendants(key: string): string[] {
    const found: string[] = [];
    this.visit(key, { enter: (each) => found.push(each), leave: () => {} });
    return found.slice(1);
  }

  /** Whether some type extends a type. */
  isExtended(key: string): boolean {
    return this.#derived.has(key);
  }

  /** Whether a type is another one, or extends it, directly or not. */
  isWithin(key: string, family: string): boolean {
    if (key === family) return true;
    this.#spans ??= this.#walk();
    const [inner, outer] = [this.#spans.get(key), this.#spans.get(family)];
    return (
      inner !== undefined && outer !== undefined && outer.from <= inner.from && inner.to <= outer.to
    );
  }

  /** Goes through a type and all that extend it, each behind its base. */
  visit(root: string, { enter, leave }: Visit): void {
    const seen = new Set<string>();
    const open: { readonly key: string; readonly isEnd: boolean }[] = [{ key: root, isEnd: false }];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const { key, isEnd } = at;
      if (isEnd) leave(key);
      else if (!seen.has(key)) {
        seen.add(key);
        enter(key);
        open.push({ key, isEnd: true });
        for (const each of this.derived(key).toReversed()) open.push({ key: each, isEnd: false });
      }
    }
  }

  /**
   * Keys of a type's bases, the outermost first, and of the type; of types in a circle each once.
   */
  line(key: string): string[] {
    const line = new Set<string>();
    for (let at: string | undefined = key; at !== undefined && !line.has(at); at = this.#baseOf(at))
      line.add(at);
    return [...line].toReversed();
  }

  /**
   * Those of a type's line whose members it has: behind the last that restricts its base, and that
   * one.
   */
  membersOf(key: string): string[] {
    const line = this.line(key);
    return line.slice(
      Math.max(
        0,
        line.findLastIndex((each) => this.#restricts(each)),
      ),
    );
  }

  #restricts(key: string): boolean {
    const type = this.#types[key];
    return type?.kind === 'object' && type.restricts === true;
  }

  /** Whether a type would extend itself. @param base the key of the type that it extends. */
  isCircular(base: string, of: string): boolean {
    const seen = new Set([of]);
    for (let at: string | undefined = base; at !== undefined; at = this.#baseOf(at)) {
      if (seen.has(at)) return true;
      seen.add(at);
    }
    return false;
  }

  #walk(): ReadonlyMap<string, { readonly from: number; to: number }> {
    const spans = new Map<string, { readonly from: number; to: number }>();
    let steps = 0;
    const mark = {
      enter: (key: string) => spans.set(key, { from: steps++, to: 0 }),
      leave: (key: string) => {
        spans.get(key)!.to = steps++;
      },
    };
    for (const key of this.#derived.keys())
      if (this.#baseOf(key) === undefined) this.visit(key, mark);
    return spans;
  }

  #baseOf(key: string): string | undefined {
    const type = Object.hasOwn(this.#types, key) ? this.#types[key] : undefined;
    return type?.kind === 'object' ? type.extends : undefined;
  }
}
