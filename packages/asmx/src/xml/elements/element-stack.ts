import type { Limits } from '../../engine/limits.ts';
import { overLimit } from '../errors.ts';
import type { Content, ContentMode, XmlHandler } from '../handler.ts';
import { AttributeList, NO_ATTRIBUTES } from './attribute-list.ts';
import { NamespaceScope, prefixOf } from './namespaces.ts';

/** An open element. Reused at its depth. */
class OpenElement {
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

/** The open elements: names and namespaces are checked, limits kept, the handler told. What is refused is thrown as {@link XmlRefusal}. */
export class ElementStack {
  depth = 0;
  /** The name of the innermost open element as written. */
  name = '';
  /** Whether the handler wants the text that follows. */
  wantsText = false;
  /** Depth of the open element whose content counts as a SOAP header; 0 for none. */
  headerDepth = 0;
  readonly #handler: XmlHandler;
  readonly #limits: Limits;
  readonly #namespaces: NamespaceScope;
  readonly #frames: OpenElement[] = [];
  readonly #element = {
    uri: '',
    local: '',
    prefix: '',
    attributes: NO_ATTRIBUTES,
    namespaceOf: (prefix: string): string | undefined => this.#namespaces.uriOf(prefix),
  };
  readonly #attributes: AttributeList;
  #elements = 0;
  #starting = '';
  #current: OpenElement;

  constructor(handler: XmlHandler, limits: Limits) {
    this.#handler = handler;
    this.#limits = limits;
    this.#namespaces = new NamespaceScope(limits);
    this.#attributes = new AttributeList(this.#namespaces, limits);
    this.#current = this.#frame(0);
    this.#current.maxDepth = limits.depth;
  }

  /** Elements opened, attributes compared and prefixes looked up. */
  get steps(): number {
    return this.#elements + this.#attributes.steps + this.#namespaces.steps;
  }

  /** Records kept: open elements, attributes, declarations. */
  get held(): number {
    return this.#frames.length + this.#attributes.held + this.#namespaces.held;
  }

  /** Counts an element, or other markup, which costs as much. */
  count(): void {
    if (++this.#elements <= this.#limits.elements) return;
    const subject = 'The number of elements, comments, instructions and CDATA sections';
    throw overLimit(this.#limits, 'elements', subject, 'in all');
  }

  /** A start tag begins. */
  start(name: string): void {
    this.count();
    const { maxDepth, maxDepthName } = this.#current;
    if (this.depth >= maxDepth) throw overLimit(this.#limits, maxDepthName, 'The depth of elements', 'levels');
    this.#starting = name;
    this.#attributes.clear();
  }

  /** An attribute of the start tag; `value` is normalised. */
  attribute(name: string, value: string): void {
    this.#attributes.add(name, value);
  }

  /** The start tag is complete. */
  open(): void {
    const element = this.#element;
    const outerNamespaces = this.#namespaces.size;
    element.attributes = this.#attributes.resolve();
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

  #bound(frame: OpenElement, content: Content): void {
    frame.mode = content.mode;
    frame.maxTextChars = content.maxChars ?? frame.maxTextChars;
    if (content.header !== true || this.headerDepth > 0) return;
    this.headerDepth = this.depth;
    frame.maxDepth = this.depth + this.#limits.headerDepth;
    frame.maxDepthName = 'headerDepth';
  }

  #enter(frame: OpenElement): void {
    this.#current = frame;
    this.name = frame.name;
    this.wantsText = frame.mode === 'text';
  }

  #frame(depth: number): OpenElement {
    this.#frames[depth] ??= new OpenElement();
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
      element.uri = this.#namespaces.resolve(element.prefix).uri;
    }
  }
}
