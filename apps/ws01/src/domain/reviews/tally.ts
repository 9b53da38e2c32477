import type { Kysely } from 'kysely';
import { prepare } from '../../store/prepared.ts';
import type { ReviewTalliesTable, Tables } from '../../store/tables/tables.ts';
import { type Opinion, ratingToNumber } from './opinion.ts';

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

/** What one review adds to the sums of what it reviews, or takes from them. */
type TallyChange = Omit<ReviewTalliesTable, 'subject'>;

/** What a review that takes the place of another one adds; either is `undefined` when it is not there for the public. */
export function changeBy(next: Voted | undefined, earlier: Voted | undefined): TallyChange {
  const added = next === undefined ? NOTHING : sumsOf(next);
  const removed = earlier === undefined ? NOTHING : sumsOf(earlier);
  return {
    votes: added.votes - removed.votes,
    positive: added.positive - removed.positive,
    marks: added.marks - removed.marks,
    ratings: added.ratings - removed.ratings,
  };
}

type Voted = Pick<Opinion, 'positive' | 'rating'>;

const NOTHING: TallyChange = { votes: 0, positive: 0, marks: 0, ratings: 0 };

function sumsOf({ positive, rating }: Voted): TallyChange {
  return {
    votes: positive === null ? 0 : 1,
    positive: positive ?? 0,
    marks: rating === null ? 0 : 1,
    ratings: rating ?? 0,
  };
}

/** What everybody thinks of something once a review has changed it, in the transaction of the review. */
export async function changeTally(tx: Kysely<Tables>, subject: string, change: TallyChange): Promise<Tally> {
  return tallyOf((await addToSums.first(tx, { subject, ...change })) ?? NOTHING);
}

/** What everybody thinks of something. */
export async function readTally(db: Kysely<Tables>, subject: string): Promise<Tally> {
  return tallyOf((await sumsOfSubject.first(db, { subject })) ?? NOTHING);
}

/** What sums come to. */
export function tallyOf({ votes, positive, marks, ratings }: TallyChange): Tally {
  const negative = votes - positive;
  return {
    positive,
    negative,
    score: round(wilsonBound(positive, negative), 6),
    averageMark: marks === 0 ? null : round(ratingToNumber(ratings) / marks, 2),
    marks,
  };
}

const SUMS = ['votes', 'positive', 'marks', 'ratings'] as const satisfies readonly (keyof TallyChange)[];

/** The row is held until the write ends: of reviews of one thing that come at once, each sees those before it. */
const addToSums = prepare((db, row: ReviewTalliesTable) =>
  db
    .insertInto('review_tallies')
    .values({
      subject: row.subject,
      votes: row.votes,
      positive: row.positive,
      marks: row.marks,
      ratings: row.ratings,
    })
    .onConflict((conflict) =>
      conflict.column('subject').doUpdateSet((eb) => ({
        votes: eb('review_tallies.votes', '+', eb.ref('excluded.votes')),
        positive: eb('review_tallies.positive', '+', eb.ref('excluded.positive')),
        marks: eb('review_tallies.marks', '+', eb.ref('excluded.marks')),
        ratings: eb('review_tallies.ratings', '+', eb.ref('excluded.ratings')),
      })),
    )
    .returning(SUMS),
);

const sumsOfSubject = prepare((db, { subject }: Pick<ReviewTalliesTable, 'subject'>) =>
  db.selectFrom('review_tallies').select(SUMS).where('subject', '=', subject),
);

function round(value: number, decimals: number): number {
  return Number(value.toFixed(decimals));
}
