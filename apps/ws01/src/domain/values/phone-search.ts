import { plainDigits } from './digits.ts';
import { compactPhone, nationalDigits, normalizePhone, phoneDigits } from './phone.ts';

/**
 * How a phone number is searched for, in records of every kind: by the whole number in any writing,
 * or by its last digits.
 */

/** Stands before a number in the text of a record that is searched; XML carries no text with it. */
export const PHONE_MARK = '\u0001';

/** A number is found by so many of its last digits. */
const LEAST_DIGITS = 4;
/** Of so many digits a zero at the beginning is the one that is dialled within a country. */
const WHOLE_DIGITS = 7;
const MOST_DIGITS = 15;

/**
 * Stand before the first digit of a number: with the code of its country, and without. Neither is a
 * character of ASCII, which would end a term of the index.
 */
const CODED = '＋';
const BARE = '·';

/**
 * Returns what a number ends with, as {@link digitsOf} has it, that somebody looks for: its last
 * digits, or all.
 *
 * @param country ISO 3166 code of the country whose numbers are written without `+`.
 * @returns several where a text may mean several; none where it is no number.
 */
export function phoneEnds(text: string, country?: string): readonly string[] {
  const compact = compactPhone(text.replace('(0)', ''));
  const written = phoneDigits(compact);
  if (!/^\d{4,20}$/.test(written)) return [];
  const whole = dialled(text, country);
  if (whole.length > 0 && /^(?:\+|00)/.test(compact)) return whole;
  const bare = written.replace(/^0+/, '');
  const ends = [written, ...(bare.length < WHOLE_DIGITS ? [] : [bare]), ...whole];
  const isEnd = ({ length }: string) => length >= LEAST_DIGITS && length <= MOST_DIGITS + 1;
  return [...new Set(ends)]
    .filter(isEnd)
    .filter((end, _, all) => !all.some((other) => other !== end && end.endsWith(other)));
}

/** The whole number that a text means, and the same as it is stored without its country. */
function dialled(text: string, country: string | undefined): readonly string[] {
  try {
    const number = normalizePhone(text, 'q', country) ?? '';
    const national = nationalDigits(number);
    const digits = phoneDigits(number);
    return national === undefined ? [] : [CODED + digits, BARE + digits, BARE + national];
  } catch {
    return [];
  }
}

/** Whether a number ends with one of some digits. */
export const endsWithOne = (number: string, ends: readonly string[]): boolean =>
  ends.some((end) => number.endsWith(end));

/** The numbers in normal form that are such an end whole. */
export function wholeNumbers(end: string): readonly string[] {
  if (end.startsWith(CODED)) return [`+${end.slice(1)}`];
  return end.startsWith(BARE) ? [end.slice(1)] : [`+${end}`, end];
}

/** A pattern of SQL for the numbers in normal form that end so. */
export const patternOf = (end: string): string =>
  end.startsWith(CODED) || end.startsWith(BARE) ? wholeNumbers(end)[0]! : `%${end}`;

/** The numbers in the text of a record, whose lines of numbers have a mark: {@link digitsOf}. */
export function numbersIn(text: string): readonly string[] {
  if (!text.includes(PHONE_MARK)) return [];
  return text.split('\n').flatMap((line) => (line.startsWith(PHONE_MARK) ? digitsOf(line) : []));
}

/**
 * The digits of each number that a field has, such as `010-8888 7777 / 138 1234 5678`, after
 * {@link CODED} or {@link BARE}.
 */
export function digitsOf(field: string): readonly string[] {
  return field
    .split(/[,;\p{L}]|\s\/\s/u)
    .map((part) => plainDigits(part.replace('(0)', '')))
    .map((part) => {
      const digits = part.replaceAll(/\D/g, '');
      return (/^\D*?(?:\+|00)/.test(part) ? CODED : BARE) + digits.replace(/^0+/, '');
    })
    .filter(({ length }) => length > LEAST_DIGITS);
}
