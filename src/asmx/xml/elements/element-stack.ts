import type { Limits } from '../../limits.ts';
import { isNameStartUnit } from '../chars.ts';
import { overLimit, Refusal } from '../errors.ts';
import type { Content, ContentMode, XmlAttribute, XmlHandler } from '../handler.ts';
import { type Namespace, NamespaceScope } from './namespaces.ts';

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

/** An open element. Reused at its depth. */
class Frame {
  /** As written, with its prefix. */
  name = '';
  mode: ContentMode = 'elements';
  /** Namespace declarations in scope outside it. */
  outerNamespaces = 0;
  /** How deep elements may lie inside it, and which limit says so. */
  maxDepth = 0;
  maxDepthName: 'depth' | 'headerDepth' = 'depth';
  textChars = 0;
  maxTextChars = 0;
}

const NO_ATTRIBUTES: readonly XmlAttribute[] = Object.freeze([]);
/** As many attributes are compared faster pair by pair than through a set. */
const FEW = 8;

/** The open elements: names and namespaces are checked, limits kept, the handler told. What is refused is thrown as {@link Refusal}. */
export class ElementStack {
  depth = 0;
  /** The name of the innermost open element as written. */
  name = '';
  /** Whether the handler wants the text that follows. */
  wantsText = false;
  /** Depth of the open element whose content counts as a SOAP header; 0 for none. */
  headerDepth = 0;
  /** Attributes, declarations and names looked at. */
  steps = 0;
  readonly #handler: XmlHandler;
  readonly #limits: Limits;
  readonly #namespaces: NamespaceScope;
  readonly #frames: Frame[] = [];
  readonly #element = { uri: '', local: '', prefix: '', attributes: NO_ATTRIBUTES };
  /** The attributes of the start tag being read are the first `#count` of these. */
  readonly #attributes: Attribute[] = [];
  #count = 0;
  #elements = 0;
  #starting = '';
  #current: Frame;

  constructor(handler: XmlHandler, limits: Limits) {
    this.#handler = handler;
    this.#limits = limits;
    this.#namespaces = new NamespaceScope(limits);
    this.#current = this.#frame(0);
    this.#current.maxDepth = limits.depth;
  }

  /** Records kept: open elements, attributes, declarations. */
  get held(): number {
    return this.#frames.length + this.#attributes.length + this.#namespaces.held;
  }

  /** A start tag begins. */
  start(name: string): void {
    if (++this.#elements > this.#limits.elements) {
      throw overLimit(this.#limits, 'elements', 'The number of elements', 'elements');
    }
    const { maxDepth, maxDepthName } = this.#current;
    if (this.depth >= maxDepth) throw overLimit(this.#limits, maxDepthName, 'The depth of elements', 'levels');
    this.#starting = name;
    this.#count = 0;
  }

  /** An attribute of the start tag; `value` is normalised. */
  attribute(name: string, value: string): void {
    const count = this.#count++;
    if (count >= this.#limits.attributes) {
      throw overLimit(this.#limits, 'attributes', 'The number of attributes of one element', 'attributes');
    }
    this.#attributes[count] ??= new Attribute();
    const attribute = this.#attributes[count];
    attribute.name = name;
    attribute.value = value;
  }

  /** The start tag is complete. */
  open(): void {
    this.steps++;
    const element = this.#element;
    const outerNamespaces = this.#namespaces.size;
    element.attributes = this.#count === 0 ? NO_ATTRIBUTES : this.#resolveAttributes();
    this.#resolveElement();
    const outer = this.#current;
    const content = outer.mode === 'skip' ? 'skip' : this.#handler.open(element);
    const frame = this.#frame(++this.depth);
    frame.name = this.#starting;
    frame.outerNamespaces = outerNamespaces;
    frame.maxDepth = outer.maxDepth;
    frame.maxDepthName = outer.maxDepthName;
    frame.textChars = 0;
    frame.maxTextChars = this.#limits.textChars;
    if (typeof content === 'string') frame.mode = content;
    else this.#bound(frame, content);
    this.#enter(frame);
  }

  /** The end tag of the innermost element, its name already compared. */
  close(): void {
    const outer = this.#frames[this.depth - 1]!;
    if (this.headerDepth === this.depth) this.headerDepth = 0;
    this.#namespaces.restore(this.#current.outerNamespaces);
    this.depth--;
    this.#enter(outer);
    if (outer.mode !== 'skip') this.#handler.close();
  }

  /** Text of the innermost element. */
  text(piece: string): void {
    const frame = this.#current;
    frame.textChars += piece.length;
    if (frame.textChars > frame.maxTextChars) {
      const limits = { ...this.#limits, textChars: frame.maxTextChars };
      throw overLimit(limits, 'textChars', `The text of the element ${frame.name}`, 'characters');
    }
    this.#handler.text(piece);
  }

  #bound(frame: Frame, content: Content): void {
    frame.mode = content.mode;
    frame.maxTextChars = content.maxChars ?? frame.maxTextChars;
    if (content.header !== true || this.headerDepth > 0) return;
    this.headerDepth = this.depth;
    frame.maxDepth = this.depth + this.#limits.headerDepth;
    frame.maxDepthName = 'headerDepth';
  }

  #enter(frame: Frame): void {
    this.#current = frame;
    this.name = frame.name;
    this.wantsText = frame.mode === 'text';
  }

  #frame(depth: number): Frame {
    this.#frames[depth] ??= new Frame();
    return this.#frames[depth];
  }

  #resolveElement(): void {
    const element = this.#element;
    const name = this.#starting;
    const colon = name.indexOf(':');
    if (colon < 0) {
      element.prefix = '';
      element.local = name;
      element.uri = this.#namespaces.defaultNamespace.uri;
    } else {
      element.prefix = prefixOf(name, colon);
      element.local = name.slice(colon + 1);
      element.uri = this.#find(element.prefix).uri;
    }
  }

