import { charsetDecoder } from './charset.ts';
import { header, type WireRequest } from './http.ts';

/** Names that clients write into Content-Encoding and that are no coding: of transfer encodings, of nothing. */
const NO_CODINGS = new Set([
  ...[
    '',
    'identity',
    'none',
    'null',
    'undefined',
    'default',
    'plain',
    'text',
    'xml',
    'json',
    'ansi',
    'utf',
    'unicode',
  ],
  ...['7bit', '8bit', 'binary', 'quoted-printable', 'base64', 'chunked'],
]);

/**
 * The coding in which a body is packed, in lower case; `undefined` for none. ASP.NET takes no notice of the header, and
 * its clients write charsets, media types and transfer encodings into it: such words name no coding, and the body is
 * plain. Anything else is taken at its word (RFC 9110 8.4.1), known or not.
 */
export function contentCodingOf(request: Pick<WireRequest, 'headers'>): string | undefined {
  const value = header(request, 'content-encoding');
  if (value === undefined) return undefined;
  const codings = value.toLowerCase().split(',').map(unquoted).filter(namesCoding);
  return codings.length === 0 ? undefined : codings.join(', ');
}

function unquoted(name: string): string {
  return name.trim().replace(/^"(.*)"$/, '$1');
}

/** A media type holds a slash, `charset=utf-8` an equals sign, and what is left may be a charset. */
function namesCoding(name: string): boolean {
  return !NO_CODINGS.has(name) && !/[/=]/.test(name) && charsetDecoder(name, false) === undefined;
}
