import { POSTGRES_TABLES } from '../tables/tables.ts';

/**
 * Where an engine with several nodes stores a table: distributed by a column, so that rows with the same value are
 * together; on every node, because the table is small and always needed; or on one node, because it has a unique key
 * without that column, or is written in an order.
 */
type Placement = { readonly by: string; readonly with?: string } | 'every node' | 'one node';

const by = (column: string, together?: string): Placement => ({
  by: column,
  ...(together === undefined ? {} : { with: together }),
});

const APART: Readonly<Record<string, Placement>> = {
  articles: by('guid'),
  article_revisions: by('article_guid', 'articles'),
  reviews: by('subject', 'articles'),
  review_tallies: by('subject', 'articles'),
  postings: by('record_key', 'articles'),
  outbox: by('id'),
  mails: by('id', 'outbox'),
  sms: by('id', 'outbox'),
  link_visits: by('code'),
  link_visit_sources: by('code', 'link_visits'),
  phone_codes: by('user_id'),
  phone_verifications: by('user_id', 'phone_codes'),
  audit: by('id'),
  budgets: by('key'),
  mail_repeats: by('hash'),
  used_codes: by('id'),
  number_verifications: by('token_id'),
  token_networks: by('token_id'),
};

const EVERYWHERE =
  'users tokens categories code_keys mail_suppressions legal_holds switches admins admin_links admin_sessions admin_passkeys admin_challenges';

/** The placement of each table. */
export const PLACEMENT: Readonly<Record<string, Placement>> = {
  ...Object.fromEntries(POSTGRES_TABLES.map((table) => [table, 'one node' as const])),
  ...Object.fromEntries(EVERYWHERE.split(' ').map((table) => [table, 'every node' as const])),
  ...APART,
};
