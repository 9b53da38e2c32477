import type { Limits } from '../limits.ts';
import { isNameStartUnit } from './chars.ts';
import { overLimit, Refusal } from './errors.ts';
import type { Content, ContentMode, XmlAttribute, XmlHandler } from './handler.ts';
import { type Namespace, NamespaceScope } from './namespaces.ts';

/** An attribute of the start tag being read. Reused from tag to tag. */
class Attribute implements XmlAttribute {
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
  maxDepth = 0;
  maxDepthName: 'depth' | 'headerDepth' = 'depth';
  textChars = 0;
  maxTextChars = 0;
}

/** Attribute lists up to this long are compared pair by pair; longer ones through a set. */
const FEW = 8;

/** The open elements: names and namespaces are checked, limits kept, the handler told. Refusals are thrown as {@link Refusal}. */
export class ElementStack {
  depth = 0;
  /** Elements opened so far. */
  count = 0;
  /** The name of the innermost open element as written. */
  name = '';
  /** Whether the handler wants the text that follows. */
  wantsText = false;
  /** Depth of the open element whose content counts as a SOAP header; 0 for none. */
  headerDepth = 0;
  steps = 0;
  readonly #handler: XmlHandler;
  readonly #limits: Limits;
  readonly #namespaces: NamespaceScope;
  readonly #frames: Frame[] = [];
  readonly #pool: Attribute[] = [];
  readonly #attributes: Attribute[] = [];
  readonly #reported: Attribute[] = [];
  readonly #element: { uri: string; local: string; prefix: string; attributes: readonly XmlAttribute[] };
  #current: Frame;
  #starting = '';

  constructor(handler: XmlHandler, limits: Limits) {
    this.#handler = handler;
    this.#limits = limits;
    this.#namespaces = new NamespaceScope(limits);
    this.#element = { uri: '', local: '', prefix: '', attributes: this.#reported };
    this.#current = this.#frame(0);
    this.#current.maxDepth = limits.depth;
  }

