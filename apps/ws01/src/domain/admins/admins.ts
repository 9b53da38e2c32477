import { DAY_MS } from '@ws01/asmx/time';
import type { Kysely } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import type { Role } from '../../contract/roles.ts';
import { say } from '../../contract/sentence.ts';
import { lockName, lockRows } from '../../store/row-lock.ts';
import type { Store } from '../../store/store.ts';
import type { AdminsTable, Instant, Tables } from '../../store/tables/tables.ts';
import type { AuditAction } from '../audit/actions.ts';
import { type AuditEntry, recordAudit } from '../audit/audit.ts';
import type { Clock } from '../context.ts';
import { newKey } from '../values/keys.ts';
import { hashSecret, newSecret } from './secret.ts';

/** A person who may use the console. */
export interface Admin {
  /** UUIDv7. */
  readonly id: string;
  readonly name: string;
  readonly role: Role;
}

/** Who changes an account: an admin, or an operator on the machine if `address` is absent. */
export interface AdminActor {
  readonly name?: string | undefined;
  readonly address?: string | undefined;
  /** The id of the token, if an application does it. */
  readonly tokenId?: string | undefined;
  readonly requestId?: string | undefined;
  /** Why, in the actor's words. */
  readonly reason?: string | undefined;
}

/** Lifetime of a set-up link; ms. */
export const LINK_MS = DAY_MS;

/**
 * Creates an account and the secret of its set-up link.
 * @param added without a role the first account is an owner's, and each later one a moderator's.
 * @returns the secret, which is not stored: show it once.
 * @throws {Ws01Error} `InvalidParameter` for an invalid name; `AlreadyExists` for a name in use.
 */
export async function addAdmin(
  store: Store,
  { name, role: given }: Pick<Admin, 'name'> & { readonly role: Role | undefined },
  clock: Clock,
  actor: AdminActor = {},
): Promise<string> {
  checkName(name);
  const secret = newSecret();
  await store.write(async (tx) => {
    const [id, at] = [newKey(), clock()];
    const role = given ?? (await nextRole(tx));
    const { numInsertedOrUpdatedRows } = await tx
      .insertInto('admins')
      .values({ id, name, name_key: keyOf(name), role, created_at: at })
      .onConflict((conflict) => conflict.column('name_key').doNothing())
      .executeTakeFirstOrThrow();
    if (numInsertedOrUpdatedRows === 0n) {
      throw new Ws01Error('AlreadyExists', say`There is an admin ${{ name }} already.`, {
        parameter: 'name',
      });
    }
    await putLink(tx, id, secret, at);
    await auditAdmin(tx, 'admin.add', { id, name, role }, at, actor);
  });
  return secret;
}

/**
 * The role of an account for which none was said; of several that come at once, one is the first.
 */
async function nextRole(tx: Kysely<Tables>): Promise<Role> {
  lockName(tx, 'the first admin');
  const some = await tx.selectFrom('admins').select('id').limit(1).executeTakeFirst();
  return some === undefined ? 'owner' : 'moderator';
}

/** Whether anyone can use the console. */
export async function hasAdmins(store: Store): Promise<boolean> {
  return (
    (await store.read((db) => db.selectFrom('admins').select('id').limit(1).executeTakeFirst())) !==
    undefined
  );
}

/**
 * Ends all sessions of an account, removes its password and passkeys, and creates a set-up link.
 * @returns the secret of the link, which is not stored: show it once.
 * @throws {Ws01Error} `NotFound`
 */
export async function resetAdmin(store: Store, name: string, clock: Clock): Promise<string> {
  const secret = newSecret();
  await store.write(async (tx) =>
    removeSignInMethods(tx, await named(tx, name), secret, clock(), {}),
  );
  return secret;
}

/**
 * As {@link resetAdmin}, inside a write.
 * @param secret the secret of the link.
 */
export async function removeSignInMethods(
  tx: Kysely<Tables>,
  admin: Admin,
  secret: string,
  at: Instant,
  actor: AdminActor,
): Promise<void> {
  await tx.updateTable('admins').set({ password: null }).where('id', '=', admin.id).execute();
  await tx.deleteFrom('admin_passkeys').where('admin_id', '=', admin.id).execute();
  await tx.deleteFrom('admin_sessions').where('admin_id', '=', admin.id).execute();
  await putLink(tx, admin.id, secret, at);
  await auditAdmin(tx, 'admin.reset', admin, at, actor);
}

/**
 * Removes an account and ends its sessions.
 * @throws {Ws01Error} `NotFound`
 */
export async function removeAdmin(store: Store, name: string, clock: Clock): Promise<Admin> {
  return store.write(async (tx) => {
    const admin = await named(tx, name);
    await deleteAdmin(tx, admin, clock(), {});
    return admin;
  });
}

/** As {@link removeAdmin}, inside a write. */
export async function deleteAdmin(
  tx: Kysely<Tables>,
  admin: Admin,
  at: Instant,
  actor: AdminActor,
): Promise<void> {
  const own = ['admin_links', 'admin_passkeys', 'admin_sessions', 'saved_filters'] as const;
  for (const table of own) {
    await tx.deleteFrom(table).where('admin_id', '=', admin.id).execute();
  }
  await tx.deleteFrom('admins').where('id', '=', admin.id).execute();
  await auditAdmin(tx, 'admin.remove', admin, at, actor);
}

