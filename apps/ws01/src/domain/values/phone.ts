import { createRequire } from 'node:module';
import type { CountryCode, PhoneNumber } from 'libphonenumber-js/max';
import { Ws01Error } from '../../contract/errors.ts';
import { type Sentence, say } from '../../contract/sentence.ts';
import { plainDigits } from './digits.ts';

/**
 * The phone number library. It is loaded with the first number, since that takes tens of
 * milliseconds and most calls need no number. Its full metadata tell which numbers are assigned,
 * and which are mobile.
 */
function library(): typeof import('libphonenumber-js/max') {
  return require('libphonenumber-js/max');
}

const require = createRequire(import.meta.url);

/** Longest accepted text, in UTF-16 code units: fifteen digits with room for separators. */
const MAX_LENGTH = 64;

/** Shortest and longest number without a country code, in digits (semantics 2). */
const MIN_DIGITS = 5;
const MAX_DIGITS = 15;

/**
 * Separators between digits: dashes of every kind (NFKC keeps them) with the long vowel of kana and
 * the tilde that are typed for one, points of every kind, brackets, slashes.
 */
const SEPARATORS = /[.()[\]/_~\p{Pd}\u2212\u30fc\u00b7\u2022\u2027\u2219\u22c5\u30fb]/gu;

/**
 * What is copied along: the scheme of a link (RFC 3966), quotes, the mark by which Excel keeps a
 * text, an ended sentence.
 */
