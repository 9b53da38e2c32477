import type { BindingForm } from './lexical-context.ts';
import { excerpt, LexicalError } from './lexical-error.ts';

/** Longest boolean text; a longer one is refused. */
const MAX_LENGTH = 5;

/**
 * Parses a boolean (semantics 2). In SOAP elements: `true`, `false`, `1` and `0`, as in XML Schema
 * and ASP.NET. In GET, POST and JSON text: the same in any case, and `yes`, `no`, `on`, `off`.
 * Surrounding blanks are ignored; an empty text is `false`.
 *
 * @throws {LexicalError}
 */
export function parseBoolean(text: string, form: BindingForm): boolean {
  switch (text) {
    case 'true':
    case '1':
      return true;
    case 'false':
    case '0':
    case '':
      return false;
    default:
      return parseOther(text.trim(), form);
  }
}

function parseOther(trimmed: string, form: BindingForm): boolean {
  switch (form === 'text' && trimmed.length <= MAX_LENGTH ? trimmed.toLowerCase() : trimmed) {
    case 'true':
    case '1':
      return true;
    case 'false':
    case '0':
    case '':
      return false;
    case 'yes':
    case 'on':
      if (form === 'text') return true;
      break;
    case 'no':
    case 'off':
      if (form === 'text') return false;
      break;
  }
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
