export interface Replace {
  /** Whether elements and attributes of a local name are looked at. */
  readonly wants: (name: string) => boolean;
  /** What is put in place of the content; `undefined` leaves it. */
  readonly value: (name: string, content: string) => string | undefined;
}

/**
 * Replaces the content of elements, and the values of attributes, by their local names. A scan over the text, not a
 * parse: it keeps every other character, and takes broken XML as far as it goes. Linear.
 */
export function replaceXmlValues(text: string, replace: Replace): string {
  let written = '';
  let from = 0;
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at)) {
    const aside = endOfAside(text, at);
    if (aside !== undefined) {
      at = aside;
      continue;
    }
    if (text[at + 1] === '/') {
      at++;
      continue;
    }
    const end = endOfTag(text, at);
    const tag = text.slice(at, end);
    const replaced = replaceAttributes(tag, replace);
    written += text.slice(from, at) + replaced;
    from = end;
    at = end;
    const name = localName(/^<([^\s/>]*)/.exec(tag)?.[1] ?? '');
    if (tag.endsWith('/>') || !replace.wants(name)) continue;
    const close = endOfElement(text, end);
    const value = replace.value(name, text.slice(end, close));
    if (value === undefined) continue;
    written += value;
    from = close;
    at = close;
  }
  return written + text.slice(from);
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function replaceAttributes(tag: string, replace: Replace): string {
  return tag.replaceAll(
    /(\s)([^\s=/>]+)(\s*=\s*)("[^"]*"|'[^']*')/g,
    (whole, space, name: string, equals, quoted: string) => {
      if (name.startsWith('xmlns')) return whole;
      const local = localName(name);
      const value = replace.wants(local) ? replace.value(local, quoted.slice(1, -1)) : undefined;
      return value === undefined ? whole : `${space}${name}${equals}${quoted[0]}${value}${quoted[0]}`;
    },
  );
}

/** Where a comment, a CDATA section or an instruction that begins here ends; `undefined` when none begins. */
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

/** Where the end tag stands of the element whose content begins here; the end of the text when there is none. */
function endOfElement(text: string, at: number): number {
  let depth = 0;
  for (let i = text.indexOf('<', at); i >= 0; i = text.indexOf('<', i)) {
    const aside = endOfAside(text, i);
    if (aside !== undefined) {
      i = aside;
      continue;
    }
    const end = endOfTag(text, i);
    if (text[i + 1] === '/') {
      if (depth === 0) return i;
      depth--;
    } else if (text[end - 2] !== '/') depth++;
    i = end;
  }
  return text.length;
}
