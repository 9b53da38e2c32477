import type { Limits } from '../../contract/limits.ts';
import { overLimit, XmlRefusal } from '../errors.ts';
import type { XmlAttribute } from '../handler.ts';
import { type Namespace, type NamespaceScope, prefixOf } from './namespaces.ts';

/** An attribute of the start tag being read. Reused from tag to tag. */
class Attribute implements XmlAttribute {
  /** As written, with its prefix. */
  name = '';
  uri = '';
  local = '';
  prefix = '';
  value = '';
  namespace: Namespace | undefined = undefined;
}

export const NO_ATTRIBUTES: readonly XmlAttribute[] = Object.freeze([]);
/** Up to this many attributes, comparing pairs is faster than a set. */
const FEW = 8;

/** The attributes of the start tag being read. */
export class AttributeList {
  /** Attributes compared. */
  steps = 0;
  readonly #namespaces: NamespaceScope;
  readonly #limits: Limits;
  /** Reused records; the first `#count` belong to the tag. */
  readonly #attributes: Attribute[] = [];
  #count = 0;
  /** Of the whole document. */
  #total = 0;

  constructor(namespaces: NamespaceScope, limits: Limits) {
    this.#namespaces = namespaces;
    this.#limits = limits;
  }

  /** Records kept. */
  get held(): number {
    return this.#attributes.length;
  }

  /** Starts a start tag. */
  clear(): void {
    this.#count = 0;
  }

  /** @param value normalised. @throws {XmlRefusal} when there are too many. */
  add(name: string, value: string): void {
    const count = this.#count++;
    if (count >= this.#limits.attributes) {
      throw overLimit(
        this.#limits,
        'attributes',
        'The number of attributes of one element',
        'attributes',
      );
    }
    if (++this.#total > this.#limits.totalAttributes) {
      throw overLimit(
        this.#limits,
        'totalAttributes',
        'The number of attributes in the document',
        'attributes',
      );
    }
    this.#attributes[count] ??= new Attribute();
    const attribute = this.#attributes[count];
    attribute.name = name;
    attribute.value = value;
  }

  /**
   * Ends the tag: adds its namespace declarations to the scope, and resolves and compares the other
   * attributes.
   * @returns the others. @throws {XmlRefusal}
   */
  resolve(): readonly XmlAttribute[] {
    if (this.#count === 0) return NO_ATTRIBUTES;
    let others: Attribute[] | undefined;
    let prefixed = 0;
    for (let i = 0; i < this.#count; i++) {
      const attribute = this.#attributes[i]!;
      const { name } = attribute;
      const colon = name.indexOf(':');
      attribute.prefix = colon < 0 ? '' : prefixOf(name, colon);
      attribute.local = colon < 0 ? name : name.slice(colon + 1);
      attribute.uri = '';
      attribute.namespace = undefined;
      if (name === 'xmlns') this.#namespaces.declare('', attribute.value);
      else if (attribute.prefix === 'xmlns')
        this.#namespaces.declare(attribute.local, attribute.value);
      else {
        if (others === undefined) others = [attribute];
        else others.push(attribute);
        if (colon >= 0) prefixed++;
      }
    }
    if (this.#count > 1) this.#refuseDuplicates(this.#attributes, this.#count, asWritten);
    if (others === undefined) return NO_ATTRIBUTES;
    if (prefixed > 0) this.#resolvePrefixes(others, prefixed);
    return others;
  }

  /** Resolves names; call it when all declarations of the tag are known. */
  #resolvePrefixes(others: readonly Attribute[], prefixed: number): void {
    const resolved: Attribute[] = [];
    for (const attribute of others) {
      if (attribute.prefix === '') continue;
      attribute.namespace = this.#namespaces.resolve(attribute.prefix);
      attribute.uri = attribute.namespace.uri;
      if (prefixed > 1) this.#namespaces.identify(attribute.namespace);
      resolved.push(attribute);
    }
    if (prefixed > 1) this.#refuseDuplicates(resolved, prefixed, expanded);
  }

  #refuseDuplicates(
    attributes: readonly Attribute[],
    count: number,
    keyOf: (attribute: Attribute) => string,
  ): void {
    this.steps += count;
    if (count > FEW) {
      const seen = new Set<string>();
      for (let i = 0; i < count; i++) {
        const key = keyOf(attributes[i]!);
        if (seen.has(key)) throw duplicate(attributes[i]!);
        seen.add(key);
      }
      return;
    }
    for (let i = 1; i < count; i++) {
      const key = keyOf(attributes[i]!);
      for (let j = 0; j < i; j++)
        if (keyOf(attributes[j]!) === key) throw duplicate(attributes[i]!);
    }
  }
}

const asWritten = (attribute: Attribute): string => attribute.name;
/** A unique key: no name contains a blank, and the number represents the URI. */
const expanded = (attribute: Attribute): string => `${attribute.namespace!.id} ${attribute.local}`;

function duplicate({ name, local, namespace, uri }: Attribute): XmlRefusal {
  if (namespace === undefined)
    return new XmlRefusal('malformed', `The attribute ${name} stands twice in one start tag.`);
  const shown = uri.slice(0, 100).toWellFormed();
  return new XmlRefusal(
    'namespace',
    `The attribute ${local} of the namespace ${shown} stands twice in one start tag.`,
  );
}
