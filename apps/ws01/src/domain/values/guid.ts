/** .NET's `Guid.Empty`, which means "not given". */
export const NIL_GUID = '00000000-0000-0000-0000-000000000000';

/** Lengths of .NET's GUID text forms: N, D, and both B and P. */
const N_LENGTH = 32;
const D_LENGTH = 36;
const ENCLOSED_LENGTH = 38;

/** Bounds of form X: .NET also reads it with blanks and without leading zeros. */
const X_MIN_LENGTH = 26;
const X_MAX_LENGTH = 120;

const X_FORM =
  /^\{0x([0-9a-f]{1,8}),0x([0-9a-f]{1,4}),0x([0-9a-f]{1,4}),\{((?:0x[0-9a-f]{1,2},){7}0x[0-9a-f]{1,2})\}\}$/;

const D_FORM = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const N_FORM = /^[0-9a-f]{32}$/;

/**
 * Reads .NET's GUID text forms N (32 digits), D (with hyphens), B (in braces), P (in parentheses) and X (hexadecimal
 * numbers in braces), in any case.
 *
 * @param text without surrounding blanks.
 * @returns form D in lower case; `undefined` when the text has none of these forms.
 */
export function canonicalGuid(text: string): string | undefined {
  switch (text.length) {
    case D_LENGTH:
      return dFormOf(text);
    case ENCLOSED_LENGTH:
      return isEnclosed(text) ? dFormOf(text.slice(1, -1)) : undefined;
    case N_LENGTH: {
      const hex = text.toLowerCase();
      if (!N_FORM.test(hex)) return undefined;
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
    }
    default:
      return text.length >= X_MIN_LENGTH && text.startsWith('{') ? xFormOf(text) : undefined;
  }
}

function dFormOf(text: string): string | undefined {
  if (D_FORM.test(text)) return text;
  const lower = text.toLowerCase();
  return D_FORM.test(lower) ? lower : undefined;
}

function isEnclosed(text: string): boolean {
  return (
    (text.startsWith('{') && text.endsWith('}')) || (text.startsWith('(') && text.endsWith(')'))
  );
}

/** `{0x00112233,0x4455,0x6677,{0x88,0x99,0xaa,0xbb,0xcc,0xdd,0xee,0xff}}` as form D. */
function xFormOf(text: string): string | undefined {
  if (text.length > X_MAX_LENGTH) return undefined;
  const parts = X_FORM.exec(text.replace(/\s/g, '').toLowerCase());
  if (parts === null) return undefined;
  const [, first, second, third, last] = parts;
  const bytes = last!.split(',').map((byte) => byte.slice('0x'.length).padStart(2, '0'));
  const [head, tail] = [bytes.slice(0, 2).join(''), bytes.slice(2).join('')];
  return `${first!.padStart(8, '0')}-${second!.padStart(4, '0')}-${third!.padStart(4, '0')}-${head}-${tail}`;
}
