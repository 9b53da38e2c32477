import type { Kysely } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import { columns, prepare } from '../../store/prepared.ts';
import { lockRows } from '../../store/row-lock.ts';
import type { Instant, Moderated, ReviewsTable, Tables } from '../../store/tables/tables.ts';
import { doneByCall, recordAudit } from '../audit/audit.ts';
import type { CallContext } from '../context.ts';
import { recordPosting } from '../counts/posts.ts';
import { isPublic } from '../shared/moderated.ts';
import type { Origin } from '../shared/ownership.ts';
import { networkOf } from '../values/internet-address.ts';
import { newKey } from '../values/keys.ts';
import { nothingSaid, type Opinion, saysNothing } from './opinion.ts';
import { changeBy, changeTally, readTally, type Tally } from './tally.ts';

/** A call that reviews a record. */
export interface ReviewCall {
  readonly context: CallContext;
  /** The canonical key of the reviewed record, which need not exist. */
  readonly subject: string;
  /** The voter; when `undefined`, the address is the voter. */
  readonly userId: string | undefined;
  readonly origin: Origin;
  readonly opinion: Opinion;
  readonly at: Instant;
}

interface ReviewOutcome {
  readonly changed: boolean;
  /** Resolves when the write is committed; await it only then. */
  readonly tally: Promise<Tally>;
}

/**
 * Writes or replaces the review of a voter, or takes it back; an identical one is left unchanged.
 * If two calls race, the unique key of subject and voter lets one create it, and the other replaces
 * it. Of a review that was taken back a row is kept that says nothing, so that the same call has
 * the same answer.
 *
 * @returns whether anything changed, and the totals after it.
 * @throws {Ws01Error} `Forbidden` when the voter owns the record; `MissingParameter` when there is
 *   nothing to take back.
 */
export async function writeReview(tx: Kysely<Tables>, call: ReviewCall): Promise<ReviewOutcome> {
  const { subject, userId, at } = call;
  const row = rowOf(call);
  if (saysNothing(call.opinion)) return replace(tx, call, row);
  // Both queries are sent together; a refusal rolls back the insert.
  const [isNew, isOwn] = await Promise.all([
    insertReview.run(tx, row),
    userId !== undefined && ownsRecord(tx, userId, subject),
  ]);
  if (isOwn) {
    throw new Ws01Error('Forbidden', 'id is a record of the reviewer; only others review it.', {
      parameter: 'id',
    });
  }
  if (isNew === 1) {
    await recordPosting(tx, {
      kind: 'review',
      key: row.id,
      userId,
      address: call.origin.address,
      at,
    });
    await auditReview(tx, call, 'create');
    return outcome(true, changeTally(tx, subject, changeBy(row, undefined)));
  }
  return replace(tx, call, row);
}

async function replace(
  tx: Kysely<Tables>,
  call: ReviewCall,
  row: NewReview,
): Promise<ReviewOutcome> {
  const { subject, opinion } = call;
  const isTakenBack = saysNothing(opinion);
  // Locked until the tally is computed, so that no other call of this voter comes between.
  const present = await lockReview.first(tx, { subject, voter: row.voter });
  if (present === undefined) {
    if (isTakenBack) throw nothingSaid();
    throw new Error('An existing review cannot be found.');
  }
  if (OPINION_COLUMNS.every((column) => present[column] === row[column])) {
    return outcome(false, readTally(tx, subject));
  }
  replaceReview.send(tx, row);
  await auditReview(tx, call, isTakenBack ? 'withdraw' : 'replace');
  // A review hidden by a moderator can be rewritten, but still does not count.
  return outcome(
    true,
    isPublic(present) ? changeTally(tx, subject, changeBy(row, present)) : readTally(tx, subject),
  );
}

/**
 * The query of the tally is sent together with the commit. If it fails, the commit fails too, and
 * nobody awaits it.
 */
function outcome(changed: boolean, tally: Promise<Tally>): ReviewOutcome {
  tally.catch(() => {});
  return { changed, tally };
}

