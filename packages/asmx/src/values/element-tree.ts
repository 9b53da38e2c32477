import { ProtocolError } from '../contract/errors.ts';
import type { Content, ContentMode, XmlAttribute, XmlElement } from '../xml/handler.ts';
import { bodyOf, type MessagePlan } from './message-plan.ts';
import { rememberPrefixes } from './prefixes.ts';
import type { ReadValue, XmlValueReader } from './read-xml.ts';
import { MOST_LEVELS } from './result-error.ts';

interface Node {
  readonly element: XmlElement;
  /** Elements, and the pieces of text between them. */
  readonly content: (Node | string)[];
  /** The namespaces of the prefixes that its values use. */
  readonly meanings: Map<string, string | undefined>;
  readonly namespaceOf: XmlElement['namespaceOf'];
  /** Whether a reference to it was followed. */
  isReferred: boolean;
}

/** Begins to read an element. */
type Opening = (element: XmlElement) => ContentMode | Content;

/** The deepest value, with what it refers to, as deep as one may be written. */
const MOST_REFERENCES = MOST_LEVELS;
/** So many times as much as a body has, or `LEAST_READ`, is read of it with all repetitions. */
const MOST_TIMES = 10;
/** Elements and characters. */
const LEAST_READ = 1_000_000;
/** The longest chain of references to references. */
const MOST_CHAINED = 10;

/**
 * The elements of a body in SOAP encoding (SOAP 1.1 section 5). An element may refer to a value
 * that stands elsewhere, by `href="#id"` or, in SOAP 1.2, by `ref`. So the elements are kept, and
 * read when all have come. The limits of the body bound what is kept. What is referred to twice,
 * perhaps from within itself, is one value.
 */
export class ElementTree {
  readonly #open: Node[] = [];
  readonly #roots: Node[] = [];
  readonly #byId = new Map<string, Node>();
  /** The values that references were followed to. */
  readonly #values = new Map<Node, ReadValue>();
  #kept = 0;
  #read = 0;

  get busy(): boolean {
    return this.#open.length > 0;
  }

  /** A child of the body. */
  begin(element: XmlElement): 'text' {
    this.#roots.push(this.#keep(element));
    return 'text';
  }

  /**
   * A header, or the detail of a fault, which may refer to what is in the body.
   * @param read begins to read its value.
   * @returns what reads it when all has come, before the message; it throws a
   *   {@link ProtocolError}.
   */
  beginBlock(element: XmlElement, reader: XmlValueReader, read: Opening): () => void {
    const node = this.#keep(element);
    return () => this.#replayNode(reader, node, 1, read);
  }

  open(element: XmlElement): 'text' {
    // Before it is open itself.
    const { content } = this.#open.at(-1)!;
    content.push(this.#keep(element));
    return 'text';
  }

  #keep(element: XmlElement): Node {
    const meanings = new Map<string, string | undefined>();
    const { namespaceOf } = element;
    const node: Node = {
      element: kept(element, meanings),
      content: [],
      meanings,
      namespaceOf,
      isReferred: false,
    };
    this.#kept++;
    this.#open.push(node);
    const id = element.attributes.find(
      ({ local, uri }) => local === 'id' && (uri === '' || uri.endsWith('encoding')),
    );
    if (id !== undefined) this.#byId.set(id.value, node);
    return node;
  }

  text(piece: string): void {
    this.#open.at(-1)!.content.push(piece);
    this.#kept += piece.length;
  }

  close(): void {
    const { content, meanings, namespaceOf } = this.#open.pop()!;
    // It may be a QName, a list of them, or free XML with such texts between its elements.
    const texts = content.map((part) => (typeof part === 'string' ? part : ' '));
    rememberPrefixes(texts.join(''), namespaceOf, meanings);
  }

