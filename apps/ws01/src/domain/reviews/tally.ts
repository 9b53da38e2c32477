import type { Kysely } from 'kysely';
import { columns, prepare } from '../../store/prepared.ts';
import type { ReviewTalliesTable, Tables } from '../../store/tables/tables.ts';
import { type Opinion, ratingToNumber } from './opinion.ts';

/** The totals of all public reviews of a record. */
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

/** The 97.5 % quantile of the normal distribution, for a two-sided interval of 95 %. */
const Z = 1.959963984540054;

/**
 * The lower bound of the 95 % confidence interval for the share of positive votes (Wilson 1927). It
 * ranks 90 of 100 votes above 1 of 1.
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

/** What a review adds to the sums of its record, or subtracts from them. */
type TallyChange = Omit<ReviewTalliesTable, 'subject'>;

/**
 * The change when a review replaces an earlier one; `undefined` stands for a review that is absent
 * or not public.
 */
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

/** Changes the sums of a record, in the transaction of the review. @returns the new totals. */
export async function changeTally(
  tx: Kysely<Tables>,
  subject: string,
  change: TallyChange,
): Promise<Tally> {
  return tallyOf((await addToSums.first(tx, { subject, ...change })) ?? NOTHING);
}

/** Reads the totals of a record. */
export async function readTally(db: Kysely<Tables>, subject: string): Promise<Tally> {
  return tallyOf((await sumsOfSubject.first(db, { subject })) ?? NOTHING);
}

/** Computes the totals from the sums. */
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

const SUMS = [
  'votes',
  'positive',
  'marks',
  'ratings',
] as const satisfies readonly (keyof TallyChange)[];

/** Locks the row until the write ends, so that concurrent reviews of a record see each other. */
const addToSums = prepare((db, row: ReviewTalliesTable) =>
  db
    .insertInto('review_tallies')
    .values(columns(row, 'subject votes positive marks ratings'))
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
