import { XmlDocument, XmlElement, XmlText } from 'libxml2-wasm';

/** An element without what does not count: prefixes, order of attributes, blanks between elements. */
export interface CanonicalElement {
  /** `{namespace}local`. */
  readonly name: string;
  /** In the order of their names; namespace declarations are none; prefixed values are `{namespace}local`. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly content: readonly CanonicalElement[] | string;
}

/** Attributes whose values are qualified names, in XML Schema, WSDL 1.1 and DISCO. */
const QNAME_ATTRIBUTES = new Set(['type', 'element', 'message', 'binding', 'base', 'ref']);

/** Parses a document into its canonical tree. @throws when it is not well-formed. */
export function canonicalXml(text: string): CanonicalElement {
  using document = XmlDocument.fromString(text);
  return canonical(document.root);
}

function canonical(element: XmlElement): CanonicalElement {
  const children: CanonicalElement[] = [];
  let text = '';
  for (let node = element.firstChild; node !== null; node = node.next) {
    if (node instanceof XmlElement) children.push(canonical(node));
    else if (node instanceof XmlText) text += node.content;
  }
  const attributes = element.attrs
    .map(({ name, namespaceUri, value }): [string, string] => [
      qualified(namespaceUri, name),
      QNAME_ATTRIBUTES.has(name) ? qualifiedValue(element, value) : value,
    ])
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    name: qualified(element.namespaceUri, element.name),
    attributes: new Map(attributes),
    content: children.length > 0 ? children : text,
  };
}

function qualified(namespace: string, local: string): string {
  return namespace === '' ? local : `{${namespace}}${local}`;
}

/** A value `prefix:local` whose prefix is in scope; every other value (a URL in `ref`) stands as it is. */
function qualifiedValue(element: XmlElement, value: string): string {
  const colon = value.indexOf(':');
  const namespace = colon < 0 ? undefined : element.namespaces[value.slice(0, colon)];
  return namespace === undefined ? value : qualified(namespace, value.slice(colon + 1));
}

/** One difference: where, and what stands on either side. */
export interface Difference {
  /** Local names from the root, each with its `name` attribute where it has one. */
  readonly at: string;
  readonly ours: string | undefined;
  readonly theirs: string | undefined;
}

/** Every difference of two trees. Children are told apart by name and `name` attribute; their order counts. */
export function differences(
  ours: CanonicalElement,
  theirs: CanonicalElement,
  parent = '',
): Difference[] {
  const at = `${parent}/${label(ours)}`;
  const found: Difference[] = [];
  if (ours.name !== theirs.name) found.push({ at, ours: ours.name, theirs: theirs.name });
  for (const name of new Set([...ours.attributes.keys(), ...theirs.attributes.keys()])) {
    const [mine, other] = [ours.attributes.get(name), theirs.attributes.get(name)];
    if (mine !== other) found.push({ at: `${at}/@${name}`, ours: mine, theirs: other });
  }
  if (typeof ours.content === 'string' || typeof theirs.content === 'string') {
    const [mine, other] = [textOf(ours), textOf(theirs)];
    if (mine !== other) found.push({ at, ours: mine, theirs: other });
    return found;
  }
  const mine = keyed(ours.content);
  const others = keyed(theirs.content);
  for (const [key, element] of mine) {
    const other = others.get(key);
    if (other === undefined) found.push({ at: `${at}/${key}`, ours: 'present', theirs: undefined });
    else found.push(...differences(element, other, at));
  }
  for (const key of others.keys()) {
    if (!mine.has(key)) found.push({ at: `${at}/${key}`, ours: undefined, theirs: 'present' });
  }
  const order = (from: ReadonlyMap<string, unknown>, common: ReadonlyMap<string, unknown>) =>
    [...from.keys()].filter((key) => common.has(key)).join(' ');
  if (order(mine, others) !== order(others, mine)) {
    found.push({
      at,
      ours: `order ${order(mine, others)}`,
      theirs: `order ${order(others, mine)}`,
    });
  }
  return found;
}

function textOf({ content }: CanonicalElement): string {
  return typeof content === 'string' ? content : `${content.length} elements`;
}

function keyed(elements: readonly CanonicalElement[]): ReadonlyMap<string, CanonicalElement> {
  const byKey = new Map<string, CanonicalElement>();
  for (const element of elements) {
    const base = label(element);
    let key = base;
    for (let occurrence = 2; byKey.has(key); occurrence++) key = `${base}#${occurrence}`;
    byKey.set(key, element);
  }
  return byKey;
}

function label({ name, attributes }: CanonicalElement): string {
  const local = name.slice(name.indexOf('}') + 1);
  const own = attributes.get('name');
  return own === undefined ? local : `${local}[${own}]`;
}
