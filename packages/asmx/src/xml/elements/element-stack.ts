import type { Limits } from '../../contract/limits.ts';
import { overLimit } from '../errors.ts';
import type { Content, ContentMode, ExpectedLeaves, XmlHandler } from '../handler.ts';
import { AttributeList, NO_ATTRIBUTES } from './attribute-list.ts';
import { NamespaceScope, prefixOf } from './namespaces.ts';

/** An open element. Reused at its depth. */
class OpenElement {
  /** As written, with its prefix. */
  name = '';
  mode: ContentMode = 'elements';
  /** Namespace declarations in scope outside it. */
  outerNamespaces = 0;
  /** The largest depth of elements inside it, and the limit that sets it. */
  maxDepth = 0;
  maxDepthName: 'depth' | 'headerDepth' = 'depth';
  textChars = 0;
  maxTextChars = 0;
  /**
   * The expected children that it was last opened with, and their names as they are written here.
   */
  leaves: ExpectedLeaves | undefined = undefined;
  leafPrefix = '';
  leafNames: readonly string[] = NO_NAMES;
  /** Those that may come next: the first of them, and the one behind them. */
  nextLeaf = 0;
  behindLeaves = 0;
}

const GREATER = 0x3e;
const NO_NAMES: readonly string[] = [];

/** Largest number of expected children that may be missing between two others. */
const MOST_MISSING = 8;

function expectFrom(frame: OpenElement, index: number): void {
  frame.nextLeaf = index;
  frame.behindLeaves = Math.min(frame.leafNames.length, index + MOST_MISSING);
}

/**
 * The stack of open elements. It checks names, namespaces and limits, and calls the handler.
 * @throws {XmlRefusal} from every method.
 */
export class ElementStack {
  depth = 0;
  /** The name of the innermost open element as written. */
  name = '';
  /** Whether the handler wants the text that follows. */
  wantsText = false;
  /** Whether the handler wants to know of text that is read over. */
  mindsText = false;
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
  /** The expected child found last. */
  #leaf = 0;
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

  /** Counts an element, or other markup of the same cost, against the limit. */
  count(): void {
    if (++this.#elements <= this.#limits.elements) return;
    const subject = 'The number of elements, comments, instructions and CDATA sections';
    throw overLimit(this.#limits, 'elements', subject, 'in all');
  }

  /** Starts a start tag. */
  start(name: string): void {
    this.#countElement();
    this.#starting = name;
    this.#attributes.clear();
  }

  /**
   * The name as written of the expected child whose plain start tag begins at an index; `''` for
   * any other. By {@link leaf} it is reported.
   */
  expectedLeaf(text: string, at: number): string {
    const frame = this.#current;
    const { leafNames, behindLeaves } = frame;
    for (let index = frame.nextLeaf; index < behindLeaves; index++) {
      const name = leafNames[index]!;
      if (text.charCodeAt(at + name.length + 1) !== GREATER || !text.startsWith(name, at + 1))
        continue;
      this.#leaf = index;
      return name;
    }
    return '';
  }

  /** Reports the expected child found last, whose text is within the limits. */
  leaf(text: string): void {
    this.#countElement();
    const frame = this.#current;
    if (!frame.leaves!.repeated) expectFrom(frame, this.#leaf + 1);
    this.#handler.leaf!(this.#leaf, text);
  }

  /** Adds an attribute to the start tag; `value` is normalised. */
  attribute(name: string, value: string): void {
    this.#attributes.add(name, value);
  }

  /** Ends the start tag. */
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
    frame.behindLeaves = 0;
    if (typeof content === 'string') frame.mode = content;
    else this.#bound(frame, content);
    this.#enter(frame);
  }

  /** Closes the innermost element; the caller has compared the name of the end tag. */
  close(): void {
    const outer = this.#frames[this.depth - 1]!;
    if (outer.mode !== 'skip') this.#handler.close();
    if (this.headerDepth === this.depth) this.headerDepth = 0;
    this.#namespaces.restore(this.#current.outerNamespaces);
    this.depth--;
    this.#enter(outer);
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

  /** Text of the innermost element that is read over. */
  stray(): void {
    this.mindsText = false;
    this.#handler.stray!();
  }

  #bound(frame: OpenElement, content: Content): void {
    frame.mode = content.mode;
    frame.maxTextChars = content.maxChars ?? frame.maxTextChars;
    if (content.header === true && this.headerDepth === 0) {
      this.headerDepth = this.depth;
      frame.maxDepth = this.depth + this.#limits.headerDepth;
      frame.maxDepthName = 'headerDepth';
    }
    if (content.leaves !== undefined && this.headerDepth === 0 && this.#handler.leaf !== undefined)
      this.#expect(frame, content.leaves);
  }

  /** Toolkits write expected children with the prefix of their parent, or without one. */
  #expect(frame: OpenElement, leaves: ExpectedLeaves): void {
    const { uri } = this.#element;
    if (leaves.uri !== uri && leaves.uri !== this.#namespaces.defaultNamespace.uri) return;
    const prefix = leaves.uri === uri ? this.#element.prefix : '';
    if (frame.leaves !== leaves || frame.leafPrefix !== prefix) {
      const { locals } = leaves;
      frame.leaves = leaves;
      frame.leafPrefix = prefix;
      frame.leafNames = prefix === '' ? locals : locals.map((local) => `${prefix}:${local}`);
    }
    expectFrom(frame, 0);
  }

  #countElement(): void {
    this.count();
    const { maxDepth, maxDepthName } = this.#current;
    if (this.depth >= maxDepth)
      throw overLimit(this.#limits, maxDepthName, 'The depth of elements', 'levels');
  }

  #enter(frame: OpenElement): void {
    this.#current = frame;
    this.name = frame.name;
    this.wantsText = frame.mode === 'text';
    this.mindsText = frame.mode === 'elements' && this.#handler.stray !== undefined;
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
