import type { Kysely } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import { prepare } from '../../store/prepared.ts';
import { afterCommit } from '../../store/scope.ts';
import type { Instant, Tables } from '../../store/tables/tables.ts';
import { type Actor, doneBy, recordAudit } from '../audit/audit.ts';

/** A block on another node takes effect within this; ms. */
const BLOCK_KNOWN_MS = 2_000;

/** Who is blocked, as it was read last, by the store's adapter, of which it has one as long as it is open. */
const known = new WeakMap<object, { readonly ids: ReadonlySet<string>; readonly readAt: number }>();

/**
 * Refuses to act for a user whom a moderator blocked. They are few, so all are remembered.
 * @throws {Ws01Error} `Forbidden`
 */
export async function assertNotBlocked(db: Kysely<Tables>, userId: string): Promise<void> {
  const { adapter } = db.getExecutor();
  let blocked = known.get(adapter);
  const now = performance.now();
  if (blocked === undefined || now - blocked.readAt > BLOCK_KNOWN_MS) {
    blocked = { ids: new Set((await blockedIds.all(db, {})).map(({ id }) => id)), readAt: now };
    known.set(adapter, blocked);
  }
  if (blocked.ids.has(userId)) throw new Ws01Error('Forbidden', 'A moderator blocked the user that the call acts for.');
}

const blockedIds = prepare((db) => db.selectFrom('users').select('id').where('blocked_at', 'is not', null));

/** A moderator's word on a user. */
interface BlockCall {
  /** Canonical key. */
  readonly id: string;
  readonly by: Actor;
  readonly reason: string | undefined;
  readonly at: Instant;
}

/**
 * Lets nobody act for a user until they are unblocked: their tokens are refused, trusted callers that name them too, and
 * no mail is from them. On this node at once, on the others within {@link BLOCK_KNOWN_MS}.
 * @returns whether that changed anything.
 * @throws {Ws01Error} `NotFound`
 */
export function blockUser(tx: Kysely<Tables>, call: BlockCall): Promise<boolean> {
  return setBlocked(tx, call, 'block', call.at);
}

/** Ends a {@link blockUser}. @returns whether that changed anything. @throws {Ws01Error} `NotFound` */
export function unblockUser(tx: Kysely<Tables>, call: BlockCall): Promise<boolean> {
  return setBlocked(tx, call, 'unblock', null);
}

async function setBlocked(
  tx: Kysely<Tables>,
  { id, by, reason, at }: BlockCall,
  verb: 'block' | 'unblock',
  blocked_at: Instant | null,
): Promise<boolean> {
  const [result] = await tx
    .updateTable('users')
    .set({ blocked_at, updated_at: at })
    .where('id', '=', id)
    .where('blocked_at', blocked_at === null ? 'is not' : 'is', null)
    .execute();
  if (Number(result?.numUpdatedRows ?? 0) === 0) {
    const user = await tx.selectFrom('users').select('id').where('id', '=', id).executeTakeFirst();
    if (user === undefined) throw new Ws01Error('NotFound', `There is no user ${id}.`, { parameter: 'id' });
    return false;
  }
  forgetBlocked(tx);
  await recordAudit(tx, {
    at,
    ...doneBy(by),
    action: `user.${verb}`,
    target: { kind: 'user', key: id },
    details: reason === undefined ? {} : { reason },
  });
  return true;
}

/** Has the next calls look up again who is blocked, once the write is committed. */
export function forgetBlocked(tx: Kysely<Tables>): void {
  const { adapter } = tx.getExecutor();
  afterCommit(tx, () => known.delete(adapter));
}
