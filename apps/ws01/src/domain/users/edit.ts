import type { Kysely } from 'kysely';
import { lockRows } from '../../store/row-lock.ts';
import { type Instant, type Tables, toFlag, type UsersTable } from '../../store/tables/tables.ts';
import { type Actor, auditAct } from '../audit/audit.ts';
import { userNotFound } from './existence.ts';

/** The fields of a user that an owner may change. An absent field is kept, `null` clears it. */
export type UserEdit = Partial<
  Pick<
    UsersTable,
    | 'name'
    | 'email'
    | 'first_name'
    | 'last_name'
    | 'zip_code'
    | 'state'
    | 'city'
    | 'address'
    | 'address2'
    | 'cell_phone'
  >
> & { readonly registered?: boolean };

/**
 * Changes a user for an owner of the site. A new phone number counts as verified when the user
 * verified it last, which may be never.
 * @returns whether anything changed.
 * @throws {Ws01Error} `NotFound`
 */
export async function editUser(
  tx: Kysely<Tables>,
  id: string,
  edit: UserEdit,
  { by, at }: { readonly by: Actor; readonly at: Instant },
): Promise<boolean> {
  const present = await tx
    .selectFrom('users')
    .selectAll()
    .where('id', '=', id)
    .$call(lockRows(tx))
    .executeTakeFirst();
  if (present === undefined) throw userNotFound(id);
  const { registered, ...texts } = edit;
  const { cell_phone } = texts;
  const isNewPhone = cell_phone !== undefined && cell_phone !== present.cell_phone;
  const wanted: Partial<UsersTable> = {
    ...texts,
    ...(registered === undefined ? {} : { registered: toFlag(registered) }),
    ...(isNewPhone ? { cell_phone_verified_at: await verifiedAt(tx, id, cell_phone) } : {}),
  };
  const changed = Object.entries(wanted).filter(
    ([column, value]) => present[column as keyof UsersTable] !== value,
  );
  if (changed.length === 0) return false;
  await tx
    .updateTable('users')
    .set({ ...Object.fromEntries(changed), updated_at: at })
    .where('id', '=', id)
    .execute();
  // The audit trail has the earlier values, as with every change of a user.
  const earlier = changed.map(([column]) => [column, present[column as keyof UsersTable]]);
  await auditAct(tx, 'user.edit', id, at, by, Object.fromEntries(earlier));
  return true;
}

async function verifiedAt(
  tx: Kysely<Tables>,
  user: string,
  phone: string | null,
): Promise<Instant | null> {
  if (phone === null) return null;
  const row = await tx
    .selectFrom('phone_verifications')
    .select('verified_at')
    .where('user_id', '=', user)
    .where('phone', '=', phone)
    .executeTakeFirst();
  return row?.verified_at ?? null;
}
