import { createRequire } from 'node:module';
import type { CountryCode } from 'libphonenumber-js';
import { Ws01Error } from '../../contract/errors.ts';
import { type Sentence, say } from '../../contract/sentence.ts';
import { plainDigits } from './digits.ts';

/**
 * The phone number library. It is loaded with the first number, since that takes tens of milliseconds and most calls
 * need no number. Its smallest metadata, the default, suffice to check whether a number is possible.
 */
function library(): typeof import('libphonenumber-js') {
  return require('libphonenumber-js');
}

const require = createRequire(import.meta.url);

/** Longest accepted text, in UTF-16 code units: fifteen digits with room for separators. */
const MAX_LENGTH = 64;

/** Shortest and longest number without a country code, in digits (semantics 2). */
const MIN_DIGITS = 5;
const MAX_DIGITS = 15;

/** Separators between digits: `. ( ) /`, and dashes of every kind (NFKC keeps them). */
const SEPARATORS = /[.()/\p{Pd}\u2212]/gu;

/**
 * Converts a phone number to normal form, which all operations store and compare (semantics 2). With its digits as 0 to
 * 9 and without separators and invisible marks, `00…` and `+…` become E.164. A number without a country code becomes E.164 of the
 * default country; without a default country, its digits stay unchanged.
 *
 * @param name the parameter, for the error.
 * @param defaultCountry ISO 3166 code of the country whose numbers are written without `+`; `undefined` for none.
 * @returns the number; `undefined` when the text is blank.
 * @throws {Ws01Error} `InvalidParameter` when it is no possible number.
 */
export function normalizePhone(
  text: string,
  name: string,
  defaultCountry?: string,
): string | undefined {
  if (text.length > MAX_LENGTH)
    throw invalid(
      name,
      say`${{ field: name }} is too long for a phone number; write it with its country code, like +12125550100.`,
    );
  const number = plainDigits(text).replace(SEPARATORS, '');
  if (number === '') return undefined;
  const international = number.startsWith('00') ? `+${number.slice(2)}` : number;
  if (!isDigits(international.startsWith('+') ? international.slice(1) : international)) {
    throw invalid(
      name,
      say`${{ field: name }} is not a phone number; write it with its country code, like +12125550100.`,
    );
  }
  if (international.startsWith('+')) return possibleNumber(international, name, undefined);
  if (defaultCountry !== undefined) return possibleNumber(international, name, defaultCountry);
  if (international.length < MIN_DIGITS || international.length > MAX_DIGITS) {
    throw invalid(
      name,
      say`${{ field: name }} has ${{ digits: international.length }} digits and not ${{ least: MIN_DIGITS }} to ${{ most: MAX_DIGITS }}; write it with its country code, like +12125550100.`,
    );
  }
  return international;
}

/** Like {@link normalizePhone}, for a required number. @throws {Ws01Error} `MissingParameter` when it is blank. */
export function requiredPhone(
  text: string | undefined,
  name: string,
  defaultCountry?: string,
): string {
  const number = text === undefined ? undefined : normalizePhone(text, name, defaultCountry);
  if (number !== undefined) return number;
  throw new Ws01Error(
    'MissingParameter',
    say`${{ field: name }} is required; give a phone number.`,
    {
      parameter: name,
    },
  );
}

/** The key of a number in normal form for budgets: its digits, with or without `+`. */
export function phoneDigits(number: string): string {
  return number.replace('+', '');
}

/**
 * The country of a number in normal form, as an ISO 3166 code. If several countries share the calling code and the
 * number is ambiguous, it is the largest one. For codes without a country, such as satellites, it is the calling code
 * itself, such as `+881`. `undefined` for a number without a country code.
 */
export function countryOf(number: string): string | undefined {
  if (!number.startsWith('+')) return undefined;
  const parsed = library().parsePhoneNumberFromString(number);
  return parsed === undefined ? undefined : (parsed.country ?? `+${parsed.countryCallingCode}`);
}

/** Masks a number for logs and errors: all but its last two digits become stars. */
export function maskPhone(number: string): string {
  const shown = number.slice(-2);
  return `${number.startsWith('+') ? '+' : ''}${'*'.repeat(Math.max(number.replace('+', '').length - 2, 0))}${shown}`;
}

/**
 * E.164 of a possible number. The library parses it again until it does not change: each pass removes one zero of
 * invalid numbers such as +64000000, and two spellings of a number must have one form.
 */
function possibleNumber(text: string, name: string, defaultCountry: string | undefined): string {
  const { parsePhoneNumberFromString } = library();
  const options =
    defaultCountry === undefined ? {} : { defaultCountry: defaultCountry as CountryCode };
  let number = text;
  for (let round = 0; round <= MAX_DIGITS; round++) {
    const parsed = parsePhoneNumberFromString(number, options);
    if (parsed === undefined || !parsed.isPossible()) break;
    if (parsed.number === number) return number;
    number = parsed.number;
  }
  throw invalid(
    name,
    say`${{ field: name }} is not a possible phone number; write it with its country code, like +12125550100.`,
  );
}

function isDigits(text: string): boolean {
  return /^[0-9]+$/.test(text);
}

function invalid(name: string, problem: Sentence): Ws01Error {
  return new Ws01Error('InvalidParameter', problem, { parameter: name });
}
