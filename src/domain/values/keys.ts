import { randomUUIDv7 } from 'node:crypto';
import { Ws01Error } from '../../contract/errors.ts';
import { LENGTHS } from '../../contract/parameters.ts';

const ZERO_GUID = '00000000-0000-0000-0000-000000000000';

/** Lengths of .NET's GUID text forms: N, D, and both B and P. */
const N_LENGTH = 32;
const D_LENGTH = 36;
const ENCLOSED_LENGTH = 38;

/** Fixed lengths, no alternatives: matched in one pass. */
const D_FORM = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const N_FORM = /^[0-9a-f]{32}$/;

/**
 * The one form of a key that is stored, compared and returned (semantics 2): without blanks around it, and a GUID in
 * .NET's form N, D, B or P, in any case, as form D in lower case. Everything else stays as it is.
 */
export function canonicalKey(text: string): string {
  const trimmed = text.trim();
  return canonicalGuid(trimmed) ?? trimmed;
}

/**
 * A key that must be given.
 *
 * @param name the parameter, for the error.
 * @returns the canonical key.
 * @throws {Ws01Error} `MissingParameter` when it is absent, blank or the all-zero GUID; `InvalidParameter` when it is
 *   longer than 64 code points or has control characters.
 */
export function requiredKey(text: string | undefined, name: string): string {
  const key = optionalKey(text, name);
  if (key !== undefined) return key;
  throw new Ws01Error('MissingParameter', `${name} is required; give the key of the record.`, { parameter: name });
}

/**
 * A key that may be left out.
 *
 * @param name the parameter, for the error.
 * @returns the canonical key; `undefined` when it is absent, blank or the all-zero GUID.
 * @throws {Ws01Error} `InvalidParameter` when it is longer than 64 code points or has control characters.
 */
export function optionalKey(text: string | undefined, name: string): string | undefined {
  if (text === undefined) return undefined;
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  const guid = canonicalGuid(trimmed);
  if (guid !== undefined) return guid === ZERO_GUID ? undefined : guid;
  checkOpaqueKey(trimmed, name);
  return trimmed;
}

/** A key for a record that came without one: a UUIDv7, so that keys made later sort later. */
export function newKey(): string {
  return randomUUIDv7();
}

/** A GUID's form D in lower case; `undefined` when the text is no GUID. */
function canonicalGuid(text: string): string | undefined {
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

function checkOpaqueKey(text: string, name: string): void {
  // 64 code points are at most 128 code units, so that nothing longer is looked at.
  const tooLong = text.length > 2 * LENGTHS.key || (text.length > LENGTHS.key && [...text].length > LENGTHS.key);
  if (tooLong) throw invalid(name, `is longer than ${LENGTHS.key} characters; give a shorter key`);
  for (let at = 0; at < text.length; at++) {
    if (isControl(text.charCodeAt(at)))
      throw invalid(name, 'has a control character; give a key of printable characters');
  }
  if (!text.isWellFormed()) throw invalid(name, 'is not well-formed text; give a key of printable characters');
}

/** C0, DEL and C1 controls, the line and paragraph separators, and what is no character at all. */
function isControl(code: number): boolean {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code === 0x2028 || code === 0x2029 || code >= 0xfffe;
}

function invalid(name: string, problem: string): Ws01Error {
  return new Ws01Error('InvalidParameter', `${name} ${problem}.`, { parameter: name });
}
