import type { Kysely } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import { say } from '../../contract/sentence.ts';
import { prepare } from '../../store/prepared.ts';
import type { Instant, LegalHoldsTable, Tables } from '../../store/tables/tables.ts';
import { type Actor, auditAct } from '../audit/audit.ts';
import { assertUserExists } from '../users/existence.ts';

/** Longest reason of a legal hold; code points. */
export const REASON_CHARS = 400;

/** A change of a legal hold: for which user, and by whom. */
export interface HoldCall {
  /** Canonical key of the user. */
  readonly id: string;
  /** `undefined` for an operator on the machine itself. */
  readonly by: Actor | undefined;
  /** The name of who does it, for people. */
  readonly name: string;
  readonly at: Instant;
}

/**
 * Sets a legal hold: the data of the user cannot be erased until `until`, or until the hold is
 * ended. It replaces an existing hold.
 * @throws {Ws01Error} `NotFound` for an unknown user; `InvalidParameter` without a reason, or with
 *   a past end.
 */
export async function setLegalHold(
  tx: Kysely<Tables>,
  {
    id,
    by,
    name,
    at,
    reason,
    until,
  }: HoldCall & { readonly reason: string; readonly until: Instant | undefined },
): Promise<boolean> {
  const why = reason.trim();
  if (why === '' || [...why].length > REASON_CHARS) {
    const message = say`The reason must have 1 to ${{ most: REASON_CHARS }} characters.`;
    throw new Ws01Error('InvalidParameter', message, { parameter: 'reason' });
  }
  if (until !== undefined && until <= at) {
    throw new Ws01Error('InvalidParameter', 'until must be later than now.', {
      parameter: 'until',
    });
  }
  await assertUserExists(tx, id);
  const hold = { reason: why, set_by: name, set_at: at, until: until ?? null };
  await tx
    .insertInto('legal_holds')
    .values({ user_id: id, ...hold })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(hold))
    .execute();
  const details = {
    reason: why,
    until: until === undefined ? null : new Date(until).toISOString(),
  };
  await auditAct(tx, 'user.hold', id, at, by, details);
  return true;
}

/** Ends the legal hold of a user. @returns whether there was one. */
export async function endLegalHold(
  tx: Kysely<Tables>,
  { id, by, at }: Omit<HoldCall, 'name'>,
): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('legal_holds')
    .where('user_id', '=', id)
    .executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) return false;
  await auditAct(tx, 'user.release', id, at, by);
  return true;
}

/** The current legal hold of a user; `undefined` when there is none. */
export async function findLegalHold(
  db: Kysely<Tables>,
  id: string,
  now: Instant,
): Promise<LegalHoldsTable | undefined> {
  const hold = await holdOf.first(db, { id });
  return hold === undefined || (hold.until !== null && hold.until <= now) ? undefined : hold;
}

const holdOf = prepare((db, { id }: { id: string }) =>
  db.selectFrom('legal_holds').selectAll().where('user_id', '=', id),
);

/** @throws {Ws01Error} `Forbidden` while a legal hold is in force. */
export async function assertNotHeld(db: Kysely<Tables>, id: string, now: Instant): Promise<void> {
  const hold = await findLegalHold(db, id, now);
  if (hold === undefined) return;
  const end =
    hold.until === null
      ? 'until somebody ends it'
      : say`until ${{ at: new Date(hold.until).toISOString() }}`;
  throw new Ws01Error(
    'Forbidden',
    say`A legal hold keeps the data of ${{ id }} ${{ part: end }}, set by ${{ name: hold.set_by }} on ${{ at: new Date(hold.set_at).toISOString() }}: ${{ reason: hold.reason }} End it first.`,
    { parameter: 'id' },
  );
}
