import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { isFailureOf } from '../failure/dependency-error.ts';
import { isPostgres } from './engine-of.ts';
import { laterChanges } from './migrate.ts';
import { openStore } from './open.ts';
import { readWithoutTimeout } from './read-without-timeout.ts';
import type { Store } from './store.ts';
import { TABLE_NAMES, type Tables, TEXT_INDEXES } from './tables/tables.ts';

/** The size of a table, indexes included. */
export interface TableSize {
  readonly name: string;
  readonly rows: number;
  readonly bytes: number;
}

/** How a problem ends that is no damage: somebody has added something. */
export const NOT_OURS = ' is not ours';

/** Columns and indexes of all tables, as `table.column` and `index on table`. */
type SchemaParts = ReadonlySet<string>;

/**
 * Checks the whole database: pages, indexes, references between tables, and the schema. Reads only;
 * the service may be running. What a later release has added is none of its problems: this one goes
 * on with it.
 * @returns one sentence for each problem; empty if there is none.
 */
export async function checkDatabase(store: Store): Promise<readonly string[]> {
  const damage = await readWithoutTimeout(store, (db) =>
    isPostgres(db) ? postgresDamage(db) : sqliteDamage(db),
  );
  const [expected, found] = [await expectedSchema(), await schemaOf(store)];
  const missing = [...expected]
    .filter((part) => !found.has(part))
    .map((part) => `${part} is missing`);
  const isLater = (await laterChanges(store)).length > 0;
  const added = isLater ? [] : [...found].filter((part) => !expected.has(part));
  return [...damage, ...missing, ...added.map((part) => `${part}${NOT_OURS}`)];
}

/** Returns the size of each table, largest first. */
export async function tableSizes(store: Store): Promise<readonly TableSize[]> {
  const sizes = await readWithoutTimeout(store, async (db) => {
    const bytes = isPostgres(db)
      ? // For a partitioned table, its partitions.
        sql<{ name: string; bytes: number }>`select relname as name, coalesce(
            (select sum(pg_total_relation_size(relid)) from pg_partition_tree(oid)), pg_total_relation_size(oid)) as bytes
          from pg_class where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace`
      : sql<{
          name: string;
          bytes: number;
        }>`select s.tbl_name as name, sum(d.pgsize) as bytes from dbstat d
          join sqlite_schema s on s.name = d.name group by s.tbl_name`;
    return new Map(
      (await bytes.execute(db)).rows.map(({ name, bytes: size }) => [name, Number(size)]),
    );
  });
  const tables: TableSize[] = [];
  for (const name of TABLE_NAMES) {
    const { rows } = await readWithoutTimeout(store, (db) =>
      db
        .selectFrom(name)
        .select((eb) => eb.fn.countAll().as('rows'))
        .executeTakeFirstOrThrow(),
    );
    tables.push({ name, rows: Number(rows), bytes: sizes.get(name) ?? 0 });
  }
  for (const name of TEXT_INDEXES) {
    const parts = [...sizes].filter(([part]) => part.startsWith(name));
    tables.push({ name, rows: 0, bytes: parts.reduce((sum, [, bytes]) => sum + bytes, 0) });
  }
  return tables.sort((a, b) => b.bytes - a.bytes);
}

type Db = Kysely<Tables>;

async function sqliteDamage(db: Db): Promise<string[]> {
  const pages = await pageDamage(db);
  // References to rows on a damaged page cannot be checked.
  if (pages.length > 0) return pages;
  const orphans = await sql<{ table: string; parent: string; rows: number }>`
    select "table", parent, count(*) as rows from pragma_foreign_key_check group by "table", parent`.execute(
    db,
  );
  return orphans.rows.map(
    ({ table, parent, rows }) => `${rows} rows of ${table} refer to nothing in ${parent}`,
  );
}

async function pageDamage(db: Db): Promise<string[]> {
  try {
    const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check(20)`.execute(db);
    return rows.map((row) => row.integrity_check).filter((line) => line !== 'ok');
  } catch (error) {
    // Some damage ends the check itself.
    if (!isFailureOf('database', error, 'unavailable')) throw error;
    return [error.message];
  }
}

/** Finds damaged pages by reading every table; PostgreSQL verifies checksums when it reads. */
async function postgresDamage(db: Db): Promise<string[]> {
  const wrong: string[] = [];
  const indexes = await sql<{
    name: string;
  }>`select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
    where not i.indisvalid and c.relnamespace = current_schema()::regnamespace`.execute(db);
  for (const { name } of indexes.rows)
    wrong.push(`the index ${name} is not valid: reindex index ${name}`);
  const keys = await sql<{ child: string; parent: string; column: string; referred: string }>`
    select c.conrelid::regclass::text as child, c.confrelid::regclass::text as parent,
      a.attname as column, f.attname as referred
    from pg_constraint c
    join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
    join pg_attribute f on f.attrelid = c.confrelid and f.attnum = c.confkey[1]
    where c.contype = 'f' and array_length(c.conkey, 1) = 1
      and c.connamespace = current_schema()::regnamespace`.execute(db);
  for (const { child, parent, column, referred } of keys.rows) {
    const [own, other] = [sql.ref(`child.${column}`), sql.ref(`parent.${referred}`)];
    const { rows } = await sql<{
      rows: number;
    }>`select count(*) as rows from ${sql.table(child)} as child
      where ${own} is not null and not exists
        (select 1 from ${sql.table(parent)} as parent where ${other} = ${own})`.execute(db);
    if (Number(rows[0]?.rows) > 0)
      wrong.push(`${rows[0]?.rows} rows of ${child} refer to nothing in ${parent}`);
  }
  // The server's own message for a page that cannot be read.
  for (const name of TABLE_NAMES) {
    await sql`select count(*) from ${sql.table(name)} as t where t is distinct from null`.execute(
      db,
    );
  }
  return wrong;
}

/**
 * Returns the schema that this version creates. Both engines have the same tables, columns and
 * indexes.
 */
async function expectedSchema(): Promise<SchemaParts> {
  const folder = await mkdtemp(join(tmpdir(), 'ws01-schema-'));
  try {
    const store = await openStore({ dataDir: folder });
    try {
      return await schemaOf(store);
    } finally {
      await store.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Returns the schema without the search index, which differs between the engines, and without
 * objects of others.
 */
function schemaOf(store: Store): Promise<SchemaParts> {
  return readWithoutTimeout(store, async (db) => {
    const ours = new Set<string>([...TABLE_NAMES, 'schema_migrations']);
    const tables = await db.introspection.getTables();
    const columns = tables
      .filter(({ name, isView }) => !isView && ours.has(name))
      .flatMap(({ name, columns: of }) => of.map((column) => `the column ${name}.${column.name}`));
    const indexes = isPostgres(db)
      ? sql<{
          name: string;
          of: string;
        }>`select i.relname as name, t.relname as "of" from pg_index x
          join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
          where i.relnamespace = current_schema()::regnamespace
            and not exists (select 1 from pg_constraint c where c.conindid = x.indexrelid)`
      : sql<{ name: string; of: string }>`select name, tbl_name as "of" from sqlite_schema
          where type = 'index' and sql is not null`;
    const named = (await indexes.execute(db)).rows.filter(({ of }) => ours.has(of));
    return new Set([...columns, ...named.map(({ name, of }) => `the index ${name} of ${of}`)]);
  });
}
