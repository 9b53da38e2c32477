import { ProtocolError } from '../contract/errors.ts';
import type { Content, ContentMode, XmlAttribute, XmlElement } from '../xml/handler.ts';
import type { MessagePlan } from './message-plan.ts';
import { rememberPrefixes } from './prefixes.ts';
import type { XmlValueReader } from './read-xml.ts';

interface Node {
  readonly element: XmlElement;
  readonly children: Node[];
  /** The namespaces of the prefixes that its values use. */
  readonly meanings: Map<string, string | undefined>;
  readonly namespaceOf: XmlElement['namespaceOf'];
  text: string;
}

/** The longest chain of references, since a value may refer to itself. */
const MOST_REFERENCES = 100;

/**
 * The elements of a body in SOAP encoding (SOAP 1.1 section 5). An element may refer to a value that stands elsewhere,
 * by `href="#id"` or, in SOAP 1.2, by `ref`. So the elements are kept, and read when all have come. The limits of the
 * body bound what is kept.
 */
export class ElementTree {
  readonly #open: Node[] = [];
  readonly #roots: Node[] = [];
  readonly #byId = new Map<string, Node>();

  get busy(): boolean {
    return this.#open.length > 0;
  }

  /** A child of the body. */
  begin(element: XmlElement): ContentMode | Content {
    return this.open(element);
  }

  open(element: XmlElement): ContentMode | Content {
    const meanings = new Map<string, string | undefined>();
    const { namespaceOf } = element;
    const node: Node = {
      element: kept(element, meanings),
      children: [],
      meanings,
      namespaceOf,
      text: '',
    };
    const parent = this.#open.at(-1);
    if (parent === undefined) this.#roots.push(node);
    else parent.children.push(node);
    this.#open.push(node);
    const id = element.attributes.find(
      ({ local, uri }) => local === 'id' && (uri === '' || uri.endsWith('encoding')),
    );
    if (id !== undefined) this.#byId.set(id.value, node);
    return 'text';
  }

  text(piece: string): void {
    this.#open.at(-1)!.text += piece;
  }

  close(): void {
    const { children, text, meanings, namespaceOf } = this.#open.pop()!;
    if (children.length > 0) return;
    // It may be a QName, or a list of them.
    rememberPrefixes(text, namespaceOf, meanings);
  }

  /**
   * Reads the first element as a message, of a bare one those that are called like its elements,
   * and follows every reference. @throws {ProtocolError}
   */
  replay(
    reader: XmlValueReader,
    { request, bare }: Pick<MessagePlan, 'request' | 'bare'>,
    value: Record<string, unknown>,
  ): void {
    const [first] = this.#roots;
    if (first === undefined) return;
    if (bare) {
      for (const member of request.elements) {
        const root = this.#roots.find(({ element }) => element.local === member.name);
        const to = { holder: value, index: undefined, name: member.property };
        if (root !== undefined)
          this.#replayNode(reader, root, 1, (element) =>
            reader.beginElement(member, element, to, true, true),
          );
      }
      return;
    }
    reader.begin(request, first.element, value, true);
    for (const child of first.children) this.#replayNode(reader, child, 1);
    reader.close();
  }

  #replayNode(
    reader: XmlValueReader,
    given: Node,
    level: number,
    open = (element: XmlElement) => reader.open(element),
  ): void {
    if (level > MOST_REFERENCES) {
      throw new ProtocolError(
        'MalformedRequest',
        `The references of the body are deeper than ${MOST_REFERENCES} levels.`,
        {
          status: 400,
        },
      );
    }
    const node = this.#target(given);
    const content = open(node === given ? given.element : referred(given.element, node.element));
    const mode = typeof content === 'string' ? content : content.mode;
    if (mode !== 'skip') {
      if (mode === 'text' && node.text !== '') reader.text(node.text);
      for (const child of node.children) this.#replayNode(reader, child, level + 1);
    }
    reader.close();
  }

  #target(node: Node): Node {
    const { attributes } = node.element;
    const href = attributes.find(({ local, uri }) => local === 'href' && uri === '')?.value;
    const reference =
      href?.startsWith('#') === true
        ? href.slice(1)
        : attributes.find(({ local, uri }) => local === 'ref' && uri.endsWith('encoding'))?.value;
    if (reference === undefined) return node;
    const target = this.#byId.get(reference);
    if (target === undefined) {
      throw new ProtocolError(
        'MalformedRequest',
        `The body has no element with the id ${reference.slice(0, 40)}.`,
        {
          status: 400,
        },
      );
    }
    return target;
  }
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
      const used = /^\s*([\w.-]+):/.exec(value)?.[1];
      if (used !== undefined) meanings.set(used, namespaceOf(used));
      return { uri: space, local: name, prefix: before, value };
    },
  );
  meanings.set('', namespaceOf(''));
  return { uri, local, prefix, attributes: copies, namespaceOf: (asked) => meanings.get(asked) };
}