/** Changes the role of an account, from its next request on. */
export async function changeRole(
  tx: Kysely<Tables>,
  admin: Admin,
  role: Role,
  at: Instant,
  actor: AdminActor,
): Promise<void> {
  await tx.updateTable('admins').set({ role }).where('id', '=', admin.id).execute();
  await auditAdmin(tx, 'admin.role', { ...admin, role }, at, actor, { from: admin.role, to: role });
}

/**
 * Returns an account by its id and locks it until the write ends.
 * @throws {Ws01Error} `NotFound`
 */
export async function lockAdmin(tx: Kysely<Tables>, id: string): Promise<Admin> {
  const admin = await tx
    .selectFrom('admins')
    .select(['id', 'name', 'role'])
    .where('id', '=', id)
    .$call(lockRows(tx))
    .executeTakeFirst();
  if (admin !== undefined) return admin;
  throw new Ws01Error('NotFound', say`There is no ${{ kind: 'admin' }} ${{ key: id }}.`, {
    parameter: 'id',
  });
}

/**
 * @throws {Ws01Error} `Forbidden` if this account is the only owner, because nobody could undo the
 *   change.
 */
export async function assertOtherOwner(tx: Kysely<Tables>, { id, role }: Admin): Promise<void> {
  if (role !== 'owner') return;
  // All owners are locked, so that two of them cannot rely on each other.
  const owners = await tx
    .selectFrom('admins')
    .select('id')
    .where('role', '=', 'owner')
    .orderBy('id')
    .$call(lockRows(tx))
    .execute();
  if (owners.some((owner) => owner.id !== id)) return;
  throw new Ws01Error('Forbidden', 'This is the only owner; make another one first.', {
    parameter: 'id',
  });
}

/** Returns the account of a set-up link; `undefined` if the link is unknown, used or expired. */
export async function adminOfLink(
  store: Store,
  secret: string,
  now: Instant,
): Promise<Admin | undefined> {
  return store.read((db) => findByLink(db, secret, now));
}

/** As {@link adminOfLink}, inside a write. */
export async function findByLink(
  db: Kysely<Tables>,
  secret: string,
  now: Instant,
): Promise<Admin | undefined> {
  const hash = hashSecret(secret);
  if (hash === undefined) return undefined;
  return (
    db
      .selectFrom('admin_links')
      .innerJoin('admins', 'admins.id', 'admin_links.admin_id')
      .select(['admins.id', 'admins.name', 'admins.role'])
      .where('admin_links.hash', '=', hash)
      .where('admin_links.expires_at', '>', now)
      // What a clock made that was ahead would work for as long.
      .where('admin_links.expires_at', '<', now + 2 * LINK_MS)
      .executeTakeFirst()
  );
}

/** Returns the row of an account by its name, in any case. */
export function findAdminByName(store: Store, name: string): Promise<AdminsTable | undefined> {
  return store.read((db) =>
    db.selectFrom('admins').selectAll().where('name_key', '=', keyOf(name)).executeTakeFirst(),
  );
}

/** Adds an entry about an account to the audit trail. */
export async function auditAdmin(
  tx: Kysely<Tables>,
  action: AuditAction & `admin.${string}`,
  { id, name, role }: Admin,
  at: Instant,
  actor: AdminActor,
  changed: AuditEntry['details'] = {},
): Promise<void> {
  const by = actor.name === undefined ? {} : { admin: actor.name };
  await recordAudit(tx, {
    at,
    tokenId: actor.tokenId,
    action,
    target: { kind: 'admin', key: id },
    address: actor.address,
    requestId: actor.requestId,
    reason: actor.reason,
    details: { name, role, ...changed, ...by },
  });
}

async function putLink(
  tx: Kysely<Tables>,
  adminId: string,
  secret: string,
  at: Instant,
): Promise<void> {
  const link = { hash: hashSecret(secret)!, created_at: at, expires_at: at + LINK_MS };
  await tx
    .insertInto('admin_links')
    .values({ admin_id: adminId, ...link })
    .onConflict((conflict) => conflict.column('admin_id').doUpdateSet(link))
    .execute();
}

async function named(tx: Kysely<Tables>, name: string): Promise<Admin> {
  const admin = await tx
    .selectFrom('admins')
    .select(['id', 'name', 'role'])
    .where('name_key', '=', keyOf(name))
    .executeTakeFirst();
  if (admin !== undefined) return admin;
  throw new Ws01Error('NotFound', say`There is no ${{ kind: 'admin' }} ${{ key: name }}.`, {
    parameter: 'name',
  });
}

const keyOf = (name: string) => name.trim().normalize('NFC').toLowerCase();

/** Maximum length of a name, in code points. */
const NAME_CHARS = 64;

function checkName(name: string): void {
  const usable =
    /^[\p{L}\p{N}][\p{L}\p{N}._@+ -]*$/u.test(name) &&
    [...name].length <= NAME_CHARS &&
    name === name.trim();
  if (usable) return;
  throw new Ws01Error(
    'InvalidParameter',
    say`The name must have 1 to ${{ most: NAME_CHARS }} letters, digits, blanks and . _ @ + -, beginning with a letter or a digit.`,
    { parameter: 'name' },
  );
}