  /** Takes the namespace declarations out of the attributes, resolves and compares the others. */
  #resolveAttributes(): readonly XmlAttribute[] {
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
      else if (attribute.prefix === 'xmlns') this.#namespaces.declare(attribute.local, attribute.value);
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

  /** Now that all declarations of the tag are known. */
  #resolvePrefixes(others: readonly Attribute[], prefixed: number): void {
    const resolved: Attribute[] = [];
    for (const attribute of others) {
      if (attribute.prefix === '') continue;
      attribute.namespace = this.#find(attribute.prefix);
      attribute.uri = attribute.namespace.uri;
      if (prefixed > 1) this.#namespaces.identify(attribute.namespace);
      resolved.push(attribute);
    }
    if (prefixed > 1) this.#refuseDuplicates(resolved, prefixed, expanded);
  }

  #refuseDuplicates(attributes: readonly Attribute[], count: number, keyOf: (attribute: Attribute) => string): void {
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
      for (let j = 0; j < i; j++) if (keyOf(attributes[j]!) === key) throw duplicate(attributes[i]!);
    }
  }

  #find(prefix: string): Namespace {
    this.steps++;
    const namespace = this.#namespaces.find(prefix);
    if (namespace !== undefined) return namespace;
    if (prefix === 'xmlns') throw new Refusal('namespace', 'The prefix xmlns must not be used on an element.');
    throw new Refusal('namespace', `'${prefix}' is an undeclared prefix.`);
  }
}

const asWritten = (attribute: Attribute): string => attribute.name;
/** A blank is in no name, and the number stands for the whole URI. */
const expanded = (attribute: Attribute): string => `${attribute.namespace!.id} ${attribute.local}`;

/** The prefix of a name with a colon at `colon`. @throws {Refusal} when the name is not `prefix:local`. */
function prefixOf(name: string, colon: number): string {
  const local = colon + 1;
  const valid =
    colon > 0 && local < name.length && isNameStartUnit(name.charCodeAt(local)) && name.indexOf(':', local) < 0;
  if (!valid) throw new Refusal('namespace', `The name ${name} must have the form prefix:local, with one colon.`);
  return name.slice(0, colon);
}

function duplicate({ name, local, namespace, uri }: Attribute): Refusal {
  return namespace === undefined
    ? new Refusal('malformed', `The attribute ${name} stands twice in one start tag.`)
    : new Refusal(
        'namespace',
        `The attribute ${local} of the namespace ${uri.slice(0, 100)} stands twice in one start tag.`,
      );
}
