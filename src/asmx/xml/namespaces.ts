import type { Limits } from '../limits.ts';
import { overLimit, Refusal } from './errors.ts';

/** A namespace name. Two declarations of the same URI give the same object, so that identity decides. */
export interface Namespace {
  readonly uri: string;
  readonly id: number;
}

/** What a prefix meant before an element redefined it. */
interface Undo {
  readonly prefix: string;
  readonly previous: Namespace | undefined;
}

export const XML_URI = 'http://www.w3.org/XML/1998/namespace';
export const XMLNS_URI = 'http://www.w3.org/2000/xmlns/';

const NONE: Namespace = { uri: '', id: 0 };
const XML: Namespace = { uri: XML_URI, id: 1 };

/** The namespace declarations in scope. Looking one up takes the same time however many there are. */
export class NamespaceScope {
  /** The namespace of unprefixed elements. */
  defaultNamespace: Namespace = NONE;
  readonly #limits: Limits;
  readonly #byPrefix = new Map<string, Namespace>();
  readonly #byUri = new Map<string, Namespace>();
  readonly #undo: Undo[] = [];

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Declarations in scope. */
  get size(): number {
    return this.#undo.length;
  }

  /** The namespace that a non-empty prefix stands for. */
  find(prefix: string): Namespace | undefined {
    return prefix === 'xml' ? XML : this.#byPrefix.get(prefix);
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
    if (this.#undo.length >= this.#limits.namespaces) {
      throw overLimit(this.#limits, 'namespaces', 'The number of namespace declarations in scope', 'declarations');
    }
    const namespace = this.#intern(uri);
    if (prefix === '') {
      this.#undo.push({ prefix, previous: this.defaultNamespace });
      this.defaultNamespace = namespace;
    } else {
      this.#undo.push({ prefix, previous: this.#byPrefix.get(prefix) });
      this.#byPrefix.set(prefix, namespace);
    }
  }

  /** Goes back to when `size` declarations were in scope. */
  restore(size: number): void {
    while (this.#undo.length > size) {
      const { prefix, previous } = this.#undo.pop()!;
      if (prefix === '') this.defaultNamespace = previous!;
      else if (previous === undefined) this.#byPrefix.delete(prefix);
      else this.#byPrefix.set(prefix, previous);
    }
  }

  #intern(uri: string): Namespace {
    if (uri === '') return NONE;
    const known = this.#byUri.get(uri);
    if (known !== undefined) return known;
    const made: Namespace = { uri, id: this.#byUri.size + 2 };
    this.#byUri.set(uri, made);
    return made;
  }
}
