import { type Kysely, sql } from 'kysely';
import { isPostgres } from '../engine-of.ts';
import type { Tables } from '../tables/tables.ts';

/** A table whose rows are found by their words. */
interface SearchedTable {
  /** One letter, by which the index knows the table. Never changes. */
  readonly letter: string;
  /** Its key. */
  readonly key: string;
  /** By what a list usually has them, oldest or newest first; does not change. */
  readonly order: string;
  /**
   * The columns that are searched, or that filters of the index are of; their changes are noted.
   */
  readonly columns: readonly string[];
}

/** The tables that the index of words is of; a test holds them against what records say. */
export const SEARCHED_TABLES = {
  articles: {
    letter: 'a',
    key: 'guid',
    order: 'created_at',
    columns: [
      ...['caption', 'content', 'guid', 'owner', 'category_key', 'contact_phone', 'ip'],
      ...['status', 'deleted_at', 'held_at', 'removed_at'],
    ],
  },
  adverts: {
    letter: 'd',
    key: 'guid',
    order: 'created_at',
    columns: [
      ...['title', 'detail', 'guid', 'owner', 'category_key', 'link_txt', 'link_url', 'ip'],
      ...['held_at', 'removed_at'],
    ],
  },
  images: {
    letter: 'i',
    key: 'guid',
    order: 'created_at',
    columns: [
      ...['category', 'guid', 'link_guid', 'owner', 'hash', 'ip'],
      ...['held_at', 'removed_at'],
    ],
  },
  users: {
    letter: 'u',
    key: 'id',
    order: 'created_at',
    columns: [
      ...['id', 'name', 'email', 'first_name', 'last_name', 'cell_phone', 'city'],
      ...['registered', 'blocked_at'],
    ],
  },
  links: {
    letter: 'l',
    key: 'code',
    order: 'created_at',
    columns: ['code', 'target', 'user_id', 'user_email'],
  },
  mails: {
    letter: 'm',
    key: 'id',
    order: 'id',
    columns: [
      ...['subject', 'receiver_name', 'receiver_email', 'sender', 'id', 'message_id', 'ip'],
      'receiver_key',
    ],
  },
  mail_suppressions: {
    letter: 'p',
    key: 'address',
    // Its list has the order of the address, which slices would keep after an erasure.
    order: 'created_at',
    columns: ['address', 'detail'],
  },
  sms: { letter: 's', key: 'id', order: 'id', columns: ['phone', 'user_id', 'id'] },
  reviews: {
    letter: 'r',
    key: 'id',
    order: 'id',
    columns: ['remark', 'subject', 'voter', 'ip', 'held_at', 'removed_at'],
  },
  reports: { letter: 'e', key: 'id', order: 'id', columns: ['detail', 'target_key', 'closed_at'] },
  tokens: {
    letter: 't',
    key: 'id',
    order: 'id',
    columns: ['label', 'id', 'user_id', 'kind', 'revoked_at'],
  },
} as const satisfies Partial<Record<keyof Tables, SearchedTable>>;

export type SearchedTableName = keyof typeof SEARCHED_TABLES;

const tables = Object.entries(SEARCHED_TABLES) as readonly (readonly [
  SearchedTableName,
  SearchedTable,
])[];

/**
 * Creates the triggers of the search index. After any write they note in `search_changes` which
 * records have other words than the index. They take a deleted record out of the index.
 */
export async function createSearchTriggers(db: Kysely<Tables>): Promise<void> {
  const statements = isPostgres(db) ? postgresTriggers() : sqliteTriggers();
  for (const statement of statements) await sql.raw(statement).execute(db);
}

/** Drops the index of words with its triggers, in whatever form a database has it. */
export async function dropSearch(db: Kysely<Tables>): Promise<void> {
  const triggers = isPostgres(db)
    ? ['function if exists search_changed cascade']
    : tables.flatMap(([table]) =>
        ['new', 'other', 'no_more'].map((of) => `trigger if exists ${table}_found_${of}`),
      );
  const parts = [
    ...['record_search_terms', 'record_search'],
    ...['search_changes', 'search_slices', 'search_records'],
  ];
  for (const what of [...triggers, ...parts.map((part) => `table if exists ${part}`)])
    await sql.raw(`drop ${what}`).execute(db);
}

/**
 * Notes that all present records must be indexed again: in databases that were filled before, and
 * when the folding changes. One note stands for a whole table; its letter is in upper case. The
 * indexing makes notes of records of it, some at a time.
 * @param some of these tables; absent: of all.
 */
export async function noteAllForSearch(
  db: Kysely<Tables>,
  some: readonly SearchedTableName[] = tables.map(([table]) => table),
): Promise<void> {
  const notes = some.map((table) => `('${SEARCHED_TABLES[table].letter.toUpperCase()}', '')`);
  await sql.raw(`insert into search_changes (kind, key) values ${notes.join(', ')}`).execute(db);
}

function sqliteTriggers(): string[] {
  return tables.flatMap(([table, { letter, key, columns }]) => {
    const note = (row: string) =>
      `insert into search_changes (kind, key) values ('${letter}', ${row}.${key});`;
    const gone = `kind = '${letter}' and key = old.${key}`;
    return [
      `create trigger ${table}_found_new after insert on ${table} begin ${note('new')} end`,
      `create trigger ${table}_found_other after update of ${columns.join(', ')} on ${table}
        begin ${note('new')} end`,
      `create trigger ${table}_found_no_more after delete on ${table} begin ${note('old')}
        delete from record_search where rowid = (select id from search_records where ${gone});
        delete from search_records where ${gone}; end`,
    ];
  });
}

/**
 * PostgreSQL looks up the members of a row when it comes to them, so one function serves all
 * tables.
 */
function postgresTriggers(): string[] {
  const keys = [...new Set(tables.map(([, { key }]) => key))];
  const keyOf = (row: string) =>
    keys.map((key) => `when '${key}' then found := ${row}.${key};`).join(' ');
  return [
    `create function search_changed() returns trigger language plpgsql as $$
      declare found text;
      begin
        if tg_op = 'DELETE' then
          case tg_argv[1] ${keyOf('old')} end case;
          delete from record_search where rowid =
            (select id from search_records where kind = tg_argv[0] and key = found);
          delete from search_records where kind = tg_argv[0] and key = found;
        else
          case tg_argv[1] ${keyOf('new')} end case;
        end if;
        insert into search_changes (kind, key) values (tg_argv[0], found);
        return null;
      end $$`,
    ...tables.flatMap(([table, { letter, key, columns }]) => {
      const call = `on ${table} for each row execute function search_changed('${letter}', '${key}')`;
      return [
        `create trigger ${table}_found_new after insert ${call}`,
        `create trigger ${table}_found_other after update of ${columns.join(', ')} ${call}`,
        `create trigger ${table}_found_no_more after delete ${call}`,
      ];
    }),
  ];
}
