import type { XmlElement } from '../xml/handler.ts';
import { escapeAttribute, escapeText } from '../xml/writer.ts';
import { rememberPrefixes } from './prefixes.ts';

/**
 * Writes elements that are being read as a self-contained text, which declares each namespace where
 * it is used.
 */
export class XmlCapture {
  readonly #parts: string[] = [];
  /** Names of the open elements, with what prefixes mean there. */
  readonly #open: {
    readonly name: string;
    /** Where its start tag is among the parts. */
    readonly tag: number;
    readonly scope: Map<string, string>;
    readonly namespaceOf: XmlElement['namespaceOf'];
  }[] = [];
  /** Whether the start tag before is not ended yet. */
  #inTag = false;
  readonly #outside: 'drop' | 'keep';
  readonly #texts: string[] = [];
  /** The text since the last tag, so far as it is looked through for names. */
  #run = '';
  #hasElements = false;
  readonly #hasNames: boolean;

  /**
   * @param outside what to do with text outside all elements.
   * @param hasNames whether values may be names without a prefix: then the default namespace keeps
   *   its meaning, too.
   */
  constructor(outside: 'drop' | 'keep', hasNames = false) {
    this.#hasNames = hasNames;
    this.#outside = outside;
  }

  open(element: XmlElement): void {
    this.#hasElements = true;
    this.#endRun();
    this.#endTag(false);
    const scope = new Map(this.#open.at(-1)?.scope);
    const name = qualified(element.prefix, element.local);
    let tag = `<${name}`;
    const declare = (prefix: string, uri: string): void => {
      tag += declaration(scope, prefix, uri);
    };
    if (this.#hasNames && this.#open.length === 0 && element.prefix !== '') {
      const byDefault = element.namespaceOf('') ?? '';
      scope.set('', byDefault);
      tag += ` xmlns="${escapeAttribute(byDefault)}"`;
    }
    declare(element.prefix, element.uri);
    for (const { prefix, uri } of element.attributes) if (prefix !== '') declare(prefix, uri);
    // The reader has one element for all that it reports.
    const namespaceOf = element.namespaceOf.bind(element);
    for (const { prefix, local, value } of element.attributes)
      tag += ` ${qualified(prefix, local)}="${escapeAttribute(value)}"${declarationsIn(value, scope, namespaceOf)}`;
    this.#open.push({ name, tag: this.#parts.length, scope, namespaceOf });
    this.#parts.push(tag);
    this.#inTag = true;
  }

  /** @returns false for text that is dropped, and is more than white space. */
  text(piece: string): boolean {
    const outside = this.#open.length === 0;
    if (outside && this.#outside === 'drop') return piece.trim() === '';
    this.#endTag(false);
    if (outside) this.#texts.push(piece);
    else if (this.#run.length <= MOST_NAMES) this.#run += piece;
    this.#parts.push(escapeText(piece));
    return true;
  }

  /** The end of an element. @returns whether it was one of those that were opened here. */
  close(): boolean {
    this.#endRun();
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

  /** The text of what has no elements; `undefined` where there is one. */
  get textOnly(): string | undefined {
    return this.#hasElements ? undefined : this.#texts.join('');
  }

  /** What was read, as XML; `undefined` for nothing. */
  get content(): string | undefined {
    return this.#parts.length === 0 ? undefined : this.#parts.join('');
  }

  /** Declares what a text uses where its element begins. */
  #endRun(): void {
    const open = this.#open.at(-1);
    if (open !== undefined && this.#run.length <= MOST_NAMES)
      this.#parts[open.tag] += declarationsIn(this.#run, open.scope, open.namespaceOf);
    this.#run = '';
  }

  #endTag(empty: boolean): void {
    if (!this.#inTag) return;
    this.#parts.push(empty ? ' />' : '>');
    this.#inTag = false;
  }
}

/** The longest text that is looked through for names, UTF-16 code units. */
const MOST_NAMES = 1_000;

/** The declaration of a prefix, unless it means that already. */
function declaration(scope: Map<string, string>, prefix: string, uri: string): string {
  if ((scope.get(prefix) ?? (prefix === '' ? '' : undefined)) === uri || prefix === 'xml')
    return '';
  scope.set(prefix, uri);
  return ` ${prefix === '' ? 'xmlns' : `xmlns:${prefix}`}="${escapeAttribute(uri)}"`;
}

/**
 * A value or text may hold qualified names, as xsi:type and paths do: their prefixes must keep
 * their meaning.
 */
function declarationsIn(
  text: string,
  scope: Map<string, string>,
  namespaceOf: XmlElement['namespaceOf'],
): string {
  if (!text.includes(':')) return '';
  const meanings = new Map<string, string | undefined>();
  rememberPrefixes(text, namespaceOf, meanings);
  let declarations = '';
  for (const [prefix, uri] of meanings)
    if (uri !== undefined) declarations += declaration(scope, prefix, uri);
  return declarations;
}

function qualified(prefix: string, local: string): string {
  return prefix === '' ? local : `${prefix}:${local}`;
}
