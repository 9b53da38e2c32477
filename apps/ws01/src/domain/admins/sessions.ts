import { DAY_MS, HOUR_MS } from '@ws01/asmx/time';
import type { Kysely } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import type { Store } from '../../store/store.ts';
import type { Instant, Tables } from '../../store/tables/tables.ts';
import type { Clock } from '../context.ts';
import { type Admin, type AdminActor, auditAdmin } from './admins.ts';
import { hashSecret, newSecret } from './secret.ts';

/**
 * The names of the session cookie. Over https it has the prefix `__Host-`: it is never sent in the
 * clear, and no other host can set it. Over plain http, which only this machine may use, browsers
 * such as Safari would reject that prefix.
 */
export const SESSION_COOKIES = { secure: '__Host-ws01-session', plain: 'ws01-session' } as const;

/**
 * Lifetime of a session after its last use, and in total, and how long its sign-in counts as fresh;
 * ms. Use does not lengthen the last: who has only the cookie could (docs/decisions/console.md).
 */
export const SESSION_MS = {
  idle: 12 * HOUR_MS,
  whole: 7 * DAY_MS,
  fresh: 2 * HOUR_MS,
};

/** Precision of its last use: at most one write per session in this time; ms. */
const STEP_MS = 60_000;

/** Maximum length of a stored user agent, in UTF-16 code units. */
const AGENT_CHARS = 200;

/** The client of a session. */
export interface Visitor {
  /** The canonical client address. */
  readonly address: string;
  /** The user agent. */
  readonly agent: string;
}

/** An admin by one of their sessions. */
export interface SignedInAdmin extends Admin {
  /** When the person signed in; `null` for sessions that an earlier release began. */
  readonly confirmedAt: Instant | null;
}

/** Whether what outlives a session may be done with one. */
export const isConfirmedAt = (confirmedAt: Instant | null | undefined, now: Instant): boolean =>
  confirmedAt != null && !isOff(confirmedAt, now, SESSION_MS.fresh);

/**
 * Whether an instant is so far away, on either side: what a clock wrote that was ahead is over,
 * too.
 */
const isOff = (at: Instant, now: Instant, most: number): boolean => Math.abs(now - at) >= most;

/**
 * Guards what outlives a session, such as another passkey, admin or token: the cookie is not
 * enough, and the person must have signed in shortly before.
 * @throws {Ws01Error} `Unauthenticated` with the parameter `session`.
 */
export function assertConfirmed(confirmedAt: Instant | null | undefined, now: Instant): void {
  if (isConfirmedAt(confirmedAt, now)) return;
  throw new Ws01Error(
    'Unauthenticated',
    'This lasts longer than your session: sign in once more, and do it within two hours.',
    { parameter: 'session' },
  );
}

/** A session as its admin sees it. */
export interface SessionSummary {
  /** Names the session, and opens nothing: the hash of the secret in hexadecimal digits. */
  readonly id: string;
  readonly address: string;
  readonly agent: string;
  readonly createdAt: Instant;
  readonly seenAt: Instant;
}

/**
 * Creates a session, in the transaction of the sign-in.
 * @returns the secret for the cookie, which is not stored.
 */
export async function beginSession(
  tx: Kysely<Tables>,
  admin: Admin,
  at: Instant,
  visitor: Visitor,
): Promise<string> {
  const secret = newSecret();
  await tx
    .insertInto('admin_sessions')
    .values({
      hash: hashSecret(secret)!,
      admin_id: admin.id,
      created_at: at,
      seen_at: at,
      confirmed_at: at,
      address: visitor.address,
      agent: visitor.agent.slice(0, AGENT_CHARS),
    })
    .execute();
  await tx.updateTable('admins').set({ signed_in_at: at }).where('id', '=', admin.id).execute();
  await auditAdmin(tx, 'admin.sign-in', admin, at, { name: admin.name, address: visitor.address });
  return secret;
}

/**
 * Returns the admin of a session cookie and records its use; `undefined` if the session does not
 * exist or has ended.
 */
