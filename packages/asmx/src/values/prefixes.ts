import type { XmlElement } from '../xml/handler.ts';

/** What may be the prefix of a qualified name, in a list or a path of them, too. */
const PREFIXES = /(?<![\p{L}\p{N}_.-])([\p{L}_][\p{L}\p{N}_.-]*):/gu;

/** Remembers what the prefixes in a text mean, which an element says only while it is read. */
export function rememberPrefixes(
  text: string,
  namespaceOf: XmlElement['namespaceOf'],
  meanings: Map<string, string | undefined>,
): void {
  for (const [, prefix = ''] of text.matchAll(PREFIXES)) {
    if (!meanings.has(prefix)) meanings.set(prefix, namespaceOf(prefix));
  }
}

/**
 * A text with other prefixes.
 * @param other what takes the place of one, with its colon; `undefined` to keep it.
 */
export function withPrefixes(text: string, other: (prefix: string) => string | undefined): string {
  return text.replace(PREFIXES, (whole, prefix: string) => other(prefix) ?? whole);
}

/** The same as a function, to read the text by later. */
export function prefixesOf(
  text: string,
  namespaceOf: XmlElement['namespaceOf'],
): XmlElement['namespaceOf'] {
  const meanings = new Map([['', namespaceOf('')]]);
  rememberPrefixes(text, namespaceOf, meanings);
  return (prefix) => meanings.get(prefix);
}
