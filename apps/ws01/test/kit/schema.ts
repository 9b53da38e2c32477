import { type Kysely, sql } from 'kysely';
import type { SchemaIndex, SchemaTable, SchemaView } from '../../src/store/flavours/schema-types.ts';
import type { Store } from '../../src/store/store.ts';
import type { Tables } from '../../src/store/tables/tables.ts';

interface Schema {
  readonly tables: readonly SchemaTable[];
  readonly indexes: readonly SchemaIndex[];
  readonly views: readonly SchemaView[];
}

/** The tables, indexes and views of a migrated PostgreSQL database, these in the order in which they were made; a divided table as a whole. */
export function readSchema(store: Store): Promise<Schema> {
  return store.read(async (db) => ({
    tables: await tablesOf(db),
    indexes: await indexesOf(db),
    views: await viewsOf(db),
  }));
}

/** The source that holds a schema. */
export function schemaFile({ tables, indexes, views }: Schema): string {
  const list = (rows: readonly unknown[]) => `[\n${rows.map((row) => `  ${JSON.stringify(row)},\n`).join('')}]`;
  return `// Made by scripts/record-schema.ts from what the migrations make; a test holds it to them.
import type { SchemaIndex, SchemaTable, SchemaView } from './schema-types.ts';

// biome-ignore format: a table a line
export const TABLES: readonly SchemaTable[] = ${list(tables)};

// biome-ignore format: an index a line
export const INDEXES: readonly SchemaIndex[] = ${list(indexes)};

// biome-ignore format: a view a line
export const VIEWS: readonly SchemaView[] = ${list(views)};
`;
}

async function tablesOf(db: Kysely<Tables>): Promise<SchemaTable[]> {
  const { rows } = await sql<SchemaTable>`select relname as name,
      (select json_agg(json_build_object('name', attname, 'type', format_type(atttypid, atttypmod),
          'required', attnotnull, 'counts', attidentity <> '',
          'bytewise', attcollation = (select oid from pg_collation where collname = 'C'),
          'standard', (select pg_get_expr(adbin, adrelid) from pg_attrdef where adrelid = c.oid and adnum = attnum)) order by attnum)
        from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped) as columns,
      coalesce((select json_agg(json_build_object('name', conname, 'kind', contype, 'definition', pg_get_constraintdef(oid)) order by conname)
        from pg_constraint where conrelid = c.oid and contype in ('p', 'u', 'c', 'f')), '[]'::json) as constraints
    from pg_class c where relkind in ('r', 'p') and not relispartition and relnamespace = current_schema()::regnamespace
    order by relname`.execute(db);
  return rows;
}

async function indexesOf(db: Kysely<Tables>): Promise<SchemaIndex[]> {
  const { rows } = await sql<SchemaIndex>`select i.relname as name, t.relname as "table", indisunique as "unique",
      replace(replace(pg_get_indexdef(i.oid), current_schema() || '.', ''), ' ON ONLY ', ' ON ') as definition
    from pg_index join pg_class i on i.oid = indexrelid join pg_class t on t.oid = indrelid
    where t.relnamespace = current_schema()::regnamespace and not t.relispartition
      and not exists (select from pg_constraint where conindid = i.oid)
    order by t.relname, i.relname`.execute(db);
  return rows;
}

async function viewsOf(db: Kysely<Tables>): Promise<SchemaView[]> {
  const { rows } = await sql<SchemaView>`select relname as name, pg_get_viewdef(oid) as definition from pg_class
    where relkind = 'v' and relnamespace = current_schema()::regnamespace order by oid`.execute(db);
  return rows;
}