/**
 * The totals for a repeated review; `undefined` when the call would change anything. It checks no
 * permissions, since the same call was allowed before.
 */
export async function findRepeat(db: Kysely<Tables>, call: ReviewCall): Promise<Tally | undefined> {
  const row = rowOf(call);
  const present = await presentReview.first(db, { subject: call.subject, voter: row.voter });
  if (present === undefined || OPINION_COLUMNS.some((column) => present[column] !== row[column]))
    return undefined;
  return readTally(db, call.subject);
}

/** A key that is equal for two calls that write the same review. */
export function reviewKey(call: Pick<ReviewCall, 'subject' | 'userId' | 'origin'>): string {
  return `review ${call.subject} ${voterOf(call)}`;
}

function voterOf({ userId, origin }: Pick<ReviewCall, 'userId' | 'origin'>): string {
  return userId === undefined ? `address:${networkOf(origin.address)}` : `user:${userId}`;
}

function rowOf({ subject, userId, origin, opinion, at }: ReviewCall): NewReview {
  return {
    id: newKey(),
    subject,
    voter: voterOf({ userId, origin }),
    ...opinion,
    ip: origin.address,
    claimed_ip: origin.claimed ?? null,
    created_at: at,
    updated_at: at,
  };
}

async function auditReview(
  tx: Kysely<Tables>,
  call: ReviewCall,
  action: 'create' | 'replace' | 'withdraw',
): Promise<void> {
  const { context, subject, userId, origin, at } = call;
  await recordAudit(tx, {
    at,
    ...doneByCall(context),
    action: `review.${action}`,
    target: { kind: 'review', key: subject },
    details: {
      ...(userId === undefined ? {} : { claimedUser: userId }),
      ...(origin.claimed === undefined ? {} : { claimedAddress: origin.claimed }),
    },
  });
}

type NewReview = Omit<ReviewsTable, keyof Moderated>;

const insertReview = prepare((db, row: NewReview) =>
  db
    .insertInto('reviews')
    .values(
      columns(row, 'id subject voter positive rating remark ip claimed_ip created_at updated_at'),
    )
    .onConflict((conflict) => conflict.columns(['subject', 'voter']).doNothing()),
);

const OPINION_COLUMNS = [
  'positive',
  'rating',
  'remark',
] as const satisfies readonly (keyof Opinion)[];

/** Reads a voter's review, and locks it until the write ends. */
const lockReview = prepare((db, { subject, voter }: Pick<ReviewsTable, 'subject' | 'voter'>) =>
  db
    .selectFrom('reviews')
    .select(OPINION_COLUMNS)
    .select(['held_at', 'removed_at'])
    .where('subject', '=', subject)
    .where('voter', '=', voter)
    .$call(lockRows(db)),
);

const presentReview = prepare((db, { subject, voter }: Pick<ReviewsTable, 'subject' | 'voter'>) =>
  db
    .selectFrom('reviews')
    .select(OPINION_COLUMNS)
    .where('subject', '=', subject)
    .where('voter', '=', voter),
);

const replaceReview = prepare((db, row: NewReview) =>
  db
    .updateTable('reviews')
    .set(columns(row, 'positive rating remark ip claimed_ip updated_at'))
    .where('subject', '=', row.subject)
    .where('voter', '=', row.voter),
);

/**
 * Whether a key is a record of the user, of any kind and also in the trash, or the user themselves;
 * nobody may review their own records (semantics 5.13).
 */
async function ownsRecord(db: Kysely<Tables>, userId: string, key: string): Promise<boolean> {
  return key === userId || (await ownRecord.first(db, { owner: userId, guid: key })) !== undefined;
}

const ownRecord = prepare((db, { owner, guid }: { owner: string; guid: string }) =>
  db
    .selectFrom('articles')
    .select('guid')
    .where('guid', '=', guid)
    .where('owner', '=', owner)
    .unionAll(
      db.selectFrom('adverts').select('guid').where('guid', '=', guid).where('owner', '=', owner),
    )
    .unionAll(
      db.selectFrom('images').select('guid').where('guid', '=', guid).where('owner', '=', owner),
    ),
);
