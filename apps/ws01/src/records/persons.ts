import { type Kysely, type RawBuilder, sql } from 'kysely';
import { mailboxKeys, mailboxOf } from '../domain/values/email-address.ts';
import { phoneDigits } from '../domain/values/phone.ts';
import type { Tables } from '../store/tables/tables.ts';

/** The identifiers through which the rows about one person are found. */
export interface Person {
  /** The canonical key of the user. */
  readonly id: string;
  /** E-mail addresses, in lower case. */
  readonly emails: readonly string[];
  /** Phone numbers in normal form. */
  readonly phones: readonly string[];
  /** IP addresses and networks of the person's calls. */
  readonly networks: readonly string[];
  /** What leads to other rows, where only a part is looked at; absent: all does. */
  readonly followed?: Followed;
}

/** What a record tells of persons, and what becomes of it when one is erased. */
export interface Personal {
  /** Condition for the rows about a person. */
  readonly of: (person: Person) => RawBuilder<boolean>;
  /**
   * Condition for those rows about a person that indexes find; the same as `of` when absent, none
   * when `false`.
   */
  readonly found?: ((person: Person) => RawBuilder<boolean>) | false;
  /** What an erasure does: it deletes the row, or empties the columns that name the person. */
  readonly fate: 'deleted' | 'emptied';
  /**
   * Condition for the rows in the person's export; the same as `of` when absent, no rows when
   * `false`.
   */
  readonly given?: ((person: Person) => RawBuilder<boolean>) | false;
  /** Column in whose order an erasure goes, where some rows lead to others of the table. */
  readonly order?: string;
  /**
   * The columns that an erasure finds rows by; the key of the portable format, or `id`, when
   * absent.
   */
  readonly keys?: readonly string[];
}

/** Stands for the user where nobody was named. */
export const NO_USER = '';

/** Condition that a column has one of some values. */
export function oneOf(column: string, values: readonly string[]): RawBuilder<boolean> {
  return values.length === 0
    ? sql<boolean>`1 = 0`
    : sql<boolean>`${sql.raw(column)} in (${sql.join(values)})`;
}

/** Condition that a column has an address of one of some mailboxes: with any tag, or with none. */
export function ofMailboxes(column: string, emails: readonly string[]): RawBuilder<boolean> {
  if (emails.length === 0) return sql<boolean>`1 = 0`;
  const key = sql.raw(column);
  const conditions = emails.map((email) => {
    const { mailbox, tagged, beyond, domain } = mailboxKeys(email);
    const hasTag = sql`(${key} >= ${tagged} and ${key} < ${beyond} and ${key} like ${domain})`;
    return sql`${key} = ${mailbox} or ${hasTag}`;
  });
  return sql<boolean>`(${sql.join(conditions, sql` or `)})`;
}

/** Rows that lead to others, by kind: a query for their keys, as `key`. */
const LEADS: Readonly<Record<Lead, (person: Person) => RawBuilder<unknown>>> = {
  articles: ({ id }) => sql`select guid as key from articles where owner = ${id}`,
  adverts: ({ id }) => sql`select guid as key from adverts where owner = ${id}`,
  images: (person) => sql`select guid as key from images where owner = ${person.id}
    or link_guid in (${articlesOf(person)}) or link_guid in (${keysOf(person, 'adverts')})`,
  links: ({ id, emails, followed }) => sql`select code as key from links where user_id = ${id}
    ${followed === undefined ? sql`or ${ofMailboxes('lower(user_email)', emails)}` : sql``}`,
  tokens: ({ id }) => sql`select id as key from tokens where kind = 'user' and user_id = ${id}`,
  mails: ({ id, emails }) => sql`select id as key from mails
    where sender = ${id} or ${ofMailboxes('receiver_key', emails)}`,
  texts: (person) => sql`select id as key from sms where ${byNumber(person)}`,
  reviews: (person) => sql`select id as key from reviews where voter = ${voterOf(person)}`,
  postings: ({ id }) => sql`select record_key as key from postings where user_id = ${id}`,
};
type Lead = (typeof LED_BY)[number];
/** Each after those that lead to it. */
const LED_BY = [
  ...(['articles', 'adverts', 'images', 'links', 'tokens'] as const),
  ...(['mails', 'texts', 'reviews', 'postings'] as const),
];

/**
 * A bounded look at a person counts so many rows of a table, and follows so many of a kind to
 * others. Of a table that is larger than `whole` it counts only what an index finds.
 */
