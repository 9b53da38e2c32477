import { type RawBuilder, sql } from 'kysely';
import type { Tables } from '../../store/tables/tables.ts';
import type { Person } from './person.ts';

/** What a table holds of persons. */
export interface Holding {
  /** Which of its rows are about a person. */
  readonly of: (person: Person) => RawBuilder<boolean>;
  /** What becomes of them: the row goes, or what names the person in it. */
  readonly fate: 'deleted' | 'emptied';
  /** Which of them the person is given; those of `of` when absent, none when `false`. */
  readonly given?: ((person: Person) => RawBuilder<boolean>) | false;
}

const yes = (condition: RawBuilder<unknown>) => condition as RawBuilder<boolean>;

/** A column that has one of some values. */
function oneOf(column: string, values: readonly string[]): RawBuilder<boolean> {
  return values.length === 0 ? yes(sql`1 = 0`) : yes(sql`${sql.raw(column)} in (${sql.join(values)})`);
}

const articlesOf = ({ id }: Person) => sql`select guid from articles where owner = ${id}`;
const advertsOf = ({ id }: Person) => sql`select guid from adverts where owner = ${id}`;
const linksOf = ({ id, emails }: Person) =>
  sql`select code from links where user_id = ${id} or ${oneOf('lower(user_email)', emails)}`;
const tokensOf = ({ id }: Person) => sql`select id from tokens where kind = 'user' and user_id = ${id}`;
const mailsOf = ({ id, emails }: Person) =>
  sql`select id from mails where sender = ${id} or ${oneOf('receiver_key', emails)}`;
const imagesOf = (person: Person) =>
  sql`select guid from images where owner = ${person.id} or link_guid in (${articlesOf(person)})
    or link_guid in (${advertsOf(person)})`;
const textsOf = ({ id }: Person) => sql`select id from sms where user_id = ${id}`;

/** Whatever is the person's own, or is written about it. */
const recordsOf = (person: Person) =>
  sql`select ${person.id} union all ${articlesOf(person)} union all ${advertsOf(person)} union all ${imagesOf(person)}`;

/** Keys that entries of the audit trail may have of what the person made, was sent, or had. */
const targetsOf = (person: Person) =>
  sql`${recordsOf(person)} union all ${linksOf(person)} union all ${tokensOf(person)} union all ${mailsOf(person)}
    union all ${textsOf(person)} union all select id from reviews where voter = ${voterOf(person)}
    union all select record_key from postings where user_id = ${person.id}`;

const voterOf = ({ id }: Person) => `user:${id}`;

/** Entries whose details have one of the texts that name a person, whole or in a list. */
function namedIn(column: string, { id, emails, phones }: Person): RawBuilder<boolean> {
  const texts = [JSON.stringify(id).toLowerCase(), ...emails, ...phones];
  const like = (text: string) =>
    sql`lower(${sql.raw(column)}) like ${`%${text.replaceAll(/[\\%_]/g, '\\$&')}%`} escape '\\'`;
  return yes(sql`(${sql.join(texts.map(like), sql` or `)})`);
}

/** Entries of the trail about what the person is, has or did. */
const auditOf = (person: Person) =>
  yes(
    sql`(target_key in (${targetsOf(person)})
      or ${oneOf('target_key', [...person.emails, ...person.phones])} or token_id in (${tokensOf(person)}) or ${namedIn('details', person)})`,
  );

/**
 * Where data of persons is kept, in the order in which it is erased: a table by which others are found comes after them, so that
 * an interrupted erasure, when repeated, finds the rest. Every other table says why it holds none; a new table must be in one
 * of the two lists, or nothing compiles.
 */
