import { DEFAULT_LIMITS } from '../contract/limits.ts';
import { shown } from '../lexical/numbers.ts';
import { createXmlReader } from '../xml/reader.ts';
import { ResultError } from './result-error.ts';

/**
 * XML that a handler returned, as it is written where another default namespace holds: what has no
 * namespace keeps none.
 * @param scope the default namespace around.
 * @throws {ResultError} when it is not well-formed.
 */
export function freeXml(value: unknown, scope: string, path: string): string {
  if (typeof value !== 'string')
    throw new ResultError(path, `${shown(value)} is not a text of XML.`);
  if (value === '') return '';
  const outermost = outermostWithoutNamespace(value, path);
  return scope === '' || outermost.every((none) => !none) ? value : undeclared(value, outermost);
}

/**
 * Of each outermost element, whether a name in it has neither prefix nor namespace.
 * @throws {ResultError}
 */
function outermostWithoutNamespace(xml: string, path: string): readonly boolean[] {
  const outermost: boolean[] = [];
  let depth = 0;
  const reader = createXmlReader(
    {
      open({ prefix, uri }) {
        if (depth === 1) outermost.push(false);
        if (depth++ > 0 && prefix === '' && uri === '') outermost[outermost.length - 1] = true;
        return 'elements';
      },
      text: () => {},
      close: () => {
        depth--;
      },
    },
    { limits: DEFAULT_LIMITS },
  );
  try {
    reader.push(Buffer.from(`<x>${xml}</x>`));
    reader.end();
  } catch (error) {
    throw new ResultError(
      path,
      `it is not well-formed XML: ${error instanceof Error ? error.message : error}`,
    );
  }
  return outermost;
}

/** Anything that is no element; an end tag; or a start tag with its name, attributes and end. */
const MARKUP =
  /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<\?[\s\S]*?\?>|<\/[^>]*>|<([^\s/>]+)((?:"[^"]*"|'[^']*'|[^>"'])*)>/g;

/**
 * Well-formed XML with `xmlns=""` at those outermost elements that need it and declare no default
 * namespace of their own.
 */
function undeclared(xml: string, outermost: readonly boolean[]): string {
  let depth = 0;
  let at = 0;
  return xml.replace(MARKUP, (markup, name: string | undefined, attributes: string) => {
    if (name === undefined) {
      if (markup.startsWith('</')) depth--;
      return markup;
    }
    const isOutermost = depth === 0;
    if (!attributes.endsWith('/')) depth++;
    if (!isOutermost || !outermost[at++] || declaresDefault(attributes)) return markup;
    return `<${name} xmlns=""${attributes}>`;
  });
}

function declaresDefault(attributes: string): boolean {
  return /\sxmlns\s*=/.test(attributes.replace(/"[^"]*"|'[^']*'/g, '""'));
}