export const LOOKED_AT = { rows: 1_000, whole: 10_000 };

/** The keys that a bounded look follows. */
type Followed = Readonly<Partial<Record<Lead, readonly string[]>>>;

/**
 * Reads the keys that a bounded look follows.
 * @param isLarge whether there are too many links to look through them for addresses.
 */
export async function followedOf(
  db: Kysely<Tables>,
  person: Person,
  isLarge: boolean,
): Promise<Followed> {
  let followed: Followed = {};
  for (const lead of LED_BY) {
    const query = LEADS[lead](lead === 'links' && !isLarge ? person : { ...person, followed });
    const { rows } = await sql<{ key: string }>`${query} limit ${LOOKED_AT.rows}`.execute(db);
    followed = { ...followed, [lead]: rows.map(({ key }) => key) };
  }
  return followed;
}

/** The keys of some kinds, for a condition: a query, or those that were read. */
function keysOf(person: Person, ...leads: readonly Lead[]): RawBuilder<unknown> {
  const { followed } = person;
  if (followed === undefined)
    return sql.join(
      leads.map((lead) => LEADS[lead](person)),
      sql` union all `,
    );
  const keys = leads.flatMap((lead) => followed[lead]!);
  return keys.length === 0 ? sql`null` : sql.join(keys);
}

export const articlesOf = (person: Person) => keysOf(person, 'articles');
export const linksOf = (person: Person) => keysOf(person, 'links');
export const tokensOf = (person: Person) => keysOf(person, 'tokens');
export const mailsOf = (person: Person) => keysOf(person, 'mails');
export const imagesOf = (person: Person) => keysOf(person, 'images');
export const textsOf = (person: Person) => keysOf(person, 'texts');

/**
 * Condition for codes of the person, and for those to a number of theirs that were asked for
 * without a user. The rows of a user may lead to the number, so they are erased last: see
 * {@link LAST_OF_USER}.
 */
export function byNumber({ id, phones }: Person): RawBuilder<boolean> {
  return sql<boolean>`(user_id = ${id} or (user_id = ${NO_USER} and ${oneOf('phone', phones)}))`;
}

/** Rows without a user sort first. */
export const LAST_OF_USER = 'user_id';

/**
 * Condition for budgets whose key has one of the person's identifiers as a word, in the form in
 * which budgets write it: digits without `+`, mailboxes without a tag, and for the same text to
 * many its hash, sender, time and mailbox.
 */
export function budgetsOf({ id, emails, phones, networks }: Person): RawBuilder<boolean> {
  const words = [
    id,
    ...emails,
    ...emails.map(mailboxOf),
    ...phones,
    ...phones.map(phoneDigits),
    ...networks,
  ];
  const has = (word: string) => sql`' ' || key || ' ' like ${containing(` ${word} `)} escape '\\'`;
  return sql<boolean>`(${sql.join([...new Set(words)].map(has), sql` or `)})`;
}

/** The pattern of texts that contain a text. */
const containing = (text: string) => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;

/** Keys of the person, and of the person's records. */
export const recordsOf = (person: Person) =>
  withId(person, keysOf(person, 'articles', 'adverts', 'images'));

/** Keys of audit entries about the person's records, messages and tokens. */
export const targetsOf = (person: Person) => withId(person, keysOf(person, ...LED_BY));

const withId = ({ id, followed }: Person, keys: RawBuilder<unknown>) =>
  followed === undefined ? sql`select ${id} union all ${keys}` : sql`${id}, ${keys}`;

export const voterOf = ({ id }: Person) => `user:${id}`;

/** Condition for entries whose details contain a text that names the person, alone or in a list. */
function namedIn(column: string, { id, emails, phones }: Person): RawBuilder<boolean> {
  const texts = [JSON.stringify(id).toLowerCase(), ...emails, ...phones];
  const like = (text: string) =>
    sql`lower(${sql.raw(column)}) like ${containing(text)} escape '\\'`;
  return sql<boolean>`(${sql.join(texts.map(like), sql` or `)})`;
}

/** Condition for audit entries about what is the person's. */
export const auditAbout = (person: Person) =>
  sql<boolean>`(target_key in (${targetsOf(person)})
    or ${ofMailboxes('target_key', person.emails)} or ${oneOf('target_key', person.phones)})`;

/** Condition for audit entries about the person, or about calls of the person. */
export const auditOf = (person: Person) =>
  sql<boolean>`(${auditAbout(person)}
    or token_id in (${tokensOf(person)}) or ${namedIn('details', person)})`;
