import { DomUtils, parseDocument } from 'htmlparser2';

type PageRoot = ReturnType<typeof parseDocument>;
export type PageElement = ReturnType<typeof DomUtils.getElementsByTagName>[number];

/** A page as the tests ask it: elements in document order, texts as a reader sees them. */
export class PageDocument {
  readonly #root: PageRoot;

  constructor(markup: string) {
    this.#root = parseDocument(markup);
  }

  /** Elements of one of the names that pass the test. */
  all(
    names: readonly string[],
    passes: (element: PageElement) => boolean = () => true,
  ): PageElement[] {
    return DomUtils.findAll(
      (element) => names.includes(element.name) && passes(element),
      this.#root.children,
    );
  }

  /** The one element with an id. @throws {Error} when there is none, or a second one. */
  byId(id: string): PageElement {
    const found = DomUtils.findAll((element) => element.attribs.id === id, this.#root.children);
    if (found.length !== 1) throw new Error(`${found.length} elements have the id ${id}`);
    return found[0]!;
  }

  /** The text of the body, style and script left out. */
  get text(): string {
    const hidden = new Set(this.all(['script', 'style']).map(textOf));
    const body = this.all(['body'])[0];
    return [...hidden].reduce(
      (text, part) => text.replace(part, ''),
      body === undefined ? '' : textOf(body),
    );
  }
}

/** The text of an element with its blanks as they are. */
export function textOf(element: PageElement): string {
  return DomUtils.textContent(element);
}