  /**
   * Reads the first element as a message, of a bare one those that are called like its elements,
   * and follows every reference. Tells what nothing takes or refers to.
   * @param tell gets the name of an element of the body that is left. @throws {ProtocolError}
   */
  replay(
    reader: XmlValueReader,
    { request, bare }: Pick<MessagePlan, 'request' | 'bare'>,
    value: Record<string, unknown>,
    tell: (path: string) => void,
  ): void {
    const read = new Set<Node>();
    if (bare) {
      for (const member of bodyOf(request)) {
        const root = this.#roots.find(({ element }) => element.local === member.name);
        if (root === undefined) continue;
        const to = { holder: value, index: undefined, name: member.property };
        this.#replayNode(reader, root, 1, (element) =>
          reader.beginElement(member, element, to, true, true),
        );
        read.add(root);
      }
    } else if (this.#roots[0] !== undefined) {
      const [first] = this.#roots;
      reader.begin(request, first.element, value, true);
      this.#replayContent(reader, first, 'elements', 1);
      reader.close();
      read.add(first);
    }
    for (const root of this.#roots)
      if (!read.has(root) && !root.isReferred) tell(root.element.local);
  }

  #replayNode(
    reader: XmlValueReader,
    given: Node,
    level: number,
    open: Opening = (element) => reader.open(element),
  ): void {
    this.#count(1);
    if (level > MOST_REFERENCES)
      throw malformed(`The references of the body are deeper than ${MOST_REFERENCES} levels.`);
    const node = this.#target(given);
    const content = open(node === given ? given.element : referred(given.element, node.element));
    const mode = typeof content === 'string' ? content : content.mode;
    const known = node.isReferred ? this.#values.get(node) : undefined;
    if (known !== undefined && reader.repeats(known)) {
      reader.close();
      return;
    }
    const { opened } = reader;
    // It may be referred to from within itself, or later.
    if (opened !== undefined) this.#values.set(node, opened);
    this.#replayContent(reader, node, mode, level);
    reader.close();
  }

  #replayContent(reader: XmlValueReader, node: Node, mode: ContentMode, level: number): void {
    if (mode === 'skip') return;
    for (const part of node.content) {
      if (typeof part !== 'string') this.#replayNode(reader, part, level + 1);
      else if (mode === 'text') {
        this.#count(part.length);
        reader.text(part);
      } else if (part.trim() !== '') reader.stray();
    }
  }

  /** @throws {ProtocolError} where references make far more of a body than it has. */
  #count(size: number): void {
    this.#read += size;
    if (this.#read > Math.max(LEAST_READ, MOST_TIMES * this.#kept))
      throw malformed('The references of the body repeat too much of it.');
  }

  /** What an element refers to; itself where it refers to nothing. */
  #target(given: Node): Node {
    let node = given;
    for (let chained = 0; ; chained++) {
      const reference = referenceOf(node.element);
      if (reference === undefined) return node;
      if (chained === MOST_CHAINED)
        throw malformed(`More than ${MOST_CHAINED} elements of the body refer to each other.`);
      const target = this.#byId.get(reference);
      if (target === undefined)
        throw malformed(`The body has no element with the id ${reference.slice(0, 40)}.`);
      target.isReferred = true;
      node = target;
    }
  }
}

/** The id of what an element refers to. */
function referenceOf({ attributes }: XmlElement): string | undefined {
  const href = attributes.find(({ local, uri }) => local === 'href' && uri === '')?.value;
  if (href?.startsWith('#') === true) return href.slice(1);
  return attributes.find(({ local, uri }) => local === 'ref' && uri.endsWith('encoding'))?.value;
}

function malformed(message: string): ProtocolError {
  return new ProtocolError('MalformedRequest', message, { status: 400 });
}

/** The referring element with the attributes and prefixes of the element that it refers to. */
function referred(by: XmlElement, to: XmlElement): XmlElement {
  return { ...by, attributes: to.attributes, namespaceOf: to.namespaceOf };
}

/**
 * Copies an element, to keep it longer than the reader does.
 * @param meanings gets the namespaces of the prefixes that its values use.
 */
function kept(
  { uri, local, prefix, attributes, namespaceOf }: XmlElement,
  meanings: Map<string, string | undefined>,
): XmlElement {
  const copies = attributes.map(
    ({ uri: space, local: name, prefix: before, value }): XmlAttribute => {
      rememberPrefixes(value, namespaceOf, meanings);
      return { uri: space, local: name, prefix: before, value };
    },
  );
  meanings.set('', namespaceOf(''));
  return { uri, local, prefix, attributes: copies, namespaceOf: (asked) => meanings.get(asked) };
}
