import { type Kysely, sql } from 'kysely';
import { isPostgres } from '../engine-of.ts';
import { AUDIT, idOf, monthAfter, monthOf, stampOf } from '../partitions.ts';
import type { Tables } from '../tables/tables.ts';
import type { Migration } from './migration.ts';

/**
 * PostgreSQL: the audit trail is divided by month. The table as it was becomes the part of everything until the end of this
 * month, where it is: no row is written anew.
 */
export const auditPartitions: Migration = {
  name: '0029_audit_partitions',
  async up(db) {
    if (!isPostgres(db)) return;
    const end = monthAfter(monthOf(Date.now()));
    const [until, first] = [`audit_until_${stampOf(end - 1)}`, idOf(end)];
    const indexes = await sql<{ name: string; made: string; key: boolean }>`
      select relname as name, pg_get_indexdef(oid) as made, indisprimary as key
      from pg_index join pg_class on oid = indexrelid where indrelid = to_regclass(${AUDIT})`.execute(
      db,
    );
    const grants = await grantsOf(db);
    await sql`alter table audit rename to ${sql.ref(until)}`.execute(db);
    for (const { name } of indexes.rows) {
      await sql`alter index ${sql.ref(name)} rename to ${sql.ref(name.replace(AUDIT, until))}`.execute(
        db,
      );
    }
    await sql`create table audit (like ${sql.table(until)} including all excluding indexes) partition by range (id)`.execute(
      db,
    );
    await sql`alter table audit add primary key (id)`.execute(db);
    for (const { made, key } of indexes.rows) if (!key) await sql.raw(made).execute(db);
    await sql`create table audit_other partition of audit default`.execute(db);
    await sql`with moved as (delete from ${sql.table(until)} where id >= ${first} returning *)
      insert into audit_other select * from moved`.execute(db);
    await sql`alter table audit attach partition ${sql.table(until)}
      for values from (minvalue) to (${sql.lit(first)})`.execute(db);
    for (const { right, role } of grants) {
      await sql`grant ${sql.raw(right)} on audit to ${role === null ? sql.raw('public') : sql.ref(role)}`.execute(
        db,
      );
    }
  },
};

/** What others than its owner may do with the trail: who reads it keeps being able to. */
async function grantsOf(
  db: Kysely<Tables>,
): Promise<readonly { readonly right: string; readonly role: string | null }[]> {
  const { rows } = await sql<{ right: string; role: string | null }>`
    select acl.privilege_type as "right", pg_roles.rolname as role
    from pg_class cross join aclexplode(relacl) as acl left join pg_roles on pg_roles.oid = acl.grantee
    where pg_class.oid = to_regclass(${AUDIT}) and acl.grantee <> relowner`.execute(db);
  return rows;
}
