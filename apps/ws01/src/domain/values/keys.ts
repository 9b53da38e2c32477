import { randomUUIDv7 } from 'node:crypto';
import { Ws01Error } from '../../contract/errors.ts';
import { LENGTHS } from '../../contract/parameters.ts';
import { canonicalGuid, NIL_GUID } from './guid.ts';

/**
 * The canonical form of a key, which is stored, compared and returned (semantics 2): without surrounding blanks, and a
 * GUID in .NET's form N, D, B or P as form D in lower case. All other texts are unchanged.
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
 * @throws {Ws01Error} `MissingParameter` when it is absent, blank or the all-zero GUID; `InvalidParameter` when it is
 *   longer than 64 code points or has control characters.
 */
export function requiredKey(text: string | undefined, name: string): string {
  const key = optionalKey(text, name);
  if (key !== undefined) return key;
  throw new Ws01Error('MissingParameter', `${name} is required; give the key of the record.`, {
    parameter: name,
  });
}

/**
 * Reads an optional key.
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
  if (guid !== undefined) return guid === NIL_GUID ? undefined : guid;
  checkOpaqueKey(trimmed, name);
  return trimmed;
}

/** The prefix of the last key (its time in ms, and the version), and the number of earlier keys with this prefix. */
let beginning = '';
let before = 0;

/**
 * Creates a key for a record without one: a UUIDv7, so that later keys sort later. Within a millisecond, a counter of
 * 12 bits orders the keys of a process (RFC 9562 6.2, method 1); no process creates 4,096 keys in that time.
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
  if (tooLong) throw invalid(name, `is longer than ${LENGTHS.key} characters; give a shorter key`);
  if (CONTROL.test(text))
    throw invalid(name, 'has a control character; give a key of printable characters');
  if (!text.isWellFormed())
    throw invalid(name, 'is not well-formed text; give a key of printable characters');
}

function invalid(name: string, problem: string): Ws01Error {
  return new Ws01Error('InvalidParameter', `${name} ${problem}.`, { parameter: name });
}
