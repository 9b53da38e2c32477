import type { Generated } from 'kysely';
import { words } from '../words.ts';
import type {
  AdminChallengesTable,
  AdminLinksTable,
  AdminPasskeysTable,
  AdminSessionsTable,
  AdminsTable,
  SavedFiltersTable,
} from './admins.ts';
import type { AdvertsTable } from './adverts.ts';
import type { ArticleRevisionsTable, ArticlesTable, CategoriesTable } from './articles.ts';
import type { CallCountsTable, FailedCallsTable } from './calls.ts';
import type { EventTables } from './events.ts';
import type { ImageFilesTable, ImagesTable, ImageTotalsTable } from './images.ts';
import type { LinksTable, LinkVisitSourcesTable, LinkVisitsTable } from './links.ts';
import type {
  MailRepeatsTable,
  MailSuppressionsTable,
  MailsTable,
  OutboxTable,
  SmsTable,
} from './outbox.ts';
import type {
  CodeKeysTable,
  NumberVerificationsTable,
  PhoneCodesTable,
  PhoneVerificationsTable,
  UsedCodesTable,
} from './phone.ts';
import type { ReportsTable } from './reports.ts';
import type { ReviewsTable, ReviewTalliesTable } from './reviews.ts';
import type { AuditTable, BackupsTable, PostingsTable } from './trail.ts';
import type { LegalHoldsTable, TokenNetworksTable, TokensTable, UsersTable } from './users.ts';
import type { Instant } from './values.ts';

export type * from './admins.ts';
export type * from './adverts.ts';
export type * from './articles.ts';
export * from './calls.ts';
export type * from './events.ts';
export * from './images.ts';
export type * from './links.ts';
export type * from './outbox.ts';
export type * from './phone.ts';
export type * from './reports.ts';
export type * from './reviews.ts';
export * from './trail.ts';
export type * from './users.ts';
export * from './values.ts';

/** What has been used up of a budget in its present window. */
export interface BudgetsTable {
  /** The budget, and the length of its window in ms. */
  name: string;
  /** Who uses it up: a network, a user, a phone number, an address of mail. */
  key: string;
  used: number;
  resets_at: Instant;
}

/** What an operator has switched off: a row each; what is on has none. */
export interface SwitchesTable {
  name: string;
  off_since: Instant;
}

/** A setting that was changed while the service ran; one that was not has no row. */
export interface SettingsTable {
  /** The environment variable. */
  variable: string;
  /** In the form of the variable. */
  value: string;
  changed_at: Instant;
  /** The name of the admin, or the id of the token. */
  changed_by: string | null;
}

/**
 * How far an import is with each kind; written with the rows, so that it continues where it was
 * interrupted.
 */
export interface ImportsTable {
  /** SHA-256 over the folder and what is in it, hexadecimal digits. */
  id: string;
  kind: string;
  /** Up to where its file is read; bytes. */
  offset_bytes: number;
  /** The line that begins there. */
  line: number;
  added: number;
  present: number;
  refused: number;
  /** How long the file of refused rows was then; bytes. */
  refused_bytes: number;
  updated_at: Instant;
  /** `null` of an import that a release before began. */
  changed: number | null;
}

/** Indexes that an import has removed, to be made again at its end or at the next start. */
export interface AbsentIndexesTable {
  name: string;
  /** The statement that makes it. */
  sql: string;
}

/**
 * One row: the latest time that the service knows of, so that its time does not go back over a
 * restart; and what decides whether anything is deleted.
 */
export interface ServiceTimeTable {
  id: 1;
  at: Instant;
  /** Up to when purges have gone by the clock. */
  purge_at: Instant | null;
  /** Since when nothing is purged, because the clock is not believed. */
  purge_held_since: Instant | null;
  /** The id that stands in the store of the files that belong to this database. */
  files_id: string | null;
  /** Why files without a record are not swept, and since when. */
  sweep_held_for: SweepHold | null;
  sweep_held_since: Instant | null;
  /**
   * SQLite: how many commits were lost, since when that is known, and the number of the last one.
   */
  lost_commits: number | null;
  lost_since: Instant | null;
  lost_mark: number | null;
  /**
   * By which rules the texts that are searched in are folded (`FOLDING`); `null` for those of
   * 0.2.0.
   */
  folding: number | null;
}

