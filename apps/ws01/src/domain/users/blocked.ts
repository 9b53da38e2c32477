import type { Kysely } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import { prepare } from '../../store/prepared.ts';
import { afterCommit } from '../../store/scope.ts';
import type { Instant, Tables } from '../../store/tables/tables.ts';
import { type Actor, auditAct } from '../audit/audit.ts';
import { assertUserExists } from './existence.ts';

/** A block on another node takes effect within this; ms. */
const BLOCK_KNOWN_MS = 2_000;

/**
 * The last read set of blocked users, by the adapter of the store, which it keeps while it is open.
 */
const known = new WeakMap<object, { readonly ids: ReadonlySet<string>; readonly readAt: number }>();

/**
 * Refuses a call that acts for a blocked user. Blocked users are few, so all are cached.
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
  if (blocked.ids.has(userId))
    throw new Ws01Error('Forbidden', 'A moderator blocked the user that the call acts for.');
}

const blockedIds = prepare((db) =>
  db.selectFrom('users').select('id').where('blocked_at', 'is not', null),
);

/** A call that blocks or unblocks a user. */
interface BlockCall {
  /** Canonical key of the user. */
  readonly id: string;
  readonly by: Actor;
  readonly reason: string | undefined;
  readonly at: Instant;
}

/**
 * Blocks a user: their tokens are refused, trusted callers cannot name them, and no mail is sent
 * for them. This takes effect on this node at once, on the others within {@link BLOCK_KNOWN_MS}.
 * @returns whether that changed anything.
 * @throws {Ws01Error} `NotFound`
 */
export function blockUser(tx: Kysely<Tables>, call: BlockCall): Promise<boolean> {
  return setBlocked(tx, call, 'block', call.at);
}

/** Unblocks a user. @returns whether that changed anything. @throws {Ws01Error} `NotFound` */
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
    await assertUserExists(tx, id);
    return false;
  }
  forgetBlocked(tx);
  await auditAct(tx, `user.${verb}`, id, at, by, { reason });
  return true;
}

/** Clears the cache of blocked users after the commit. */
export function forgetBlocked(tx: Kysely<Tables>): void {
  const { adapter } = tx.getExecutor();
  afterCommit(tx, () => known.delete(adapter));
}
