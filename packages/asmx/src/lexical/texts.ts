import type { LexicalContext, WriteName } from './lexical-context.ts';
import { excerpt, LexicalError } from './lexical-error.ts';

/** XML Schema's normalization of white space (part 2, 4.3.6). */
export type WhiteSpace = 'preserve' | 'replace' | 'collapse';

export function normaliseSpace(text: string, whiteSpace: WhiteSpace): string {
  if (whiteSpace === 'preserve') return text;
  const replaced = /[\t\n\r]/.test(text) ? text.replace(/[\t\n\r]/g, ' ') : text;
  if (whiteSpace === 'replace') return replaced;
  return replaced.includes('  ') || replaced.startsWith(' ') || replaced.endsWith(' ')
    ? replaced
        .split(' ')
        .filter((part) => part !== '')
        .join(' ')
    : replaced;
}

const NAME_START = '\\p{L}\\p{Nl}_';
const NAME_PART = `${NAME_START}\\p{N}\\p{M}\\p{Pc}.\\-·`;

const FORMS: ReadonlyMap<string, { readonly pattern: RegExp; readonly what: string }> = new Map(
  Object.entries({
    language: { pattern: /^[a-zA-Z]{1,8}(?:-[a-zA-Z0-9]{1,8})*$/, what: 'a language, like en-GB' },
    Name: { pattern: new RegExp(`^[${NAME_START}:][${NAME_PART}:]*$`, 'u'), what: 'an XML name' },
    NCName: {
      pattern: new RegExp(`^[${NAME_START}][${NAME_PART}]*$`, 'u'),
      what: 'an XML name without a colon',
    },
    NMTOKEN: { pattern: new RegExp(`^[${NAME_PART}:]+$`, 'u'), what: 'a name token' },
    QName: {
      pattern: new RegExp(
        `^(?:[${NAME_START}][${NAME_PART}]*:)?[${NAME_START}][${NAME_PART}]*$`,
        'u',
      ),
      what: 'a qualified name',
    },
  }),
);
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['ID', 'NCName'],
  ['IDREF', 'NCName'],
  ['ENTITY', 'NCName'],
  ['NOTATION', 'QName'],
]);

/**
 * Checks a name: its type is one of XML Schema's types of names, or `language`.
 * @throws {LexicalError}
 */
export function checkName(text: string, type: string): string {
  const { pattern, what } = FORMS.get(ALIASES.get(type) ?? type)!;
  if (pattern.test(text)) return text;
  throw new LexicalError(`"${excerpt(text)}" is not ${what}.`);
}

/**
 * Reads a qualified name. @param namespaceOf what prefixes mean; absent where there are none: names
 * are in Clark's notation.
 * @returns `{namespace}name`, or `name` for one in no namespace. @throws {LexicalError}
 */
export function parseQualifiedName(
  text: string,
  namespaceOf: LexicalContext['namespaceOf'],
): string {
  if (namespaceOf === undefined) return formatQualifiedName(text);
  checkName(text, 'QName');
  const colon = text.indexOf(':');
  const prefix = text.slice(0, Math.max(colon, 0));
  const namespace = namespaceOf(prefix);
  if (namespace === undefined) {
    throw new LexicalError(
      `the prefix of "${excerpt(text)}" is not declared; declare it by xmlns:${excerpt(prefix)}.`,
    );
  }
  const local = text.slice(colon + 1);
  return namespace === '' ? local : `{${namespace}}${local}`;
}

/**
 * Writes a name that is in Clark's notation.
 * @param write how; in the same notation when absent.
 * @throws {LexicalError}
 */
export function formatQualifiedName(name: string, write?: WriteName): string {
  const end = name.startsWith('{') ? name.lastIndexOf('}') : -1;
  const local = name.slice(end + 1);
  if (end === 0 || end === 1 || !FORMS.get('NCName')!.pattern.test(local)) {
    throw new LexicalError(
      `"${excerpt(name)}" is not a qualified name; write {namespace}name, or name for no namespace.`,
    );
  }
  if (write === undefined) return name;
  return write(end < 0 ? '' : name.slice(1, end), local);
}

const GUID = /^\{?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\}?$/i;

/**
 * Parses a GUID: 32 hexadecimal digits in five groups, optionally in braces.
 * @returns it in lower case.
 */
export function parseGuid(text: string): string {
  const found = GUID.exec(text.trim());
  if (found !== null) return found[1]!.toLowerCase();
  throw new LexicalError(
    `"${excerpt(text.trim())}" is not a GUID; write one like 6f9619ff-8b86-d011-b42d-00cf4fc964ff.`,
    'Guid should contain 32 digits with 4 dashes (xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx).',
  );
}

/** Reads hexadecimal digits, two a byte. @throws {LexicalError} */
export function parseHex(text: string): Uint8Array {
  const trimmed = text.trim();
  if (/^(?:[0-9a-fA-F]{2})*$/.test(trimmed)) return new Uint8Array(Buffer.from(trimmed, 'hex'));
  throw new LexicalError(
    `"${excerpt(trimmed)}" is not hexBinary; write two hexadecimal digits a byte.`,
  );
}

/** The rules of a contract for a text. */
interface TextBounds {
  readonly maxLength?: number | undefined;
  readonly singleLine?: boolean | undefined;
}

/**
 * Characters forbidden in every text, and in a text of one line. A character class is several times
 * as fast as a loop.
 */
const FORBIDDEN = /[^\t\n\r -\ufffd]/;
const FORBIDDEN_IN_LINE = /[^ -\ufffd]/;

/**
 * Checks that a parameter's text can be stored and written again, and follows the rules of the
 * contract (semantics 2): no characters that XML 1.0 forbids (U+0000 and other controls except TAB,
 * CR and LF; lone surrogates; U+FFFE, U+FFFF), at most `maxLength` code points, and CR, LF and TAB
 * only in parameters of several lines.
 *
 * @throws {LexicalError}
 */
export function checkText(text: string, limits: TextBounds): void {
  const { maxLength, singleLine } = limits;
  // A text has at most as many code points as code units, so a short one need not be counted.
  if (maxLength !== undefined && text.length > maxLength && codePointsExceed(text, maxLength)) {
    throw new LexicalError(`The text is longer than ${maxLength} characters; shorten it.`);
  }
  if (!text.isWellFormed())
    throw new LexicalError('The text has half of a surrogate pair; write whole characters.');
  const at = text.search(singleLine ? FORBIDDEN_IN_LINE : FORBIDDEN);
  if (at >= 0) throw forbidden(text.charCodeAt(at), at);
}

function codePointsExceed(text: string, most: number): boolean {
  if (text.length > 2 * most) return true;
  // Each pair of code units that is one code point takes one off.
  let codePoints = text.length;
  for (let at = 0; at < text.length && codePoints > most; at++) {
    if (text.codePointAt(at)! > 0xffff) {
      codePoints--;
      at++;
    }
  }
  return codePoints > most;
}

function forbidden(code: number, at: number): LexicalError {
  if (code === 0x09 || code === 0x0a || code === 0x0d) {
    return new LexicalError('The text has one line; leave out line breaks and tabs.');
  }
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  return new LexicalError(
    `Character ${at + 1} of the text is ${name}, which XML forbids; leave it out.`,
  );
}
