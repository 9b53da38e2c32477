/** The GUID that .NET's `Guid.Empty` writes: "not given". */
export const NIL_GUID = '00000000-0000-0000-0000-000000000000';

/** Lengths of .NET's GUID text forms: N, D, and both B and P. */
const N_LENGTH = 32;
const D_LENGTH = 36;
const ENCLOSED_LENGTH = 38;

const D_FORM = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const N_FORM = /^[0-9a-f]{32}$/;

/**
 * Reads .NET's GUID text forms N (32 digits), D (with hyphens), B (in braces) and P (in parentheses), in any case.
 *
 * @param text without blanks around it.
 * @returns form D in lower case; `undefined` when the text is none of them.
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
      return undefined;
  }
}

function dFormOf(text: string): string | undefined {
  if (D_FORM.test(text)) return text;
  const lower = text.toLowerCase();
  return D_FORM.test(lower) ? lower : undefined;
}

function isEnclosed(text: string): boolean {
  return (text.startsWith('{') && text.endsWith('}')) || (text.startsWith('(') && text.endsWith(')'));
}