const AROUND = /^(?:tel:|["'\u2018-\u201f])+|["'\u2018-\u201f,;:]+$/giu;

/**
 * Converts a phone number to normal form, which all operations store and compare (semantics 2).
 * With its digits as 0 to 9 and without separators and invisible marks, `00…` and `+…` become
 * E.164. A number without `+` becomes E.164 of the default country, or of the country whose code it
 * begins with; without a default country, its digits stay unchanged. Of all that a text may mean,
 * the first number that can be dialled counts.
 *
 * @param name the parameter, for the error.
 * @param defaultCountry ISO 3166 code of the country whose numbers are written without `+`;
 *   `undefined` for none.
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
  const plain = plainDigits(text).replace(AROUND, '');
  const international = fromAnywhere(plain);
  if (international === '') return undefined;
  if (!isDigits(international.startsWith('+') ? international.slice(1) : international)) {
    throw invalid(
      name,
      say`${{ field: name }} is not a phone number; write it with its country code, like +12125550100.`,
    );
  }
  if (international.startsWith('+') || defaultCountry !== undefined) {
    const country = defaultCountry as CountryCode | undefined;
    const number = dialable([
      ...readingsOf(international, withoutTrunk(plain), country),
      ...fromAbroad(plain, country),
    ]);
    if (number !== undefined) return number;
    throw invalid(
      name,
      say`${{ field: name }} is not a possible phone number; write it with its country code, like +12125550100.`,
    );
  }
  if (international.length < MIN_DIGITS || international.length > MAX_DIGITS) {
    throw invalid(
      name,
      say`${{ field: name }} must have ${{ least: MIN_DIGITS }} to ${{ most: MAX_DIGITS }} digits, not ${{ digits: international.length }}; write it with its country code, like +12125550100.`,
    );
  }
  return international;
}

/**
 * Like {@link normalizePhone}, for a required number.
 * @throws {Ws01Error} `MissingParameter` when it is blank.
 */
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

/** The digits of a number in normal form without the code of its country; none without one. */
export function nationalDigits(number: string): string | undefined {
  return library().parsePhoneNumberFromString(number)?.nationalNumber;
}

/** The key of a number in normal form for budgets: its digits, with or without `+`. */
export function phoneDigits(number: string): string {
  return number.replace('+', '');
}

/**
 * The country of a number in normal form, as an ISO 3166 code. If several countries share the
 * calling code and the number is ambiguous or not assigned, it is the largest one. For codes
 * without a country, such as satellites, it is the calling code itself, such as `+881`. `undefined`
 * for a number without a country code.
 */
export function countryOf(number: string): string | undefined {
  if (!number.startsWith('+')) return undefined;
  const parsed = library().parsePhoneNumberFromString(number);
  if (parsed === undefined) return undefined;
  return parsed.country ?? parsed.getPossibleCountries()[0] ?? `+${parsed.countryCallingCode}`;
}

/** Masks a number for logs and errors: all but its last two digits become stars. */
export function maskPhone(number: string): string {
  const shown = number.slice(-2);
  return `${number.startsWith('+') ? '+' : ''}${'*'.repeat(Math.max(number.replace('+', '').length - 2, 0))}${shown}`;
}

/** A number as somebody writes it, in plain digits without what separates and surrounds them. */
export function compactPhone(text: string): string {
  return plainDigits(text).replace(AROUND, '').replace(SEPARATORS, '');
}

function fromAnywhere(plain: string): string {
  return plain.replace(SEPARATORS, '').replace(/^00/, '+');
}

/**
 * A number that begins with what is dialled in a country before those of others, where that is more
 * than `00`: 0011, 001.
 */
function fromAbroad(plain: string, country: CountryCode | undefined): readonly Reading[] {
  const text = plain.replace(SEPARATORS, '');
  return text.startsWith('00') ? [{ text, country, ifAssigned: true }] : [];
}

/** A number in which the trunk zero is in brackets, `+44 (0)20…`, without it. */
function withoutTrunk(plain: string): string {
  return fromAnywhere(plain.replace('(0)', ''));
}

/** What a text may mean: a number to read as it is dialled in a country, or with `+`. */
interface Reading {
  readonly text: string;
  readonly country?: CountryCode | undefined;
  /** Taken only when the number is assigned, not when it is merely possible. */
  readonly ifAssigned?: boolean;
}

/**
 * Returns what a number may mean, the likeliest first.
 * @param text digits, with or without `+`.
 * @param bare the same without a trunk zero in brackets.
 */
function readingsOf(
  text: string,
  bare: string,
  country: CountryCode | undefined,
): readonly Reading[] {
  const digits = text.replace('+', '');
  const old = oldMexican(digits, country);
  if (text.startsWith('+')) {
    // Behind a `+` that does not belong there: a number as it is dialled at home, or with `00`.
    const home = country !== undefined && /^0[1-9]/.test(digits) ? [{ text: digits, country }] : [];
    return [{ text: bare }, { text }, ...home, { text: `+${digits.replace(/^0+/, '')}` }, ...old];
  }
  const ownCode = withOwnCode(digits, country);
  const withCode = { text: `+${digits}`, ifAssigned: true };
  const asDialled = [
    { text, country },
    { text: bare, country },
  ];
  return [...ownCode, ...asDialled, withCode, ...old];
}

/**
 * A mobile number that begins with the code of its own country, without `+`, or with one zero for
 * it. In Germany and Indonesia it could be the number of a landline, too, which nobody writes so
 * long, or without its zero.
 */
function withOwnCode(digits: string, country: CountryCode | undefined): readonly Reading[] {
  const { parsePhoneNumberFromString: parse, getCountryCallingCode } = library();
  const text = `+${digits.replace(/^0/, '')}`;
  if (country === undefined || !text.startsWith(`+${getCountryCallingCode(country)}`)) return [];
  const isMobile = (number: PhoneNumber | undefined) => number?.getType() === 'MOBILE';
  return isMobile(parse(text)) && !isMobile(parse(digits, country)) ? [{ text }] : [];
}

/** A possible number without the zero of its home, where that makes it an assigned one: +56 09… */
function withoutZeroBehindCode(possible: string): string {
  const number = library().parsePhoneNumberFromString(possible);
  if (!number?.nationalNumber.startsWith('0')) return possible;
  const national = number.nationalNumber.replace(/^0+/, '');
  const shorter = possibleNumber(`+${number.countryCallingCode}${national}`, undefined);
  return shorter !== undefined && isAssigned(shorter) ? shorter : possible;
}

/**
 * Until 2019 a 1 stood before mobile numbers of Mexico from abroad, 044 or 045 from within, 01
 * before others.
 */
function oldMexican(digits: string, country: CountryCode | undefined): readonly Reading[] {
  const [, code, number] = /^(52)?(?:1|01|04[45])(\d{10})$/.exec(digits) ?? [];
  if (number === undefined || (code === undefined && country !== 'MX')) return [];
  return [{ text: `+52${number}`, ifAssigned: true }];
}

/**
 * E.164 of the first reading that is an assigned number; without one, of the first that is a
 * possible number.
 */
function dialable(readings: readonly Reading[]): string | undefined {
  let possible: string | undefined;
  for (const { text, country, ifAssigned = false } of readings) {
    const number = possibleNumber(text, country);
    if (number === undefined) continue;
    if (isAssigned(number)) return number;
    if (!ifAssigned) possible ??= number;
  }
  return possible === undefined ? undefined : withoutZeroBehindCode(possible);
}

/**
 * Whether a number in normal form is of a range that a country has given out, as far as is known.
 * Any other is at best possible by its length.
 */
export function isAssigned(number: string): boolean {
  return library().parsePhoneNumberFromString(number)?.isValid() ?? false;
}

/**
 * E.164 of a possible number. The library parses it again until it does not change: each pass
 * removes one zero of invalid numbers such as +64000000, and two spellings of a number must have
 * one form.
 */
function possibleNumber(text: string, country: CountryCode | undefined): string | undefined {
  const { parsePhoneNumberFromString } = library();
  let number = text;
  for (let round = 0; round <= MAX_DIGITS; round++) {
    const options = country === undefined || round > 0 ? {} : { defaultCountry: country };
    const parsed = parsePhoneNumberFromString(number, options);
    if (parsed === undefined || !parsed.isPossible()) return undefined;
    if (parsed.number === number) return number;
    number = parsed.number;
  }
  return undefined;
}

function isDigits(text: string): boolean {
  return /^[0-9]+$/.test(text);
}

function invalid(name: string, problem: Sentence): Ws01Error {
  return new Ws01Error('InvalidParameter', problem, { parameter: name });
}
