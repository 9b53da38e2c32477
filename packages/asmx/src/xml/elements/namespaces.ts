import type { Limits } from '../../contract/limits.ts';
import { isNameStartUnit } from '../chars.ts';
import { overLimit, XmlRefusal } from '../errors.ts';
import { XML } from '../namespace-names.ts';

/** A namespace declaration. */
export interface Namespace {
  /** `''` for the default namespace. */
  readonly prefix: string;
  readonly uri: string;
  /** Equal for equal URIs, after a call of {@link NamespaceScope.identify}; 0 before. */
  id: number;
  /**
   * The previous declaration of the prefix; for the default namespace always, for others only
   * beyond a few declarations.
   */
  outer: Namespace | undefined;
}

export const XMLNS_URI = 'http://www.w3.org/2000/xmlns/';

const NONE: Namespace = { prefix: '', uri: '', id: -1, outer: undefined };

/** Up to this many declarations, a linear search is faster than a map. */
const FEW = 8;

/** The namespace declarations in scope. A lookup takes constant time. */
export class NamespaceScope {
  /** The namespace of unprefixed elements. */
  defaultNamespace: Namespace = NONE;
  /** Prefixes looked up. */
  steps = 0;
  readonly #limits: Limits;
  /** Innermost last. */
  readonly #declarations: Namespace[] = [];
  /** The namespace of the prefix xml, after its first lookup. */
  #xml: Namespace | undefined;
  /** By prefix; built when there are more than a few declarations. */
  #index: Map<string, Namespace> | undefined;
  /** The number of each URI, assigned on demand. */
  #ids: Map<string, number> | undefined;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Declarations in scope. */
  get size(): number {
    return this.#declarations.length;
  }

  /** Records kept. */
  get held(): number {
    return this.#declarations.length + (this.#index?.size ?? 0) + (this.#ids?.size ?? 0);
  }

  /**
   * The namespace that a non-empty prefix stands for.
   * @throws {XmlRefusal} when it is not declared.
   */
  resolve(prefix: string): Namespace {
    this.steps++;
    const namespace = this.#find(prefix);
    if (namespace !== undefined) return namespace;
    if (prefix === 'xmlns')
      throw new XmlRefusal('namespace', 'The prefix xmlns must not be used on an element.');
    throw new XmlRefusal('namespace', `'${prefix}' is an undeclared prefix.`);
  }

  /**
   * What a prefix, or for `''` the default namespace, stands for; `undefined` when it is not
   * declared.
   */
  uriOf(prefix: string): string | undefined {
    this.steps++;
    return prefix === '' ? this.defaultNamespace.uri : this.#find(prefix)?.uri;
  }

  /** A number that identifies a URI, so that long URIs are not compared repeatedly. */
  identify(namespace: Namespace): number {
    if (namespace.id > 0) return namespace.id;
    this.#ids ??= new Map();
    const known = this.#ids.get(namespace.uri);
    namespace.id = known ?? this.#ids.size + 1;
    if (known === undefined) this.#ids.set(namespace.uri, namespace.id);
    return namespace.id;
  }

  /**
   * Adds a declaration to the scope. `''` is the prefix of the default namespace.
   * @throws {XmlRefusal} when Namespaces in XML 1.0 section 3 forbids it, or too many are in scope.
   */
  declare(prefix: string, uri: string): void {
    if (prefix === 'xml' || uri === XML) {
      if (prefix === 'xml' && uri === XML) return;
      throw new XmlRefusal(
        'namespace',
        `The prefix xml and the namespace ${XML} belong to each other alone.`,
      );
    }
    if (prefix === 'xmlns')
      throw new XmlRefusal('namespace', 'The prefix xmlns must not be declared.');
    if (uri === XMLNS_URI)
      throw new XmlRefusal('namespace', `The namespace ${XMLNS_URI} must not be declared.`);
    if (uri === '' && prefix !== '') {
      throw new XmlRefusal(
        'namespace',
        `The declaration of the prefix ${prefix} is empty; XML 1.0 cannot undeclare it.`,
      );
    }
    if (this.#declarations.length >= this.#limits.namespaces) {
      throw overLimit(
        this.#limits,
        'namespaces',
        'The number of namespace declarations in scope',
        'declarations',
      );
    }
    this.#add({ prefix, uri, id: 0, outer: undefined });
  }

  /** Removes declarations from the scope until `size` are left. */
  restore(size: number): void {
    while (this.#declarations.length > size) {
      const { prefix, outer } = this.#declarations.pop()!;
      if (prefix === '') this.defaultNamespace = outer!;
      else if (outer !== undefined) this.#index?.set(prefix, outer);
      else this.#index?.delete(prefix);
    }
  }

  #find(prefix: string): Namespace | undefined {
    if (this.#index !== undefined) return this.#index.get(prefix) ?? this.#findXml(prefix);
    for (let i = this.#declarations.length - 1; i >= 0; i--) {
      const declaration = this.#declarations[i]!;
      if (declaration.prefix === prefix) return declaration;
    }
    return this.#findXml(prefix);
  }

  #add(declaration: Namespace): void {
    this.#declarations.push(declaration);
    if (declaration.prefix === '') {
      declaration.outer = this.defaultNamespace;
      this.defaultNamespace = declaration;
    } else if (this.#index !== undefined) addTo(this.#index, declaration);
    else if (this.#declarations.length > FEW) {
      this.#index = new Map();
      for (const each of this.#declarations) if (each.prefix !== '') addTo(this.#index, each);
    }
  }

  #findXml(prefix: string): Namespace | undefined {
    if (prefix !== 'xml') return undefined;
    this.#xml ??= { prefix, uri: XML, id: 0, outer: undefined };
    return this.#xml;
  }
}

function addTo(index: Map<string, Namespace>, declaration: Namespace): void {
  declaration.outer = index.get(declaration.prefix);
  index.set(declaration.prefix, declaration);
}

/**
 * The prefix of a name with a colon at `colon`.
 * @throws {XmlRefusal} when the name is not `prefix:local`.
 */
export function prefixOf(name: string, colon: number): string {
  const local = colon + 1;
  const valid =
    colon > 0 &&
    local < name.length &&
    isNameStartUnit(name.charCodeAt(local)) &&
    name.indexOf(':', local) < 0;
  if (!valid)
    throw new XmlRefusal(
      'namespace',
      `The name ${name} must have the form prefix:local, with one colon.`,
    );
  return name.slice(0, colon);
}
