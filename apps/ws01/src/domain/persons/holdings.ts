import { type RawBuilder, sql } from 'kysely';
import type { Tables } from '../../store/tables/tables.ts';
import { NO_USER } from '../phone/codes.ts';
import { mailboxOf } from '../values/email-address.ts';
import { phoneDigits } from '../values/phone.ts';
import type { Person } from './person.ts';

/** The personal data in one table. */
export interface Holding {
  /** Condition for the rows about a person. */
  readonly of: (person: Person) => RawBuilder<boolean>;
  /** What an erasure does: it deletes the row, or empties the columns that name the person. */
  readonly fate: 'deleted' | 'emptied';
  /** Condition for the rows in the person's export; the same as `of` when absent, no rows when `false`. */
  readonly given?: ((person: Person) => RawBuilder<boolean>) | false;
  /** Column in whose order an erasure goes, where some rows lead to others of the table. */
  readonly order?: string;
}

const yes = (condition: RawBuilder<unknown>) => condition as RawBuilder<boolean>;

/** Condition that a column has one of some values. */
function oneOf(column: string, values: readonly string[]): RawBuilder<boolean> {
  return values.length === 0
    ? yes(sql`1 = 0`)
    : yes(sql`${sql.raw(column)} in (${sql.join(values)})`);
}

const articlesOf = ({ id }: Person) => sql`select guid from articles where owner = ${id}`;
const advertsOf = ({ id }: Person) => sql`select guid from adverts where owner = ${id}`;
const linksOf = ({ id, emails }: Person) =>
  sql`select code from links where user_id = ${id} or ${oneOf('lower(user_email)', emails)}`;
const tokensOf = ({ id }: Person) =>
  sql`select id from tokens where kind = 'user' and user_id = ${id}`;
const mailsOf = ({ id, emails }: Person) =>
  sql`select id from mails where sender = ${id} or ${oneOf('receiver_key', emails)}`;
const imagesOf = (person: Person) =>
  sql`select guid from images where owner = ${person.id} or link_guid in (${articlesOf(person)})
    or link_guid in (${advertsOf(person)})`;
const textsOf = (person: Person) => sql`select id from sms where ${byNumber(person)}`;

/**
 * Condition for codes of the person, and for those to a number of theirs that were asked for without a user. The rows
 * of a user may lead to the number, so they are erased last: see {@link LAST_OF_USER}.
 */
function byNumber({ id, phones }: Person): RawBuilder<boolean> {
  return yes(sql`(user_id = ${id} or (user_id = ${NO_USER} and ${oneOf('phone', phones)}))`);
}

/** Rows without a user sort first. */
const LAST_OF_USER = 'user_id';

/**
 * Condition for budgets whose key has one of the person's identifiers as a word, in the form in which budgets write it:
 * digits without `+`, mailboxes without a tag, and for the same text to many its hash, sender, time and mailbox.
 */
function budgetsOf({ id, emails, phones, networks }: Person): RawBuilder<boolean> {
  const words = [
    id,
    ...emails,
    ...emails.map(mailboxOf),
    ...phones,
    ...phones.map(phoneDigits),
    ...networks,
  ];
  const has = (word: string) => sql`' ' || key || ' ' like ${containing(` ${word} `)} escape '\\'`;
  return yes(sql`(${sql.join([...new Set(words)].map(has), sql` or `)})`);
}

/** The pattern of texts that contain a text. */
const containing = (text: string) => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;

/** Keys of the person, and of the person's records. */
const recordsOf = (person: Person) =>
  sql`select ${person.id} union all ${articlesOf(person)} union all ${advertsOf(person)} union all ${imagesOf(person)}`;

/** Keys of audit entries about the person's records, messages and tokens. */
const targetsOf = (person: Person) =>
  sql`${recordsOf(person)} union all ${linksOf(person)} union all ${tokensOf(person)} union all ${mailsOf(person)}
    union all ${textsOf(person)} union all select id from reviews where voter = ${voterOf(person)}
    union all select record_key from postings where user_id = ${person.id}`;

const voterOf = ({ id }: Person) => `user:${id}`;

/** Condition for entries whose details contain a text that names the person, alone or in a list. */
function namedIn(column: string, { id, emails, phones }: Person): RawBuilder<boolean> {
  const texts = [JSON.stringify(id).toLowerCase(), ...emails, ...phones];
  const like = (text: string) =>
    sql`lower(${sql.raw(column)}) like ${containing(text)} escape '\\'`;
  return yes(sql`(${sql.join(texts.map(like), sql` or `)})`);
}

/** Condition for audit entries about the person, or about calls of the person. */
const auditOf = (person: Person) =>
  yes(
    sql`(target_key in (${targetsOf(person)})
      or ${oneOf('target_key', [...person.emails, ...person.phones])} or token_id in (${tokensOf(person)}) or ${namedIn('details', person)})`,
  );

