import { pascalCase } from '@ws01/asmx/internal/contract/builders/collect-types';
import { words } from '@ws01/asmx/internal/contract/words';
import { isInherited } from '@ws01/asmx/internal/exchange/names';

/**
 * Words that TypeScript does not take for the name of a type, or reads as something else where a
 * type is used.
 */
const WORDS = words(
  'any asserts await bigint boolean break case catch class const continue debugger default delete do else enum export',
  'extends false finally for function if implements import in infer instanceof interface intrinsic is keyof let never new',
  'null number object out package private protected public readonly return static string super switch symbol this throw',
  'true try typeof undefined unique unknown var void while with yield abstract async declare namespace type',
);

/** Types of JavaScript and of this package that stand beside those of a contract. */
const BESIDE = words(
  'Date Uint8Array Omit Operations AnyValue DataSet Nothing Refusal Partial Client ClientOptions',
  'CallOptions CallError createClient typedService contract',
);

/** Gives types their keys: identifiers of TypeScript, each once. */
export class TypeNames {
  readonly #taken: Set<string>;
  readonly #given = new Set<string>([...WORDS, ...BESIDE]);
  /** By name, the first number that may be free: thousands may have one name. */
  readonly #next = new Map<string, number>();

  /** @param reserved names that anonymous types must not have. */
  constructor(reserved: Iterable<string>) {
    this.#taken = new Set(reserved);
  }

  /** The key of a type that has a name. */
  named(local: string): string {
    return this.#free(identifier(local), (name) => this.#given.has(name));
  }

  /** The key of a type that has none: made of the names around it. */
  anonymous(...parts: readonly string[]): string {
    const name = parts.map((part) => (part === '' ? '' : pascalCase(identifier(part)))).join('');
    return this.#free(name, (each) => this.#given.has(each) || this.#taken.has(each));
  }

  /** Takes a key back. */
  release(key: string): void {
    this.#given.delete(key);
    this.#next.clear();
  }

  #free(name: string, isTaken: (name: string) => boolean): string {
    let free = name;
    let number = this.#next.get(name) ?? 2;
    while (isTaken(free) || isInherited(free)) free = `${name}${number++}`;
    this.#next.set(name, number);
    this.#given.add(free);
    return free;
  }
}

/**
 * A name as an identifier: what cannot stand in one is left out, the letter behind it made a
 * capital.
 */
export function identifier(name: string): string {
  const made = name.replaceAll(/[^\p{ID_Continue}$]+(\p{ID_Continue})?/gu, (_, next?: string) =>
    pascalCase(next ?? ''),
  );
  return /^[\p{ID_Start}_$]/u.test(made) ? made : `_${made}`;
}