/**
 * Why files without a record are not swept: `foreign`, they belong to another database; `unknown`,
 * they belong to none, and this one does not know them; `many`, too many at once.
 */
export type SweepHold = 'foreign' | 'unknown' | 'away' | 'many';

/** One row, written by the readiness check. */
export interface StoreProbeTable {
  id: 1;
  at: Instant;
}

/**
 * The records that have other words than the index, or are new or gone, as often as they changed.
 */
export interface SearchChangesTable {
  id: Generated<number>;
  /** One letter of `SEARCHED_TABLES`. */
  kind: string;
  key: string;
}

/** The records that the index of words has, by its ids. */
export interface SearchRecordsTable extends SearchChangesTable {
  slice: string;
}

/** Some thousand records of the index each, and the lowest and highest place in their order. */
export interface SearchSlicesTable {
  kind: string;
  /** Three characters that sort as their number. */
  slice: string;
  first: string;
  last: string;
}

/** Every table of the database, by its name. */
export interface Tables extends EventTables {
  switches: SwitchesTable;
  settings: SettingsTable;
  imports: ImportsTable;
  absent_indexes: AbsentIndexesTable;
  search_records: SearchRecordsTable;
  search_slices: SearchSlicesTable;
  search_changes: SearchChangesTable;
  users: UsersTable;
  legal_holds: LegalHoldsTable;
  tokens: TokensTable;
  token_networks: TokenNetworksTable;
  categories: CategoriesTable;
  articles: ArticlesTable;
  article_revisions: ArticleRevisionsTable;
  adverts: AdvertsTable;
  image_files: ImageFilesTable;
  images: ImagesTable;
  image_totals: ImageTotalsTable;
  reports: ReportsTable;
  reviews: ReviewsTable;
  review_tallies: ReviewTalliesTable;
  postings: PostingsTable;
  audit: AuditTable;
  code_keys: CodeKeysTable;
  phone_codes: PhoneCodesTable;
  used_codes: UsedCodesTable;
  phone_verifications: PhoneVerificationsTable;
  number_verifications: NumberVerificationsTable;
  links: LinksTable;
  link_visits: LinkVisitsTable;
  link_visit_sources: LinkVisitSourcesTable;
  budgets: BudgetsTable;
  outbox: OutboxTable;
  mails: MailsTable;
  mail_repeats: MailRepeatsTable;
  mail_suppressions: MailSuppressionsTable;
  sms: SmsTable;
  store_probe: StoreProbeTable;
  service_time: ServiceTimeTable;
  admins: AdminsTable;
  admin_links: AdminLinksTable;
  admin_sessions: AdminSessionsTable;
  admin_passkeys: AdminPasskeysTable;
  admin_challenges: AdminChallengesTable;
  saved_filters: SavedFiltersTable;
  backups: BackupsTable;
  call_counts: CallCountsTable;
  failed_calls: FailedCallsTable;
}

const LISTED = words(
  'switches settings users legal_holds tokens token_networks categories articles',
  'article_revisions adverts image_files images image_totals reports reviews review_tallies',
  'postings audit code_keys phone_codes phone_verifications number_verifications links',
  'link_visits link_visit_sources budgets outbox mails mail_repeats mail_suppressions sms',
  'store_probe service_time used_codes admins admin_links admin_sessions admin_passkeys',
  'admin_challenges saved_filters backups call_counts failed_calls imports absent_indexes',
  'search_records search_slices search_changes events event_sequence webhooks',
  'webhook_deliveries',
) satisfies readonly (keyof Tables)[];

/** `never` if the list lacks a table, so that it does not compile. */
type Listed = keyof Tables extends (typeof LISTED)[number] ? keyof Tables : never;

/** The names of all tables, for what goes through them one by one: counts, sizes, checks. */
export const TABLE_NAMES: readonly Listed[] = LISTED;

/** The tables of the indexes of texts. */
export const TEXT_INDEXES = ['image_search', 'advert_search', 'record_search'] as const;

/**
 * Every table that the service makes on PostgreSQL: with what it remembers of migrations, the
 * search indexes, and the table by which the room of the disk is tried.
 */
export const POSTGRES_TABLES: readonly string[] = [
  ...TABLE_NAMES,
  'schema_migrations',
  ...TEXT_INDEXES,
  'store_room',
];
