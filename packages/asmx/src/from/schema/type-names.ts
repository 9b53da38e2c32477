/** Names that the types of a contract cannot have in TypeScript, or that stand beside them there. */
const RESERVED = [
  ...[
    'any',
    'unknown',
    'never',
    'void',
    'null',
    'undefined',
    'string',
    'number',
    'boolean',
    'bigint',
    'symbol',
    'object',
  ],
  ...['Date', 'Uint8Array', 'Omit', 'Operations', 'AnyValue', 'DataSet', 'Nothing', 'Refusal'],
];

/** Gives types their keys: identifiers of TypeScript, each once. */
export class TypeNames {
  readonly #taken: Set<string>;
  readonly #given = new Set(RESERVED);

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
    const name = parts.map((part) => (part === '' ? '' : capital(identifier(part)))).join('');
    return this.#free(name, (each) => this.#given.has(each) || this.#taken.has(each));
  }

  /** Takes a key back. */
  release(key: string): void {
    this.#given.delete(key);
  }

  #free(name: string, isTaken: (name: string) => boolean): string {
    let free = name;
    for (let number = 2; isTaken(free); number++) free = `${name}${number}`;
    this.#given.add(free);
    return free;
  }
}

/** A name as an identifier: what cannot stand in one is left out, the letter behind it made a capital. */
export function identifier(name: string): string {
  const made = name.replaceAll(/[^\p{ID_Continue}$]+(\p{ID_Continue})?/gu, (_, next?: string) => capital(next ?? ''));
  return /^[\p{ID_Start}_$]/u.test(made) ? made : `_${made}`;
}

function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
