import { type Kysely, sql } from 'kysely';
import { noteAbsentIndex } from '../absent-indexes.ts';
import { isPostgres } from '../engine-of.ts';
import type { Tables } from '../tables/tables.ts';
import { createSearchTriggers, dropSearch, noteAllForSearch } from './search.ts';
import { replaceView } from './views.ts';

/** A change of the schema. Never altered after a release; corrections are new changes. */
export interface SchemaChange {
  /** `NNNN_what`. */
  readonly name: string;
  /** Runs in the transaction that also records it. */
  readonly up: (db: Kysely<Tables>) => Promise<void>;
}

/**
 * What version 0.2.0 recorded in `schema_migrations`. An upgrade begins with a database that has
 * all of it.
 */
export const RELEASED: readonly string[] = `
  0001_articles 0002_adverts_and_reviews 0003_phone_links_budgets 0004_images
  0005_outbox_mail_sms 0006_review_tallies 0007_sealed_sms 0008_images_by_linked_category
  0009_articles_by_key_alone 0010_images_by_size_in_category 0011_adverts_by_title
  0012_served_formats 0013_moderation 0014_every_creation 0015_token_networks
  0016_number_verifications 0017_switches 0018_views_v1 0019_lists 0020_used_codes 0021_admins
  0022_backups 0023_imports 0024_retention 0025_absent_indexes 0026_request_ids
  0027_store_room 0028_legal_holds 0029_audit_partitions 0030_service_time 0031_events
  0032_link_visit_sources 0033_purge_hold 0034_advert_search 0035_users_by_id
  0036_verified_phones`
  .trim()
  .split(/\s+/);

const LATENCIES = '1 2 5 10 20 50 100 200 500 1000 2000 5000 10000 more'
  .split(' ')
  .map((bound) => `ms_${bound}`);

/**
 * The changes since {@link RELEASED}, in the order of their names, which is that of their
 * application.
 */
