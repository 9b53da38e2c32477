import { ADVERTS } from '../../records/adverts.ts';
import { ARTICLES, REVISIONS } from '../../records/articles.ts';
import { AUDIT } from '../../records/audit.ts';
import { FAILURES } from '../../records/calls.ts';
import { BUDGETS, POSTINGS } from '../../records/counts.ts';
import { EVENTS } from '../../records/events.ts';
import { IMAGES } from '../../records/images.ts';
import { LINK_VISIT_SOURCES, LINK_VISITS, LINKS } from '../../records/links.ts';
import { DELIVERIES, MAIL_REPEATS, MAILS, SUPPRESSIONS } from '../../records/mails.ts';
import type { Personal } from '../../records/persons.ts';
import {
  NUMBER_VERIFICATIONS,
  PHONE_CODES,
  PHONE_VERIFICATIONS,
  USED_CODES,
} from '../../records/phones.ts';
import type { RecordOf } from '../../records/record.ts';
import { REPORTS } from '../../records/reports.ts';
import { REVIEW_TALLIES, REVIEWS } from '../../records/reviews.ts';
import { SMS } from '../../records/sms.ts';
import { TOKEN_NETWORKS, TOKENS } from '../../records/tokens.ts';
import { LEGAL_HOLDS, USERS } from '../../records/users.ts';
import type { Tables } from '../../store/tables/tables.ts';

/** A record that tells of persons. */
export interface HeldRecord extends RecordOf<never> {
  readonly table: HoldingTable;
  readonly personal: Personal;
  readonly portable?: { readonly key: readonly string[] };
}

/**
 * The records with personal data, in the order of erasure. A table that leads to others comes after
 * them, so that a repeated erasure still finds what an interrupted one left. {@link HOLDING_NONE}
 * lists all other tables; a new table must be in one of the two lists, otherwise the project does
 * not compile.
 */
const RECORDS = [
  FAILURES,
  AUDIT,
  EVENTS,
  REPORTS,
  REVIEWS,
  REVIEW_TALLIES,
  IMAGES,
  REVISIONS,
  ADVERTS,
  ARTICLES,
  LINK_VISITS,
  LINK_VISIT_SOURCES,
  MAIL_REPEATS,
  SUPPRESSIONS,
  DELIVERIES,
  MAILS,
  NUMBER_VERIFICATIONS,
  BUDGETS,
  USED_CODES,
  PHONE_CODES,
  SMS,
  LINKS,
  POSTINGS,
  TOKEN_NETWORKS,
  TOKENS,
  PHONE_VERIFICATIONS,
  LEGAL_HOLDS,
  USERS,
] as const;

export type HoldingTable = (typeof RECORDS)[number]['table'];

export const HOLDINGS: readonly HeldRecord[] = RECORDS;

/**
 * The tables without data about users of the site, and why. The compiler ensures that no table is
 * left out. @public
 */
export const HOLDING_NONE: Readonly<Record<Exclude<keyof Tables, HoldingTable>, string>> = {
  settings: 'Settings of the service.',
  switches: 'Features that an operator has switched off.',
  categories: 'Shared by all.',
  image_files: 'Files by content; the erasure of an image deletes those no longer used.',
  image_totals: 'Sums of images.',
  code_keys: 'Secrets that codes are hashed with.',
  store_probe: 'Written by the readiness check.',
  service_time: 'A time.',
  admins: 'Staff of the site, not users; see ws01 admin remove.',
  admin_links: 'Deleted with its admin.',
  admin_sessions: 'Deleted with its admin.',
  admin_passkeys: 'Deleted with its admin.',
  admin_challenges: 'Lasts for minutes.',
  saved_filters: 'What staff look for in the console; deleted with its admin.',
  backups: 'Records of backups.',
  imports: 'Progress of data imports.',
  absent_indexes: 'Names of indexes.',
  search_records: 'Keys of records; each leaves with its record.',
  search_slices: 'Where some thousand records begin and end.',
  search_changes: 'Keys of records that are to be indexed, for seconds.',
  event_sequence: 'A number.',
  webhooks: 'Servers that receive events.',
  call_counts: 'How many calls there were.',
  webhook_deliveries: 'Which event goes to which webhook.',
};