/**
 * The tables with personal data, in the order of erasure. A table through which others are found comes after them, so
 * that an erasure that was interrupted finds the rest when repeated. {@link HOLDING_NONE} lists all other tables; a new
 * table must be in one of the two lists, otherwise the project does not compile.
 */
export const HOLDINGS = {
  audit: {
    of: auditOf,
    fate: 'emptied',
    given: (person) => yes(sql`(target_key = ${person.id} or token_id in (${tokensOf(person)}))`),
  },
  // Pending deliveries to webhooks are lost, on purpose.
  events: {
    of: (person) => yes(sql`key in (${targetsOf(person)})`),
    fate: 'deleted',
    given: false,
  },
  reviews: {
    of: (person) => yes(sql`(voter = ${voterOf(person)} or subject in (${recordsOf(person)}))`),
    fate: 'deleted',
    // Reviews by others are in the export of their authors.
    given: (person) => yes(sql`voter = ${voterOf(person)}`),
  },
  review_tallies: {
    of: (person) => yes(sql`subject in (${recordsOf(person)})`),
    fate: 'deleted',
    given: false,
  },
  images: {
    of: (person) => yes(sql`guid in (${imagesOf(person)})`),
    fate: 'deleted',
    given: ({ id }) => yes(sql`owner = ${id}`),
  },
  article_revisions: {
    of: (person) => yes(sql`article_guid in (${articlesOf(person)})`),
    fate: 'deleted',
  },
  adverts: { of: ({ id }) => yes(sql`owner = ${id}`), fate: 'deleted' },
  articles: { of: ({ id }) => yes(sql`owner = ${id}`), fate: 'deleted' },
  link_visits: { of: (person) => yes(sql`code in (${linksOf(person)})`), fate: 'deleted' },
  link_visit_sources: { of: (person) => yes(sql`code in (${linksOf(person)})`), fate: 'deleted' },
  mail_repeats: {
    of: (person) => yes(sql`mail_id in (${mailsOf(person)})`),
    fate: 'deleted',
    given: false,
  },
  mail_suppressions: {
    of: (person) =>
      yes(sql`(${oneOf('address', person.emails)} or mail_id in (${mailsOf(person)}))`),
    fate: 'deleted',
    given: ({ emails }) => oneOf('address', emails),
  },
  outbox: {
    of: (person) => yes(sql`(id in (${mailsOf(person)}) or id in (${textsOf(person)}))`),
    fate: 'deleted',
  },
  mails: {
    of: ({ id, emails }) => yes(sql`(sender = ${id} or ${oneOf('receiver_key', emails)})`),
    fate: 'deleted',
  },
  number_verifications: { of: ({ phones }) => oneOf('phone', phones), fate: 'deleted' },
  budgets: { of: budgetsOf, fate: 'deleted', given: false },
  used_codes: { of: byNumber, fate: 'deleted', given: false, order: LAST_OF_USER },
  phone_codes: { of: byNumber, fate: 'deleted', order: LAST_OF_USER },
  sms: { of: byNumber, fate: 'deleted', order: LAST_OF_USER },
  links: {
    of: ({ id, emails }) => yes(sql`(user_id = ${id} or ${oneOf('lower(user_email)', emails)})`),
    fate: 'emptied',
  },
  postings: { of: ({ id }) => yes(sql`user_id = ${id}`), fate: 'emptied' },
  token_networks: { of: (person) => yes(sql`token_id in (${tokensOf(person)})`), fate: 'deleted' },
  tokens: { of: ({ id }) => yes(sql`user_id = ${id}`), fate: 'deleted' },
  phone_verifications: { of: ({ id }) => yes(sql`user_id = ${id}`), fate: 'deleted' },
  legal_holds: { of: ({ id }) => yes(sql`user_id = ${id}`), fate: 'deleted' },
  users: { of: ({ id }) => yes(sql`id = ${id}`), fate: 'deleted' },
} as const satisfies Partial<Record<keyof Tables, Holding>>;

export type HoldingTable = keyof typeof HOLDINGS;

/** The tables without data about users of the site, and why. The compiler ensures that no table is left out. @public */
export const HOLDING_NONE: Readonly<Record<Exclude<keyof Tables, HoldingTable>, string>> = {
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
  backups: 'Records of backups.',
  imports: 'Progress of data imports.',
  absent_indexes: 'Names of indexes.',
  event_sequence: 'A number.',
  webhooks: 'Servers that receive events.',
  webhook_deliveries: 'Which event goes to which webhook.',
};

/** The tables, in the order in which they are erased. */
export const HOLDING_TABLES = Object.keys(HOLDINGS) as readonly HoldingTable[];
