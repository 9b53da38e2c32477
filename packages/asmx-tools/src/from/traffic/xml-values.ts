/**
 * How far a value is taken: with all that lies in the element, the text of the element alone, or
 * not.
 */
export type Wanted = 'all' | 'text' | undefined;

export interface Replace {
  /**
   * How elements and attributes of a local name are looked at.
   * @param parent the local name of the element around it.
   */
  readonly wants: (name: string, parent: string) => Wanted;
  /** What replaces a text or an attribute's value; `undefined` leaves it. */
  readonly value: (name: string, content: string) => string | undefined;
  /** The same of texts and attributes that are not wanted. */
  readonly other?: (content: string) => string | undefined;
}

interface Open {
  readonly name: string;
  readonly wanted: Wanted;
}

/**
 * Replaces texts of elements, and values of attributes, by their local names. A scan over the text,
 * not a parse: it keeps every other character, and takes broken XML as far as it goes. Linear.
 */
export function replaceXmlValues(text: string, replace: Replace): string {
  const open: Open[] = [];
  let written = '';
  for (let at = 0; at < text.length; ) {
    const end = endOfText(text, at);
    if (end > at) {
      written += replacedText(text.slice(at, end), open.at(-1), replace);
      at = end;
      continue;
    }
    const aside = endOfAside(text, at);
    const close = aside ?? endOfTag(text, at);
    const tag = text.slice(at, close);
    at = close;
    if (aside !== undefined) written += tag;
    else if (tag[1] === '/') {
      open.pop();
      written += tag;
    } else written += opened(tag, open, replace);
  }
  return written;
}

/** Steps into an element. @returns its tag with attributes replaced. */
function opened(tag: string, open: Open[], replace: Replace): string {
  const around = open.at(-1);
  const name = localName(/^<([^\s/>]*)/.exec(tag)?.[1] ?? '');
  const own = around?.wanted === 'all' ? 'all' : replace.wants(name, around?.name ?? '');
  const isEmpty = tag.endsWith('/>');
  if (!isEmpty) open.push({ name, wanted: own });
  return replaceAttributes(tag, name, isEmpty && own !== undefined, replace);
}

function replacedText(content: string, around: Open | undefined, replace: Replace): string {
  if (content.trim() === '') return content;
  if (around?.wanted === undefined) return replace.other?.(content) ?? content;
  return replace.value(around.name, content) ?? content;
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/**
 * @param all whether what an attribute is called does not matter: an element without content says
 *   all in attributes.
 */
function replaceAttributes(tag: string, element: string, all: boolean, replace: Replace): string {
  return tag.replaceAll(
    /(\s)([^\s=/>"']+)(\s*=\s*)("[^"]*"|'[^']*')/g,
    (whole, space, name: string, equals, quoted: string) => {
      if (/^(?:xmlns|xsi|xml)(?:$|:)/.test(name)) return whole;
      const local = localName(name);
      const content = quoted.slice(1, -1);
      const isWanted = all || replace.wants(local, element) !== undefined;
      const value = isWanted ? replace.value(local, content) : replace.other?.(content);
      return value === undefined
        ? whole
        : `${space}${name}${equals}${quoted[0]}${value}${quoted[0]}`;
    },
  );
}

/** Where the text ends that begins here, with its CDATA sections. */
function endOfText(text: string, start: number): number {
  let at = start;
  for (;;) {
    if (text.startsWith('<![CDATA[', at)) at = endOfAside(text, at)!;
    else {
      const next = text.indexOf('<', at);
      if (next < 0) return text.length;
      if (!text.startsWith('<![CDATA[', next)) return next;
      at = next;
    }
  }
}

/**
 * Where a comment, a CDATA section or an instruction that begins here ends; `undefined` when none
 * begins.
 */
function endOfAside(text: string, at: number): number | undefined {
  for (const [start, end] of [
    ['<!--', '-->'],
    ['<![CDATA[', ']]>'],
    ['<?', '?>'],
  ] as const) {
    if (!text.startsWith(start, at)) continue;
    const found = text.indexOf(end, at + start.length);
    return found < 0 ? text.length : found + end.length;
  }
  return undefined;
}

/** Behind the tag that begins here; a `>` in quotes does not end it. */
function endOfTag(text: string, at: number): number {
  let quote = '';
  for (let i = at + 1; i < text.length; i++) {
    const unit = text[i]!;
    if (quote !== '') {
      if (unit === quote) quote = '';
    } else if (unit === '"' || unit === "'") quote = unit;
    else if (unit === '>') return i + 1;
  }
  return text.length;
}
