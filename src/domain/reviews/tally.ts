import type { Kysely } from 'kysely';
import { prepare } from '../../store/prepared.ts';
import type { Tables } from '../../store/tables.ts';
import { ratingToNumber } from './opinion.ts';

/** What everybody together thinks of something. */
export interface Tally {
  /** Votes for. */
  readonly positive: number;
  /** Votes against. */
  readonly negative: number;
  /** {@link wilsonBound} of the votes, to six decimals. */
  readonly score: number;
  /** The mean of the ratings, to two decimals; `null` without any. */
  readonly averageMark: number | null;
  /** How many ratings there are. */
  readonly marks: number;
}

/** The 97.5 % quantile of the normal distribution: 95 % lie within so many standard deviations on either side. */
const Z = 1.959963984540054;

/**
 * The lower bound of the 95 % confidence interval for the share of positive votes (Wilson 1927): the share that is
 * likely at least meant by so many votes, so that 90 of 100 rank above 1 of 1.
 *
 * @returns 0 to 1; 0 without a positive vote.
 */
export function wilsonBound(positive: number, negative: number): number {
  const votes = positive + negative;
  if (positive === 0) return 0;
  const share = positive / votes;
  const zz = Z * Z;
  const margin = Z * Math.sqrt((share * (1 - share) + zz / (4 * votes)) / votes);
  return (share + zz / (2 * votes) - margin) / (1 + zz / votes);
}

/** Counts the reviews of something, from their rows and the index over them alone. */
export async function tallyOf(db: Kysely<Tables>, subject: string): Promise<Tally> {
  const sums = await sumReviews.first(db, { subject });
  const [votes, positive, marks, ratings] = [sums?.votes, sums?.positive, sums?.marks, sums?.ratings].map(Number) as [
    number,
    number,
    number,
    number,
  ];
  return {
    positive,
    negative: votes - positive,
    score: round(wilsonBound(positive, votes - positive), 6),
    averageMark: marks === 0 ? null : round(ratingToNumber(ratings) / marks, 2),
    marks,
  };
}

const sumReviews = prepare((db, { subject }: { subject: string }) =>
  db
    .selectFrom('reviews')
    .select((eb) => [
      eb.fn.count<number>('positive').as('votes'),
      eb.fn.coalesce(eb.fn.sum<number>('positive'), eb.lit(0)).as('positive'),
      eb.fn.count<number>('rating').as('marks'),
      eb.fn.coalesce(eb.fn.sum<number>('rating'), eb.lit(0)).as('ratings'),
    ])
    .where('subject', '=', subject),
);

function round(value: number, decimals: number): number {
  return Number(value.toFixed(decimals));
}