export const HOLDINGS = {
  audit: {
    of: auditOf,
    fate: 'emptied',
    given: (person) => yes(sql`(target_key = ${person.id} or token_id in (${tokensOf(person)}))`),
  },
  // Webhooks that were not told by now hear nothing of it.
  events: { of: (person) => yes(sql`key in (${targetsOf(person)})`), fate: 'deleted', given: false },
  reviews: {
    of: (person) => yes(sql`(voter = ${voterOf(person)} or subject in (${recordsOf(person)}))`),
    fate: 'deleted',
    // What others wrote is theirs to be given.
    given: (person) => yes(sql`voter = ${voterOf(person)}`),
  },
  review_tallies: { of: (person) => yes(sql`subject in (${recordsOf(person)})`), fate: 'deleted', given: false },
  images: {
    of: (person) => yes(sql`guid in (${imagesOf(person)})`),
    fate: 'deleted',
    given: ({ id }) => yes(sql`owner = ${id}`),
  },
  article_revisions: { of: (person) => yes(sql`article_guid in (${articlesOf(person)})`), fate: 'deleted' },
  adverts: { of: ({ id }) => yes(sql`owner = ${id}`), fate: 'deleted' },
  articles: { of: ({ id }) => yes(sql`owner = ${id}`), fate: 'deleted' },
  link_visits: { of: (person) => yes(sql`code in (${linksOf(person)})`), fate: 'deleted' },
  link_visit_sources: { of: (person) => yes(sql`code in (${linksOf(person)})`), fate: 'deleted' },
  mail_repeats: { of: (person) => yes(sql`mail_id in (${mailsOf(person)})`), fate: 'deleted', given: false },
  mail_suppressions: {
    of: (person) => yes(sql`(${oneOf('address', person.emails)} or mail_id in (${mailsOf(person)}))`),
    fate: 'deleted',
    given: ({ emails }) => oneOf('address', emails),
  },
  outbox: {
    of: (person) => yes(sql`(id in (${mailsOf(person)}) or id in (${textsOf(person)}))`),
    fate: 'deleted',
  },
  mails: { of: ({ id, emails }) => yes(sql`(sender = ${id} or ${oneOf('receiver_key', emails)})`), fate: 'deleted' },
  number_verifications: { of: ({ phones }) => oneOf('phone', phones), fate: 'deleted' },
  budgets: {
    of: ({ id, emails, phones, networks }) => oneOf('key', [id, ...emails, ...phones, ...networks]),
    fate: 'deleted',
    given: false,
  },
  sms: { of: ({ id }) => yes(sql`user_id = ${id}`), fate: 'deleted' },
  links: {
    of: ({ id, emails }) => yes(sql`(user_id = ${id} or ${oneOf('lower(user_email)', emails)})`),
    fate: 'emptied',
  },
  phone_codes: { of: ({ id }) => yes(sql`user_id = ${id}`), fate: 'deleted' },
  used_codes: { of: ({ id }) => yes(sql`user_id = ${id}`), fate: 'deleted', given: false },
  postings: { of: ({ id }) => yes(sql`user_id = ${id}`), fate: 'emptied' },
  token_networks: { of: (person) => yes(sql`token_id in (${tokensOf(person)})`), fate: 'deleted' },
  tokens: { of: ({ id }) => yes(sql`user_id = ${id}`), fate: 'deleted' },
  phone_verifications: { of: ({ id }) => yes(sql`user_id = ${id}`), fate: 'deleted' },
  legal_holds: { of: ({ id }) => yes(sql`user_id = ${id}`), fate: 'deleted' },
  users: { of: ({ id }) => yes(sql`id = ${id}`), fate: 'deleted' },
} as const satisfies Partial<Record<keyof Tables, Holding>>;

export type HoldingTable = keyof typeof HOLDINGS;

/** The tables with nothing about a person who uses the site, and why: the compiler sees that no table is left out. @public */
export const HOLDING_NONE: Readonly<Record<Exclude<keyof Tables, HoldingTable>, string>> = {
  switches: 'What an operator has switched off.',
  categories: 'Shared by all.',
  image_files: 'Files by their content; those of erased images go with them.',
  image_totals: 'Sums of images.',
  code_keys: 'Secrets that codes are hashed with.',
  store_probe: 'Written by the readiness check.',
  service_time: 'A time.',
  admins: 'People who look after the site: ws01 admin remove.',
  admin_links: 'Goes with its admin.',
  admin_sessions: 'Goes with its admin.',
  admin_passkeys: 'Goes with its admin.',
  admin_challenges: 'Lasts for minutes.',
  backups: 'Tells of backups.',
  imports: 'How far a bringing-in of data is.',
  absent_indexes: 'Names of indexes.',
  event_sequence: 'A number.',
  webhooks: 'Servers that are told of events.',
  webhook_deliveries: 'Which event goes to which webhook.',
};

/** The tables, in the order in which they are erased. */
export const HOLDING_TABLES = Object.keys(HOLDINGS) as readonly HoldingTable[];
