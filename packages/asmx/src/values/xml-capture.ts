import type { XmlElement } from '../xml/handler.ts';
import { escapeAttribute, escapeText } from '../xml/writer.ts';

/** Writes elements that are being read as a self-contained text, which declares each namespace where it is used. */
export class XmlCapture {
  readonly #parts: string[] = [];
  /** Names of the open elements, with what prefixes mean there. */
  readonly #open: { readonly name: string; readonly scope: ReadonlyMap<string, string> }[] = [];
  /** Whether the start tag before is not ended yet. */
  #inTag = false;
  readonly #outside: 'drop' | 'text' | 'markup';

  /**
   * @param outside what to do with text outside all elements: drop it, keep it as it is, or escape it like all other
   *   text.
   */
  constructor(outside: 'drop' | 'text' | 'markup') {
    this.#outside = outside;
  }

  open(element: XmlElement): void {
    this.#endTag(false);
    const scope = new Map(this.#open.at(-1)?.scope);
    const name = qualified(element.prefix, element.local);
    let tag = `<${name}`;
    const declare = (prefix: string, uri: string): void => {
      if ((scope.get(prefix) ?? (prefix === '' ? '' : undefined)) === uri || prefix === 'xml')
        return;
      scope.set(prefix, uri);
      tag += ` ${prefix === '' ? 'xmlns' : `xmlns:${prefix}`}="${escapeAttribute(uri)}"`;
    };
    declare(element.prefix, element.uri);
    for (const { prefix, uri } of element.attributes) if (prefix !== '') declare(prefix, uri);
    for (const { prefix, local, value } of element.attributes) {
      tag += ` ${qualified(prefix, local)}="${escapeAttribute(value)}"`;
      // A value may be a qualified name, as that of xsi:type is: its prefix must keep its meaning.
      const used = /^\s*([\w.-]+):[\w.-]+\s*$/.exec(value)?.[1];
      const meant = used === undefined ? undefined : element.namespaceOf(used);
      if (used !== undefined && meant !== undefined) declare(used, meant);
    }
    this.#parts.push(tag);
    this.#open.push({ name, scope });
    this.#inTag = true;
  }

  text(piece: string): void {
    const outside = this.#open.length === 0;
    if (outside && this.#outside === 'drop') return;
    this.#endTag(false);
    this.#parts.push(outside && this.#outside === 'text' ? piece : escapeText(piece));
  }

  /** The end of an element. @returns whether it was one of those that were opened here. */
  close(): boolean {
    const closed = this.#open.pop();
    if (closed === undefined) return false;
    if (this.#inTag) this.#endTag(true);
    else this.#parts.push(`</${closed.name}>`);
    return true;
  }

  /** Whether every element is closed. */
  get complete(): boolean {
    return this.#open.length === 0;
  }

  /** The text read; `undefined` for none. */
  get content(): string | undefined {
    return this.#parts.length === 0 ? undefined : this.#parts.join('');
  }

  #endTag(empty: boolean): void {
    if (!this.#inTag) return;
    this.#parts.push(empty ? ' />' : '>');
    this.#inTag = false;
  }
}

function qualified(prefix: string, local: string): string {
  return prefix === '' ? local : `${prefix}:${local}`;
}