export async function adminOfSession(
  store: Store,
  secret: string,
  clock: Clock,
): Promise<SignedInAdmin | undefined> {
  const found = await findSession(store, secret, clock);
  const now = clock();
  if (found !== undefined && now - found.seenAt >= STEP_MS) {
    await store.write((tx) =>
      tx
        .updateTable('admin_sessions')
        .set({ seen_at: now })
        .where('hash', '=', found.hash)
        .execute(),
    );
  }
  return found?.admin;
}

/** A session that has not ended. */
interface FoundSession {
  readonly admin: SignedInAdmin;
  readonly hash: Buffer;
  readonly seenAt: Instant;
}

/**
 * As {@link adminOfSession}, for what a page does by itself: this is no use that keeps the session
 * alive.
 */
export async function findSession(
  store: Store,
  secret: string,
  clock: Clock,
): Promise<FoundSession | undefined> {
  const hash = hashSecret(secret);
  if (hash === undefined) return undefined;
  const found = await store.read((db) =>
    db
      .selectFrom('admin_sessions')
      .innerJoin('admins', 'admins.id', 'admin_sessions.admin_id')
      .select([
        'admins.id',
        'admins.name',
        'admins.role',
        'admin_sessions.seen_at',
        'admin_sessions.created_at',
        'admin_sessions.confirmed_at',
      ])
      .where('admin_sessions.hash', '=', hash)
      .executeTakeFirst(),
  );
  if (found === undefined) return undefined;
  const now = clock();
  const { seen_at, created_at, confirmed_at, ...admin } = found;
  if (isOff(seen_at, now, SESSION_MS.idle) || isOff(created_at, now, SESSION_MS.whole))
    return undefined;
  return { admin: { ...admin, confirmedAt: confirmed_at }, hash, seenAt: seen_at };
}

/** Returns the sessions of an admin, newest first. */
export async function sessionsOf(
  store: Store,
  { id }: Pick<Admin, 'id'>,
): Promise<SessionSummary[]> {
  const rows = await store.read((db) =>
    db
      .selectFrom('admin_sessions')
      .selectAll()
      .where('admin_id', '=', id)
      .orderBy('created_at', 'desc')
      .execute(),
  );
  return rows.map(({ hash, address, agent, created_at, seen_at }) => ({
    id: Buffer.from(hash).toString('hex'),
    address,
    agent,
    createdAt: created_at,
    seenAt: seen_at,
  }));
}

/** Ends one session. Repeating it has no effect. */
export async function endSession(
  store: Store,
  admin: Admin,
  secret: string,
  clock: Clock,
  address: string,
): Promise<void> {
  const hash = hashSecret(secret);
  if (hash !== undefined) await endSessionById(store, admin, hash.toString('hex'), clock, address);
}

/**
 * Ends the session of another device of an admin, such as a lost phone.
 * @param id as {@link sessionsOf} returns it; a session of somebody else, or one that has ended, is
 *   left alone.
 */
export async function endSessionById(
  store: Store,
  admin: Admin,
  id: string,
  clock: Clock,
  address: string,
): Promise<void> {
  await store.write(async (tx) => {
    const { numDeletedRows } = await tx
      .deleteFrom('admin_sessions')
      .where('hash', '=', Buffer.from(id, 'hex'))
      .where('admin_id', '=', admin.id)
      .executeTakeFirstOrThrow();
    if (numDeletedRows > 0n)
      await auditAdmin(tx, 'admin.sign-out', admin, clock(), { name: admin.name, address });
  });
}

/**
 * Ends all sessions of an admin, on all devices, inside a write.
 * @returns whether there was one.
 */
export async function endAllSessions(
  tx: Kysely<Tables>,
  admin: Admin,
  at: Instant,
  actor: AdminActor,
): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('admin_sessions')
    .where('admin_id', '=', admin.id)
    .executeTakeFirstOrThrow();
  await auditAdmin(tx, 'admin.sign-out-everywhere', admin, at, actor);
  return numDeletedRows > 0n;
}
