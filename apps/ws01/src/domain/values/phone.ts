import { createRequire } from 'node:module';
import type { CountryCode } from 'libphonenumber-js';
import { Ws01Error } from '../../contract/errors.ts';

/**
 * The library of phone numbers, loaded with the first number: it takes tens of milliseconds,
 * most calls need none, and it has its own tables of every country. Its default metadata are the smallest: whether a
 * number is possible needs no more.
 */
function library(): typeof import('libphonenumber-js') {
  return require('libphonenumber-js');
}

const require = createRequire(import.meta.url);

/** Longest text looked at, in UTF-16 code units: fifteen digits with room for every usual way to group them. */
const MAX_LENGTH = 64;

/** Shortest and longest number without a country, in digits (semantics 2). */
const MIN_DIGITS = 5;
const MAX_DIGITS = 15;

/**
 * What people put between digits: blanks, `- . ( ) /`, the other dashes (NFKC leaves them), and the marks of direction
 * and width that address books copy along.
 */
const SEPARATORS = /[\s\-.()/\u2010-\u2015\u2212\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/gu;

/**
 * The one form of a phone number that is stored and compared, for every operation (semantics 2): after NFKC (full-width
 * digits) and without separators, `00…` and `+…` as E.164; without a country code E.164 of the default country, or where
 * there is none, the digits as they are.
 *
 * @param name the parameter, for the error.
 * @param defaultCountry ISO 3166 code of the country whose numbers are written without `+`; `undefined` for none.
 * @returns the number; `undefined` when the text is blank.
 * @throws {Ws01Error} `InvalidParameter` when it is no possible number.
 */
export function normalizePhone(text: string, name: string, defaultCountry?: string): string | undefined {
  if (text.length > MAX_LENGTH) throw invalid(name, 'is too long for a phone number');
  const number = text.normalize('NFKC').replace(SEPARATORS, '');
  if (number === '') return undefined;
  const international = number.startsWith('00') ? `+${number.slice(2)}` : number;
  if (!isDigits(international.startsWith('+') ? international.slice(1) : international)) {
    throw invalid(name, 'is not a phone number');
  }
  if (international.startsWith('+')) return possibleNumber(international, name, undefined);
  if (defaultCountry !== undefined) return possibleNumber(international, name, defaultCountry);
  if (international.length < MIN_DIGITS || international.length > MAX_DIGITS) {
    throw invalid(name, `has ${international.length} digits and not ${MIN_DIGITS} to ${MAX_DIGITS}`);
  }
  return international;
}

/** As {@link normalizePhone}, for a number that must be given. @throws {Ws01Error} `MissingParameter` when it is blank. */
export function requiredPhone(text: string | undefined, name: string, defaultCountry?: string): string {
  const number = text === undefined ? undefined : normalizePhone(text, name, defaultCountry);
  if (number !== undefined) return number;
  throw new Ws01Error('MissingParameter', `${name} is required; give a phone number.`, { parameter: name });
}

/** A number in normal form as budgets know it: its digits, whether or not its country code was marked as one. */
export function phoneDigits(number: string): string {
  return number.replace('+', '');
}

/**
 * The country of a number in normal form, as an ISO 3166 code; where several share a code and the number does not tell,
 * the largest, and for satellites and the like the code itself, such as `+881`. `undefined` for bare digits.
 */
export function countryOf(number: string): string | undefined {
  if (!number.startsWith('+')) return undefined;
  const parsed = library().parsePhoneNumberFromString(number);
  return parsed === undefined ? undefined : (parsed.country ?? `+${parsed.countryCallingCode}`);
}

/** A number as logs and errors may show it: all but its last two digits starred. */
export function maskPhone(number: string): string {
  const shown = number.slice(-2);
  return `${number.startsWith('+') ? '+' : ''}${'*'.repeat(Math.max(number.replace('+', '').length - 2, 0))}${shown}`;
}

/**
 * E.164 of a possible number. Read again until it stays the same: of junk such as +64000000 each reading takes off one
 * zero more, and two spellings of it must not become two numbers.
 */
function possibleNumber(text: string, name: string, defaultCountry: string | undefined): string {
  const { parsePhoneNumberFromString } = library();
  const options = defaultCountry === undefined ? {} : { defaultCountry: defaultCountry as CountryCode };
  let number = text;
  for (let round = 0; round <= MAX_DIGITS; round++) {
    const parsed = parsePhoneNumberFromString(number, options);
    if (parsed === undefined || !parsed.isPossible()) break;
    if (parsed.number === number) return number;
    number = parsed.number;
  }
  throw invalid(name, 'is not a possible phone number');
}

function isDigits(text: string): boolean {
  return /^[0-9]+$/.test(text);
}

function invalid(name: string, problem: string): Ws01Error {
  return new Ws01Error('InvalidParameter', `${name} ${problem}; write it with its country code, like +12125550100.`, {
    parameter: name,
  });
}
