import { Ws01Error } from '../../contract/errors.ts';
import type { Flag } from '../../store/tables/tables.ts';

/** What a review says: a vote, a rating or a remark, or a vote with one of the others. */
export interface Opinion {
  /** 1 for, 0 against, `null` for no vote. */
  readonly positive: Flag | null;
  /** In hundredths, 0 to 500; `null` for none. */
  readonly rating: number | null;
  /** As sent; `null` for none. */
  readonly remark: string | null;
}

/** The best rating, and how finely ratings are told apart. */
const MAX_RATING = 5;
const RATING_STEPS = 100;

/** The words for a vote, folded. */
const VOTES: ReadonlyMap<string, Flag> = new Map<string, Flag>([
  ...['true', '1', 'yes', 'up', '+', 'positive'].map((word): [string, Flag] => [word, 1]),
  ...['false', '0', 'no', 'down', '-', '\u2212', 'negative'].map((word): [string, Flag] => [word, 0]),
]);

/** What a form that is not percent-encoded makes of `+`. */
const UNENCODED_PLUS = ' ';

/**
 * Reads `IsPositive` (semantics 5.13): one of the words for a vote, in any case and width.
 *
 * @returns `null` for no vote.
 * @throws {Ws01Error} `InvalidParameter`
 */
export function voteOf(text: string | undefined): Opinion['positive'] {
  if (text === UNENCODED_PLUS) return 1;
  const word = (text ?? '').normalize('NFKC').trim().toLowerCase();
  if (word === '') return null;
  const vote = VOTES.get(word);
  if (vote !== undefined) return vote;
  throw new Ws01Error('InvalidParameter', 'IsPositive is no vote; give true or false, or leave it empty.', {
    parameter: 'IsPositive',
  });
}

/**
 * Reads `Mark` (semantics 5.13): a number from 0 to 5, with a decimal point if need be, is a rating, kept to the
 * hundredth; every other text is a remark.
 */
export function markOf(text: string | undefined): Omit<Opinion, 'positive'> {
  if (text === undefined || text.trim() === '') return { rating: null, remark: null };
  const rating = ratingOf(text.normalize('NFKC').trim());
  return rating === undefined ? { rating: null, remark: text } : { rating, remark: null };
}

/** @throws {Ws01Error} `MissingParameter` when a review says nothing. */
export function assertSaysSomething({ positive, rating, remark }: Opinion): void {
  if (positive === null && rating === null && remark === null) {
    throw new Ws01Error('MissingParameter', 'IsPositive or Mark is required; give a vote, a rating or a remark.', {
      parameter: 'IsPositive',
    });
  }
}

/** @returns the rating in hundredths; `undefined` when the text is no number from 0 to 5. */
function ratingOf(text: string): number | undefined {
  if (!/^\+?[0-9]+(?:\.[0-9]+)?$/.test(text)) return undefined;
  const value = Number(text);
  return value <= MAX_RATING ? Math.round(value * RATING_STEPS) : undefined;
}

/** A rating as people write it. */
export function ratingToNumber(hundredths: number): number {
  return hundredths / RATING_STEPS;
}