export const changes: readonly SchemaChange[] = [
  {
    // The adverts of a publisher that a count by the index of terms takes off.
    name: '0037_hidden_in_search',
    up: (db) =>
      addIndex(
        db,
        'adverts_hidden_by_search',
        `on adverts (owner, search_id)
          where search_id is not null and (held_at is not null or removed_at is not null)`,
      ),
  },
  {
    // Whether the absence of a record can be believed: which files belong to the database, why they
    // are not swept, and which commits it has lost.
    name: '0038_files_of_database',
    up: (db) =>
      addColumns(db, 'service_time', {
        files_id: 'text',
        sweep_held_for: 'text',
        sweep_held_since: 'instant',
        lost_commits: 'int',
        lost_since: 'instant',
        lost_mark: 'int',
      }),
  },
  {
    // When the person of a session last showed again who they are.
    name: '0039_confirmed_sessions',
    up: (db) => addColumns(db, 'admin_sessions', { confirmed_at: 'instant' }),
  },
  {
    // By which rules the texts that are searched in are folded.
    name: '0040_search_folding',
    up: (db) => addColumns(db, 'service_time', { folding: 'int' }),
  },
  {
    // What the revisions of an article take, and of a user's articles which have the most.
    name: '0041_revision_bytes',
    up: async (db) => {
      await addColumns(db, 'articles', { revision_bytes: 'bytes' });
      await addIndex(
        db,
        'articles_by_revision_bytes',
        'on articles (owner, revision_bytes) where revision_bytes > 0',
      );
    },
  },
  {
    // The icon of a HEIC is a JPEG.
    name: '0042_icons_of_heic',
    up: (db) => replaceView(db, 'v1_images'),
  },
  {
    // What was taken back is no review.
    name: '0043_withdrawn_reviews',
    up: (db) => replaceView(db, 'v1_reviews'),
  },
  {
    // How many calls were answered, which failed, and how each delivery to a webhook was tried.
    name: '0044_call_history',
    up: async (db) => {
      await createTable(db, 'call_counts', [
        'step text not null, at instant not null, operation text not null, binding text not null',
        'error text not null, calls bytes not null, us bytes not null',
        ...LATENCIES.map((column) => `${column} bytes not null`),
        'constraint call_counts_key primary key (step, at, operation, binding, error)',
      ]);
      await createTable(db, 'failed_calls', [
        'id text not null primary key, at instant not null, request_id text not null',
        'operation text, binding text not null, status int not null, error text not null',
        'parameter text, reason text, us bytes not null, address text not null, token_id text',
        'user_id text, target_kind text, target_key text',
      ]);
      await run(db, [
        'create index failed_calls_by_request on failed_calls (request_id, id)',
        'create index failed_calls_by_operation on failed_calls (operation, id)',
        'create index failed_calls_by_error on failed_calls (error, id)',
        'create index failed_calls_by_user on failed_calls (user_id, id)',
        'create index failed_calls_by_target on failed_calls (target_key, id)',
      ]);
      await addColumns(db, 'webhook_deliveries', { tries: 'text' });
    },
  },
  {
    // What a report of a mail shows to be believed.
    name: '0045_mail_notices',
    up: (db) => addColumns(db, 'mails', { notice_key: 'text' }),
  },
  {
    // What readers report of published records.
    name: '0046_reports',
    up: async (db) => {
      await createTable(db, 'reports', [
        'id text not null primary key, target_kind text not null, target_key text not null',
        'reporter text not null, reason text not null, detail text not null',
        'created_at instant not null, closed_at instant',
        'constraint reports_once unique (target_key, target_kind, reporter)',
      ]);
      await run(db, [
        'create index reports_open on reports (id) where closed_at is null',
        'create index reports_of_record on reports (target_key, id)',
        'create index reports_by_age on reports (created_at)',
      ]);
    },
  },
  {
    // Settings that were changed while the service ran.
    name: '0047_settings',
    up: (db) =>
      createTable(db, 'settings', [
        'variable text not null primary key, value text not null, changed_at instant not null',
        'changed_by text',
      ]),
  },
  {
    // The index of words in forms that no release had; a later change makes it.
    name: '0048_search',
    up: async () => {},
  },
  {
    name: '0049_search_slices',
    up: async () => {},
  },
  {
    // What happened to a number, in the search.
    name: '0050_codes_by_phone',
    up: (db) => addIndex(db, 'phone_codes_by_phone', 'on phone_codes (phone)'),
  },
  {
    // A resumed import counts what the runs before it changed.
    name: '0051_imports_changed',
    up: (db) => addColumns(db, 'imports', { changed: 'int' }),
  },
  {
    name: '0052_saved_filters',
    up: (db) =>
      createTable(db, 'saved_filters', [
        'admin_id text not null',
        'kind text not null',
        'name text not null',
        'query text not null',
        'created_at instant not null',
        'primary key (admin_id, kind, name)',
      ]),
  },
  {
    // How many deliveries of each webhook wait or failed; the others are over.
    name: '0053_outbox_queue',
    up: async (db) => {
      await addColumns(db, 'outbox', { queue: 'text' });
      await addIndex(db, 'outbox_of_queue', 'on outbox (queue, state, id) where queue is not null');
      await run(db, [
        `update outbox set queue = (select webhook_id from webhook_deliveries d where d.id = outbox.id)
          where kind = 'webhook' and state in ('queued', 'deferred', 'sending', 'failed', 'bounced')`,
      ]);
    },
  },
  {
    // The mails of a sender in the order of the list, which the slices of the index of words have,
    // too. `mails_by_sender` stays for `queryEmailsent`, whose order is time: mails that were
    // imported have ids of other times.
    name: '0054_mails_of_sender',
    up: (db) => addIndex(db, 'mails_of_sender', 'on mails (sender, id)'),
  },
  {
    name: '0055_search_beginnings',
    up: async () => {},
  },
  {
    // How far a backup is, and what a later look at it found.
    name: '0056_backup_checks',
    up: (db) =>
      addColumns(db, 'backups', {
        ...{ step: 'text', done: 'int', total: 'int', seen_at: 'instant' },
        ...{ check_started_at: 'instant', check_started_by: 'text' },
        ...{ checked_at: 'instant', checked_by: 'text', verdict: 'text', fault: 'text' },
      }),
  },
  {
    // The index of words; the service fills it in the background.
    name: '0057_search_filters',
    up: async (db) => {
      await dropSearch(db);
      const types = TYPES[isPostgres(db) ? 'postgres' : 'sqlite'];
      const [id, strict] = isPostgres(db)
        ? ['bigint generated by default as identity', '']
        : ['integer', ' strict'];
      const columns = `id ${id} not null primary key, kind ${types.text} not null, key ${types.text} not null`;
      await run(db, [
        `create table search_records (${columns}, slice ${types.text} not null,
          constraint search_records_once unique (kind, key))${strict}`,
        'create index search_records_by_slice on search_records (kind, slice)',
        `create table search_slices (kind ${types.text} not null, slice ${types.text} not null,
          first ${types.text} not null, last ${types.text} not null, primary key (kind, slice))${strict}`,
        `create table search_changes (${columns})${strict}`,
        ...(isPostgres(db)
          ? [
              'create table record_search (rowid bigint primary key, terms tsvector not null)',
              `create index record_search_by_term on record_search using gin (terms)
                with (gin_pending_list_limit = 256)`,
            ]
          : [
              `create virtual table record_search
                using fts5(terms, content='', contentless_delete=1, detail=none, tokenize='ascii')`,
              'create virtual table record_search_terms using fts5vocab(record_search, instance)',
            ]),
      ]);
      await createSearchTriggers(db);
      await noteAllForSearch(db);
    },
  },
  {
    // The counts of each day, so that those of 90 days are few rows; made of those of its quarters.
    name: '0058_count_days',
    up: (db) =>
      run(db, [
        `insert into call_counts select 'day', at - at % 86400000, operation, binding, error,
          ${['calls', 'us', ...LATENCIES].map((column) => `sum(${column})`).join(', ')}
          from call_counts where step = 'quarter-day'
          group by at - at % 86400000, operation, binding, error`,
      ]),
  },
  {
    // What is stored about a person: a site may have a token for each user.
    name: '0059_tokens_of_user',
    up: (db) => addIndex(db, 'tokens_of_user', 'on tokens (user_id) where user_id is not null'),
  },
  {
    // Images are listed in the order of their creation, as all else; an import adds them in another
    // one.
    name: '0060_images_by_time',
    async up(db) {
      const order = '(created_at, guid)';
      await addIndex(db, 'images_by_time', `on images ${order}`);
      await addIndex(db, 'images_of_owner_by_time', 'on images (owner, created_at, guid)');
      for (const standing of ['held', 'removed'])
        await addIndex(
          db,
          `images_${standing}_by_creation`,
          `on images ${order} where ${standing}_at is not null`,
        );
    },
  },
  {
    // How many calls that failed alike a failed call stands for, besides itself.
    name: '0061_failed_alike',
    up: (db) => addColumns(db, 'failed_calls', { more_alike: 'int' }),
  },
  {
    // Numbers are found by their last digits; the words of records that have numbers have them too.
    name: '0062_numbers_by_their_end',
    async up(db) {
      for (const table of ['phone_codes', 'phone_verifications'])
        await addIndex(db, `${table}_by_end`, `on ${table} (substr(phone, length(phone) - 3))`);
      await noteAllForSearch(db, ['articles', 'users', 'sms']);
    },
  },
];

