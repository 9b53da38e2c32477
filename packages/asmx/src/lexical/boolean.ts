import type { BindingForm } from './lexical-context.ts';
import { excerpt, LexicalError } from './lexical-error.ts';

/** The longest boolean text; a longer one is not looked at. */
const MAX_LENGTH = 5;

/**
 * Reads a boolean (semantics 2). In SOAP elements `true`, `false`, `1` and `0`, exactly as XML Schema and ASP.NET have
 * them; in GET, POST and JSON text those in any case, and `yes`, `no`, `on`, `off`. Blanks around are dropped; empty is
 * `false`.
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
