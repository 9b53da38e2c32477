import { ADVERTS } from '../../records/adverts.ts';
import { ARTICLES, REVISIONS } from '../../records/articles.ts';
import { AUDIT } from '../../records/audit.ts';
import { BUDGETS, CATEGORIES, POSTINGS, SWITCHES } from '../../records/counts.ts';
import { IMAGE_FILES, IMAGES } from '../../records/images.ts';
import { LINK_VISIT_SOURCES, LINK_VISITS, LINKS } from '../../records/links.ts';
import { DELIVERIES, MAIL_REPEATS, MAILS, SUPPRESSIONS } from '../../records/mails.ts';
import { NUMBER_VERIFICATIONS, PHONE_VERIFICATIONS } from '../../records/phones.ts';
import type { Travelling } from '../../records/record.ts';
import { REPORTS } from '../../records/reports.ts';
import { REVIEWS } from '../../records/reviews.ts';
import { TOKEN_NETWORKS, TOKENS } from '../../records/tokens.ts';
import type { MemberType, Stored } from '../../records/types.ts';
import { USERS } from '../../records/users.ts';
import type { Tables } from '../../store/tables/tables.ts';

/**
 * The portable format, in one place: readers, writers, the JSON Schema and the page of the format
 * are made of it. A change that an older version could not read is another {@link FORMAT_VERSION}.
 */
export const FORMAT = 'ws01-portable';
export const FORMAT_VERSION = 1;

/**
 * The records that travel, in the order in which they are written and read: what others refer to
 * comes first. @public
 */
export const RECORDS = [
  USERS,
  TOKENS,
  TOKEN_NETWORKS,
  CATEGORIES,
  ARTICLES,
  REVISIONS,
  ADVERTS,
  IMAGE_FILES,
  IMAGES,
  REPORTS,
  REVIEWS,
  POSTINGS,
  LINKS,
  LINK_VISITS,
  LINK_VISIT_SOURCES,
  PHONE_VERIFICATIONS,
  NUMBER_VERIFICATIONS,
  BUDGETS,
  MAILS,
  DELIVERIES,
  MAIL_REPEATS,
  SUPPRESSIONS,
  SWITCHES,
  AUDIT,
] as const;

/** A kind of record: a file of the format, a table of the database. */
export interface Kind {
  /** The name of its file, without extension. */
  readonly name: string;
  readonly table: keyof Tables;
  /** The columns that tell one record from another, and that exports are sorted by. */
  readonly key: readonly string[];
  readonly fields: readonly Field[];
  readonly about: string;
}

/** A field of a kind of record. */
export interface Field {
  /** In JSON and as a CSV heading, in camelCase. */
  readonly name: string;
  readonly column: string;
  readonly type: MemberType;
  /**
   * The stored value if the field is absent; `required` refuses the row, `made` is made of the rest
   * of it.
   */
  readonly absent: Stored | 'required' | 'made';
  readonly about: string;
  /** Whether two rows that differ only in this field are the same record. */
  readonly changes: boolean;
}

export type KindName = (typeof RECORDS)[number]['portable']['file'];

/** The kinds, in that order. */
export const KINDS: readonly Kind[] = RECORDS.map(kindFor);

function kindFor({ table, members, portable }: (typeof RECORDS)[number]): Kind {
  const { file, key, about } = portable;
  const fields = Object.entries<Travelling<never>['members'][string]>(members).flatMap(
    ([name, { column, table, type, about, absent, changes = false, portable = name }]) =>
      column === undefined || table !== undefined || portable === false
        ? []
        : [{ name: portable, column, type, about, absent, changes }],
  );
  return { name: file, table, key, about, fields };
}

const BY_NAME: ReadonlyMap<string, Kind> = new Map(KINDS.map((kind) => [kind.name, kind]));

/** The kind of a name; `undefined` when there is none. */
export function kindOf(name: string): Kind | undefined {
  return BY_NAME.get(name);
}

type Travels = (typeof RECORDS)[number]['table'];

/**
 * The tables that do not travel, and why. A new table stands here or among {@link KINDS}, or
 * nothing compiles.
 */
export const NOT_PORTABLE: Readonly<Record<Exclude<keyof Tables, Travels>, string>> = {
  image_totals: 'Counted again from the images.',
  review_tallies: 'Summed again from the reviews.',
  code_keys:
    'Secrets of verification codes, which live for three minutes: people ask for another one.',
  phone_codes: 'Verification codes live for three minutes: people ask for another one.',
  used_codes: 'Verification codes live for three minutes: people ask for another one.',
  admins: 'Console accounts belong to an installation: create them again.',
  admin_links: 'Console accounts belong to an installation: create them again.',
  admin_sessions: 'Console accounts belong to an installation: create them again.',
  admin_passkeys: 'Passkeys are of the address of the console that they were made for.',
  admin_challenges: 'Lasts for minutes.',
  saved_filters: 'Console accounts belong to an installation: create them again.',
  backups: 'Tells of the backups of this very database.',
  sms: 'Text messages carry codes, sealed with a secret that stays.',
  legal_holds: 'Names the people of this installation who set them: set them again.',
  imports: 'How far an import into this database is.',
  search_records: 'Indexed again from the records.',
  search_slices: 'Likewise.',
  search_changes: 'Lasts until the records are indexed.',
  absent_indexes: 'Lasts as long as an import into this database.',
  events: 'Tells of changes of this very database.',
  event_sequence: 'Tells of changes of this very database.',
  webhooks: 'Has secrets, and servers that expect this installation: add them again.',
  webhook_deliveries: 'Tells of changes of this very database.',
  settings: 'Belong to an installation, like its environment.',
  call_counts: 'Tells of the calls of this very installation.',
  failed_calls: 'Tells of the calls of this very installation.',
  store_probe: 'Written by the readiness check.',
  service_time: 'The time by the clock of this very installation.',
};
