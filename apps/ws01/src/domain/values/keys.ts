import { randomUUIDv7 } from 'node:crypto';
import { Ws01Error } from '../../contract/errors.ts';
import { LENGTHS } from '../../contract/parameters.ts';
import { type Sentence, say } from '../../contract/sentence.ts';
import { isSeen } from './unseen.ts';

/**
 * The canonical form of a key, which is stored, compared and returned (semantics 2): without
 * surrounding blanks, and a GUID in .NET's form N, D, B or P as form D in lower case. All other
 * texts are unchanged.
 */
export function canonicalKey(text: string): string {
  const trimmed = text.trim();
  return canonicalGuid(trimmed) ?? trimmed;
}

/**
 * Reads a required key.
 *
 * @param name the parameter, for the error.
 * @returns the canonical key.
 * @throws {Ws01Error} `MissingParameter` when it is absent, shows nothing or is the all-zero GUID;
 *   `InvalidParameter` when it is longer than 64 code points or has control characters.
 */
export function requiredKey(text: string | undefined, name: string): string {
  const key = optionalKey(text, name);
  if (key !== undefined) return key;
  throw new Ws01Error(
    'MissingParameter',
    say`${{ field: name }} is required; give the key of the record.`,
    {
      parameter: name,
    },
  );
}

/**
 * Reads an optional key.
 *
 * @param name the parameter, for the error.
 * @returns the canonical key; `undefined` when it is absent, shows nothing or is the all-zero GUID.
 * @throws {Ws01Error} `InvalidParameter` when it is longer than 64 code points or has control
 *   characters.
 */
export function optionalKey(text: string | undefined, name: string): string | undefined {
  if (text === undefined) return undefined;
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  const guid = canonicalGuid(trimmed);
  if (guid !== undefined) return guid === NIL_GUID ? undefined : guid;
  checkOpaqueKey(trimmed, name);
  return isSeen(trimmed) ? trimmed : undefined;
}

/**
 * The prefix of the last key (its time in ms, and the version), and the number of earlier keys with
 * this prefix.
 */
let beginning = '';
let before = 0;

/**
 * Creates a key for a record without one: a UUIDv7, so that later keys sort later. Within a
 * millisecond, a counter of 12 bits orders the keys of a process (RFC 9562 6.2, method 1); no
 * process creates 4,096 keys in that time.
 */
export function newKey(): string {
  const random = randomUUIDv7();
  const own = random.slice(0, 15);
  before = own === beginning ? before + 1 : 0;
  beginning = own;
  return own + (before & 0xfff).toString(16).padStart(3, '0') + random.slice(18);
}

/** C0, DEL and C1 controls, line and paragraph separators, and noncharacters. */
const CONTROL = /[\p{Cc}\u2028\u2029\ufffe\uffff]/u;

function checkOpaqueKey(text: string, name: string): void {
  // 64 code points are at most 128 code units, so a longer text need not be counted.
  const tooLong =
    text.length > 2 * LENGTHS.key || (text.length > LENGTHS.key && [...text].length > LENGTHS.key);
  if (tooLong)
    throw invalid(
      say`${{ field: name }} is longer than ${{ most: LENGTHS.key }} characters; give a shorter key.`,
      name,
    );
  if (CONTROL.test(text))
    throw invalid(
      say`${{ field: name }} has a control character; give a key of printable characters.`,
      name,
    );
  if (!text.isWellFormed())
    throw invalid(
      say`${{ field: name }} is not well-formed text; give a key of printable characters.`,
      name,
    );
}

function invalid(problem: Sentence, name: string): Ws01Error {
  return new Ws01Error('InvalidParameter', problem, { parameter: name });
}

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
 * Reads .NET's GUID text forms N (32 digits), D (with hyphens), B (in braces), P (in parentheses)
 * and X (hexadecimal numbers in braces), in any case.
 *
 * @param text without surrounding blanks.
 * @returns form D in lower case; `undefined` when the text has none of these forms.
 */
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
