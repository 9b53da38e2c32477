import type { Limits } from '../limits.ts';
import { overLimit, Refusal } from './errors.ts';

/** A namespace declaration's meaning. */
export interface Namespace {
  readonly uri: string;
  /** Equal for equal URIs, once {@link NamespaceScope.identify} was asked; 0 before. */
  id: number;
}

export const XML_URI = 'http://www.w3.org/XML/1998/namespace';
export const XMLNS_URI = 'http://www.w3.org/2000/xmlns/';

/** As many declarations are searched faster one by one than through a map. */
const FEW = 8;

/** The namespace declarations in scope. The time of a look-up does not grow with their number. */
export class NamespaceScope {
  /** The namespace of unprefixed elements. */
  defaultNamespace: Namespace = { uri: '', id: 0 };
  readonly #limits: Limits;
  readonly #xml: Namespace = { uri: XML_URI, id: 0 };
  // The declarations in scope, innermost last: prefix (`''` for the default), meaning, and what it meant before.
  readonly #prefixes: string[] = [];
  readonly #namespaces: Namespace[] = [];
  readonly #previous: (Namespace | undefined)[] = [];
  #size = 0;
  /** By prefix, once there have been more than a few. */
  #index: Map<string, Namespace> | undefined;
  /** Number of each URI, filled when asked. */
  #ids: Map<string, number> | undefined;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Declarations in scope. */
  get size(): number {
    return this.#size;
  }

  /** The namespace that a non-empty prefix stands for. */
  find(prefix: string): Namespace | undefined {
    if (prefix === 'xml') return this.#xml;
    if (this.#index !== undefined) return this.#index.get(prefix);
    for (let i = this.#size - 1; i >= 0; i--) if (this.#prefixes[i] === prefix) return this.#namespaces[i];
    return undefined;
  }

  /** A number that tells URIs apart, so that long ones are not compared again and again. */
  identify(namespace: Namespace): number {
    if (namespace.id > 0) return namespace.id;
    this.#ids ??= new Map();
    const known = this.#ids.get(namespace.uri);
    namespace.id = known ?? this.#ids.size + 1;
    if (known === undefined) this.#ids.set(namespace.uri, namespace.id);
    return namespace.id;
  }

  /**
   * Takes a declaration into scope. `''` is the prefix of the default namespace.
   * @throws {Refusal} when Namespaces in XML 1.0 section 3 forbids it, or too many are in scope.
   */
  declare(prefix: string, uri: string): void {
    if (prefix === 'xml' || uri === XML_URI) {
      if (prefix === 'xml' && uri === XML_URI) return;
      throw new Refusal('namespace', `The prefix xml and the namespace ${XML_URI} belong to each other alone.`);
    }
    if (prefix === 'xmlns') throw new Refusal('namespace', 'The prefix xmlns must not be declared.');
    if (uri === XMLNS_URI) throw new Refusal('namespace', `The namespace ${XMLNS_URI} must not be declared.`);
    if (uri === '' && prefix !== '') {
      throw new Refusal('namespace', `The declaration of the prefix ${prefix} is empty; XML 1.0 cannot undeclare it.`);
    }
    if (this.#size >= this.#limits.namespaces) {
      throw overLimit(this.#limits, 'namespaces', 'The number of namespace declarations in scope', 'declarations');
    }
    this.#add(prefix, { uri, id: 0 });
  }

  /** Goes back to when `size` declarations were in scope. */
  restore(size: number): void {
    while (this.#size > size) {
      const i = --this.#size;
      const prefix = this.#prefixes[i]!;
      const previous = this.#previous[i];
      if (prefix === '') this.defaultNamespace = previous!;
      else if (previous !== undefined) this.#index?.set(prefix, previous);
      else this.#index?.delete(prefix);
    }
  }

  #add(prefix: string, namespace: Namespace): void {
    const i = this.#size++;
    this.#prefixes[i] = prefix;
    this.#namespaces[i] = namespace;
    if (prefix === '') {
      this.#previous[i] = this.defaultNamespace;
      this.defaultNamespace = namespace;
    } else if (this.#index !== undefined) {
      this.#previous[i] = this.#index.get(prefix);
      this.#index.set(prefix, namespace);
    } else if (i >= FEW) this.#startIndex();
  }

  #startIndex(): void {
    const index = new Map<string, Namespace>();
    for (let i = 0; i < this.#size; i++) {
      const prefix = this.#prefixes[i]!;
      if (prefix === '') continue;
      this.#previous[i] = index.get(prefix);
      index.set(prefix, this.#namespaces[i]!);
    }
    this.#index = index;
  }
}
