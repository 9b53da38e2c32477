import type { NamedType } from '../contract/types.ts';

/** The inheritance of a contract's object types. */
export class Extensions {
  readonly #types: Readonly<Record<string, NamedType>>;
  /** Keys of the types that extend each directly. */
  readonly #derived = new Map<string, string[]>();

  constructor(types: Readonly<Record<string, NamedType>>) {
    this.#types = types;
    for (const [key, type] of Object.entries(types)) {
      if (type.kind !== 'object' || type.extends === undefined) continue;
      this.#derived.set(type.extends, [...(this.#derived.get(type.extends) ?? []), key]);
    }
  }

  /** Keys of all types that extend a type, directly or not. */
  descendants(key: string): string[] {
    return (this.#derived.get(key) ?? []).flatMap((each) => [each, ...this.descendants(each)]);
  }

  /** Whether some type extends a type. */
  isExtended(key: string): boolean {
    return this.#derived.has(key);
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

  #baseOf(key: string): string | undefined {
    const type = this.#types[key];
    return type?.kind === 'object' ? type.extends : undefined;
  }
}
