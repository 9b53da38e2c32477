import { Ws01Error } from '../../contract/errors.ts';
import type { Flag } from '../../store/tables/tables.ts';
import { plainDigits, withAsciiDigits } from '../values/digits.ts';
import { isSeen } from '../values/unseen.ts';

/** The content of a review: a vote, a rating or a remark, or a vote with one of the others. */
export interface Opinion {
  /** 1 is a vote for, 0 against, `null` no vote. */
  readonly positive: Flag | null;
  /** A rating in hundredths; `null` for none. */
  readonly rating: number | null;
  /** A remark as sent; `null` for none. */
  readonly remark: string | null;
}

/** Ratings are stored in steps of 1/100. */
const RATING_STEPS = 100;

/** The words for a vote, as returned by `foldText`. */
const VOTES: ReadonlyMap<string, Flag> = new Map<string, Flag>([
  ...['true', '1', 'yes', 'up', '+', 'positive'].map((word): [string, Flag] => [word, 1]),
  ...['false', '0', 'no', 'down', '-', '\u2212', 'negative'].map((word): [string, Flag] => [
    word,
    0,
  ]),
]);

/**
 * Reads `IsPositive` (semantics 5.13): one of the words for a vote, in any case, width and digits.
 *
 * @returns `null` for no vote.
 * @throws {Ws01Error} `InvalidParameter`
 */
export function voteOf(text: string | undefined): Opinion['positive'] {
  const word = plainDigits(text ?? '').toLowerCase();
  if (word === '') return null;
  const vote = VOTES.get(word);
  if (vote !== undefined) return vote;
  throw new Ws01Error(
    'InvalidParameter',
    'IsPositive is no vote; give true or false, or leave it empty.',
    {
      parameter: 'IsPositive',
    },
  );
}

/**
 * Reads `Mark` (semantics 5.13): a number, in the digits of any script, with a decimal point or
 * comma if need be, is a rating, kept to the hundredth; every other text that shows something is a
 * remark.
 *
 * @param scale the highest rating.
 * @throws {Ws01Error} `InvalidParameter` for a number that is not from 0 to `scale`.
 */
export function markOf(text: string | undefined, scale: number): Omit<Opinion, 'positive'> {
  if (text === undefined || !isSeen(text)) return { rating: null, remark: null };
  const rating = ratingOf(
    withAsciiDigits(text)
      .replace(/\p{Cf}/gu, '')
      .trim(),
    scale,
  );
  return rating === undefined ? { rating: null, remark: text } : { rating, remark: null };
}

/** Whether a call says nothing: it takes a review back. */
export function saysNothing({ positive, rating, remark }: Opinion): boolean {
  return positive === null && rating === null && remark === null;
}

/** The error for a call that says nothing where there is nothing to take back. */
export function nothingSaid(): Ws01Error {
  return new Ws01Error(
    'MissingParameter',
    'IsPositive or Mark is required; give a vote, a rating or a remark.',
    { parameter: 'IsPositive' },
  );
}

/** @returns the rating in hundredths; `undefined` when the text is no number. */
function ratingOf(text: string, scale: number): number | undefined {
  if (!/^[+\-\u2212]?(?:[0-9]+(?:[.,\u066b][0-9]*)?|[.,\u066b][0-9]+)$/.test(text))
    return undefined;
  const value = Number(text.replace(/[,\u066b]/, '.').replace('\u2212', '-'));
  if (value >= 0 && value <= scale) return Math.round(Math.abs(value) * RATING_STEPS);
  throw new Ws01Error(
    'InvalidParameter',
    `Mark is a number outside the scale; give one from 0 to ${scale} (REVIEW_SCALE), or a remark in words.`,
    { parameter: 'Mark' },
  );
}

/** Converts a rating from hundredths. */
export function ratingToNumber(hundredths: number): number {
  return hundredths / RATING_STEPS;
}
