import type { Kysely } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import type { Store } from '../../store/store.ts';
import type { AdminPasskeysTable, Instant, Tables } from '../../store/tables/tables.ts';
import type { Clock } from '../context.ts';
import { type Admin, auditAdmin, findAdminByName, findByLink } from './admins.ts';
import { hashPassword, matchesPassword } from './passwords.ts';
import { hashSecret } from './secret.ts';
import { beginSession, type Visitor } from './sessions.ts';

/** A verified passkey. */
export type NewPasskey = Pick<AdminPasskeysTable, 'id' | 'public_key' | 'counter' | 'transports'>;

/** A method to sign in: the hash of a password, or a passkey. */
export type SignInMethod = { readonly passwordHash: string } | { readonly passkey: NewPasskey };

/**
 * Uses a set-up link: stores the sign-in method and begins a session.
 * @returns the session's secret; `undefined` if the link is unknown, used or expired.
 * @throws {Ws01Error} `AlreadyExists` for a passkey that somebody has.
 */
export async function setUp(
  store: Store,
  linkSecret: string,
  way: SignInMethod,
  clock: Clock,
  visitor: Visitor,
): Promise<string | undefined> {
  return store.write(async (tx) => {
    const at = clock();
    const admin = await findByLink(tx, linkSecret, at);
    if (admin === undefined) return undefined;
    const { numDeletedRows } = await tx
      .deleteFrom('admin_links')
      .where('admin_id', '=', admin.id)
      .executeTakeFirstOrThrow();
    // On PostgreSQL, the second of two concurrent uses finds no row.
    if (numDeletedRows === 0n) return undefined;
    await putWayIn(tx, admin, way, at, visitor.address);
    return beginSession(tx, admin, at, visitor);
  });
}

/**
 * Adds a passkey to a signed-in admin, or sets the password, which ends all other sessions.
 * @param session the secret of the session that stays.
 * @throws {Ws01Error} `AlreadyExists` for a passkey that somebody has.
 */
export async function addSignInMethod(
  store: Store,
  admin: Admin,
  way: SignInMethod,
  clock: Clock,
  { address, session }: { readonly address: string; readonly session: string },
): Promise<void> {
  await store.write(async (tx) => {
    await putWayIn(tx, admin, way, clock(), address);
    if (!('passwordHash' in way)) return;
    await tx
      .deleteFrom('admin_sessions')
      .where('admin_id', '=', admin.id)
      .where('hash', '!=', hashSecret(session)!)
      .execute();
  });
}

/**
 * Signs in with name and password.
 * @returns the session's secret; `undefined` if they do not match, in the same time as for an
 *   unknown name.
 */
export async function signInByPassword(
  store: Store,
  { name, password }: { readonly name: string; readonly password: string },
  clock: Clock,
  visitor: Visitor,
): Promise<string | undefined> {
  const admin = await findAdminByName(store, name);
  const matches = await matchesPassword(password, admin?.password, visitor.address);
  if (!matches || admin === undefined) return undefined;
  return store.write(async (tx) => {
    // A reset during the hashing invalidates the password.
    const still = await tx
      .selectFrom('admins')
      .select('password')
      .where('id', '=', admin.id)
      .executeTakeFirst();
    return still?.password === admin.password
      ? beginSession(tx, admin, clock(), visitor)
      : undefined;
  });
}

/** Returns a passkey and its admin; `undefined` if it is unknown. */
export function findPasskey(
  store: Store,
  id: string,
): Promise<(AdminPasskeysTable & { readonly admin: Admin }) | undefined> {
  return store.read(async (db) => {
    const passkey = await db
      .selectFrom('admin_passkeys')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    const admin = passkey && (await adminById(db, passkey.admin_id));
    return admin && { ...passkey, admin };
  });
}

/**
 * Signs in with a verified passkey.
 * @returns the session's secret; `undefined` if the passkey has been removed.
 */
export async function signInByPasskey(
  store: Store,
  id: string,
  counter: number,
  clock: Clock,
  visitor: Visitor,
): Promise<string | undefined> {
  return store.write(async (tx) => {
    const at = clock();
    const passkey = await tx
      .selectFrom('admin_passkeys')
      .select('admin_id')
      .where('id', '=', id)
      .executeTakeFirst();
    const admin = passkey && (await adminById(tx, passkey.admin_id));
    if (admin === undefined) return undefined;
    await tx
      .updateTable('admin_passkeys')
      .set({ counter, used_at: at })
      .where('id', '=', id)
      .execute();
    return beginSession(tx, admin, at, visitor);
  });
}

/** Returns the passkeys of an admin, newest first. */
export function passkeysOf(store: Store, { id }: Admin): Promise<AdminPasskeysTable[]> {
  return store.read((db) =>
    db
      .selectFrom('admin_passkeys')
      .selectAll()
      .where('admin_id', '=', id)
      .orderBy('created_at', 'desc')
      .execute(),
  );
}

/** Removes a passkey. Repeating it has no effect. */
export async function removePasskey(
  store: Store,
  admin: Admin,
  id: string,
  clock: Clock,
  address: string,
): Promise<void> {
  await store.write(async (tx) => {
    const { numDeletedRows } = await tx
      .deleteFrom('admin_passkeys')
      .where('id', '=', id)
      .where('admin_id', '=', admin.id)
      .executeTakeFirstOrThrow();
    if (numDeletedRows > 0n) {
      await auditAdmin(tx, 'admin.passkey-remove', admin, clock(), { name: admin.name, address });
    }
  });
}

/**
 * Creates a sign-in method from a password.
 * @throws {Ws01Error} `RateLimited` when too many wait.
 */
export async function passwordMethod(password: string): Promise<SignInMethod> {
  return { passwordHash: await hashPassword(password) };
}

async function putWayIn(
  tx: Kysely<Tables>,
  admin: Admin,
  way: SignInMethod,
  at: Instant,
  address: string,
): Promise<void> {
  const actor = { name: admin.name, address };
  if ('passwordHash' in way) {
    await tx
      .updateTable('admins')
      .set({ password: way.passwordHash })
      .where('id', '=', admin.id)
      .execute();
    await auditAdmin(tx, 'admin.password', admin, at, actor);
    return;
  }
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('admin_passkeys')
    .values({ ...way.passkey, admin_id: admin.id, created_at: at })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirstOrThrow();
  // The id of a passkey is whatever a browser says (WebAuthn 7.1, step 26).
  if (numInsertedOrUpdatedRows === 0n)
    throw new Ws01Error('AlreadyExists', 'This passkey is in use already.');
  await auditAdmin(tx, 'admin.passkey', admin, at, actor);
}

function adminById(db: Kysely<Tables>, id: string): Promise<Admin | undefined> {
  return db
    .selectFrom('admins')
    .select(['id', 'name', 'role'])
    .where('id', '=', id)
    .executeTakeFirst();
}