  /** A start tag begins. */
  start(name: string): void {
    if (++this.count > this.#limits.elements) {
      throw overLimit(this.#limits, 'elements', 'The number of elements', 'elements');
    }
    const { maxDepth, maxDepthName } = this.#current;
    if (this.depth >= maxDepth) throw overLimit(this.#limits, maxDepthName, 'The depth of elements', 'levels');
    this.#starting = name;
    this.#attributes.length = 0;
  }

  /** An attribute of the start tag; `value` is normalised. */
  attribute(name: string, value: string): void {
    const count = this.#attributes.length;
    if (count >= this.#limits.attributes) {
      throw overLimit(this.#limits, 'attributes', 'The number of attributes of one element', 'attributes');
    }
    this.#pool[count] ??= new Attribute();
    const attribute = this.#pool[count];
    attribute.name = name;
    attribute.value = value;
    this.#attributes.push(attribute);
  }

  /** The start tag is complete. */
  open(): void {
    this.steps++;
    const outerNamespaces = this.#namespaces.size;
    if (this.#attributes.length > 0) this.#resolveAttributes();
    const element = this.#element;
    this.#resolveElement();
    const outer = this.#current;
    const content: ContentMode | Content = outer.mode === 'skip' ? 'skip' : this.#handler.open(element);
    this.#reported.length = 0;
    this.#push(outer, outerNamespaces, content);
  }

  #push(outer: Frame, outerNamespaces: number, content: ContentMode | Content): void {
    const frame = this.#frame(++this.depth);
    const options = typeof content === 'string' ? undefined : content;
    frame.name = this.#starting;
    frame.mode = options === undefined ? (content as ContentMode) : options.mode;
    frame.outerNamespaces = outerNamespaces;
    frame.maxDepth = outer.maxDepth;
    frame.maxDepthName = outer.maxDepthName;
    frame.textChars = 0;
    frame.maxTextChars = options?.maxChars ?? this.#limits.textChars;
    if (options?.header === true && this.headerDepth === 0) {
      this.headerDepth = this.depth;
      frame.maxDepth = this.depth + this.#limits.headerDepth;
      frame.maxDepthName = 'headerDepth';
    }
    this.#enter(frame);
  }

  /** The end tag of the innermost element, its name already compared. */
  close(): void {
    const skipped = this.#frames[this.depth - 1]!.mode === 'skip';
    if (this.headerDepth === this.depth) this.headerDepth = 0;
    this.#namespaces.restore(this.#current.outerNamespaces);
    this.#enter(this.#frames[--this.depth]!);
    if (!skipped) this.#handler.close();
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
      return;
    }
    element.prefix = prefixOf(name, colon);
    element.local = name.slice(colon + 1);
    element.uri = this.#find(element.prefix).uri;
  }

  /** Takes the namespace declarations out of the attributes, then resolves and compares the others. */
  #resolveAttributes(): void {
    let prefixed = 0;
    for (const attribute of this.#attributes) {
      const { name } = attribute;
      const colon = name.indexOf(':');
      attribute.namespace = undefined;
      attribute.uri = '';
      attribute.prefix = colon < 0 ? '' : prefixOf(name, colon);
      attribute.local = colon < 0 ? name : name.slice(colon + 1);
      if (name === 'xmlns') this.#namespaces.declare('', attribute.value);
      else if (attribute.prefix === 'xmlns') this.#namespaces.declare(attribute.local, attribute.value);
      else {
        this.#reported.push(attribute);
        if (colon >= 0) prefixed++;
      }
    }
    this.#refuseDuplicates(this.#attributes, (attribute) => attribute.name);
    if (prefixed === 0) return;
    for (const attribute of this.#reported) {
      if (attribute.prefix === '') continue;
      attribute.namespace = this.#find(attribute.prefix);
      attribute.uri = attribute.namespace.uri;
    }
    if (prefixed > 1) {
      const expanded = this.#reported.filter((attribute) => attribute.prefix !== '');
      this.#refuseDuplicates(expanded, (attribute) => `${attribute.namespace!.id} ${attribute.local}`);
    }
  }

  #refuseDuplicates(attributes: readonly Attribute[], keyOf: (attribute: Attribute) => string): void {
    const count = attributes.length;
    this.steps += count;
    if (count === 1) return;
    if (count <= FEW) {
      for (let i = 1; i < count; i++) {
        const key = keyOf(attributes[i]!);
        for (let j = 0; j < i; j++) if (keyOf(attributes[j]!) === key) throw duplicate(attributes[i]!);
      }
      return;
    }
    const seen = new Set<string>();
    for (const attribute of attributes) {
      if (seen.size === seen.add(keyOf(attribute)).size) throw duplicate(attribute);
    }
  }

  #find(prefix: string): Namespace {
    const namespace = this.#namespaces.find(prefix);
    if (namespace !== undefined) return namespace;
    if (prefix === 'xmlns') throw new Refusal('namespace', 'The prefix xmlns must not be used on an element.');
    throw new Refusal('namespace', `'${prefix}' is an undeclared prefix.`);
  }
}

/** The prefix of a name with a colon at `colon`. @throws {Refusal} when the name is not `prefix:local`. */
function prefixOf(name: string, colon: number): string {
  const local = colon + 1;
  const valid =
    colon > 0 && local < name.length && isNameStartUnit(name.charCodeAt(local)) && name.indexOf(':', local) < 0;
  if (!valid) throw new Refusal('namespace', `The name ${name} must have the form prefix:local, with one colon.`);
  return name.slice(0, colon);
}

function duplicate(attribute: Attribute): Refusal {
  const where = attribute.namespace === undefined ? '' : ` of the namespace ${attribute.uri.slice(0, 100)}`;
  const [code, name] =
    where === '' ? (['malformed', attribute.name] as const) : (['namespace', attribute.local] as const);
  return new Refusal(code, `The attribute ${name}${where} stands twice in one start tag.`);
}
