import type { BindingForm } from './lexical-context.ts';
import { excerpt, LexicalError } from './lexical-error.ts';

/** Longest boolean text; a longer one is refused. */
const MAX_LENGTH = 5;

const VALUES: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
  ['', false],
]);

/** Those of texts of people, in lower case. */
const WORDS: ReadonlyMap<string, boolean> = new Map([
  ...VALUES,
  ['yes', true],
  ['on', true],
  ['no', false],
  ['off', false],
]);

/**
 * Parses a boolean (semantics 2). In SOAP elements: `true`, `false`, `1` and `0`, as in XML Schema
 * and ASP.NET. In GET, POST and JSON text: the same in any case, and `yes`, `no`, `on`, `off`.
 * Surrounding blanks are ignored; an empty text is `false`.
 *
 * @throws {LexicalError}
 */
export function parseBoolean(text: string, form: BindingForm): boolean {
  const known = VALUES.get(text);
  if (known !== undefined) return known;
  const trimmed = text.trim();
  const isWord = form === 'text' && trimmed.length <= MAX_LENGTH;
  const value = isWord ? WORDS.get(trimmed.toLowerCase()) : VALUES.get(trimmed);
  if (value !== undefined) return value;
  throw form === 'element'
    ? new LexicalError(
        `"${excerpt(trimmed)}" is not a boolean; write true, false, 1 or 0.`,
        `The string '${excerpt(trimmed)}' is not a valid Boolean value.`,
      )
    : new LexicalError(
        `"${excerpt(trimmed)}" is not a boolean; write true, false, 1, 0, yes, no, on or off.`,
        'String was not recognized as a valid Boolean.',
      );
}