/** Types of columns, as in the schema files. */
const TYPES = {
  sqlite: { text: 'text', int: 'integer', instant: 'integer', bytes: 'integer' },
  postgres: { text: 'text collate "C"', int: 'integer', instant: 'bigint', bytes: 'bigint' },
} as const;

type Type = keyof (typeof TYPES)['sqlite'];

/** Adds columns, which may be null. */
async function addColumns(
  db: Kysely<Tables>,
  table: keyof Tables,
  columns: Readonly<Record<string, Type>>,
): Promise<void> {
  const types = TYPES[isPostgres(db) ? 'postgres' : 'sqlite'];
  await run(
    db,
    Object.entries(columns).map(
      ([name, type]) => `alter table ${table} add column ${name} ${types[type]}`,
    ),
  );
}

/**
 * Adds an index to a table that may have many rows: PostgreSQL builds it after all changes, beside
 * writers.
 */
async function addIndex(db: Kysely<Tables>, name: string, on: string): Promise<void> {
  const definition = `create index ${name} ${on}`;
  if (isPostgres(db)) await noteAbsentIndex(db, { name, sql: definition });
  else await run(db, [definition]);
}

/**
 * Creates a table.
 * @param columns `name type …`, with the types of {@link TYPES}, and constraints.
 */
async function createTable(
  db: Kysely<Tables>,
  table: keyof Tables,
  columns: readonly string[],
): Promise<void> {
  const types = TYPES[isPostgres(db) ? 'postgres' : 'sqlite'];
  const typed = columns.map((column) =>
    column.replaceAll(
      /(?<=^\w+ |, \w+ )(text|int|instant|bytes)\b/g,
      (type) => types[type as Type],
    ),
  );
  const strict = isPostgres(db) ? '' : ' strict';
  await run(db, [`create table ${table} (${typed.join(', ')})${strict}`]);
}

async function run(db: Kysely<Tables>, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
