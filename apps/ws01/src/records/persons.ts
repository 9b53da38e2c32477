import { type RawBuilder, sql } from 'kysely';
import { mailboxKeys, mailboxOf } from '../domain/values/email-address.ts';
import { phoneDigits } from '../domain/values/phone.ts';

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
}

/** What a record tells of persons, and what becomes of it when one is erased. */
export interface Personal {
  /** Condition for the rows about a person. */
  readonly of: (person: Person) => RawBuilder<boolean>;
  /** What an erasure does: it deletes the row, or empties the columns that name the person. */
  readonly fate: 'deleted' | 'emptied';
  /** Condition for the rows in the person's export; the same as `of` when absent, no rows when `false`. */
  readonly given?: ((person: Person) => RawBuilder<boolean>) | false;
  /** Column in whose order an erasure goes, where some rows lead to others of the table. */
  readonly order?: string;
  /** The columns that an erasure finds rows by; the key of the portable format, or `id`, when absent. */
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

export const articlesOf = ({ id }: Person) => sql`select guid from articles where owner = ${id}`;
const advertsOf = ({ id }: Person) => sql`select guid from adverts where owner = ${id}`;
export const linksOf = ({ id, emails }: Person) =>
  sql`select code from links where user_id = ${id} or ${ofMailboxes('lower(user_email)', emails)}`;
export const tokensOf = ({ id }: Person) =>
  sql`select id from tokens where kind = 'user' and user_id = ${id}`;
export const mailsOf = ({ id, emails }: Person) =>
  sql`select id from mails where sender = ${id} or ${ofMailboxes('receiver_key', emails)}`;
export const imagesOf = (person: Person) =>
  sql`select guid from images where owner = ${person.id} or link_guid in (${articlesOf(person)})
    or link_guid in (${advertsOf(person)})`;
export const textsOf = (person: Person) => sql`select id from sms where ${byNumber(person)}`;

/**
 * Condition for codes of the person, and for those to a number of theirs that were asked for without a user. The rows
 * of a user may lead to the number, so they are erased last: see {@link LAST_OF_USER}.
 */
export function byNumber({ id, phones }: Person): RawBuilder<boolean> {
  return sql<boolean>`(user_id = ${id} or (user_id = ${NO_USER} and ${oneOf('phone', phones)}))`;
}

/** Rows without a user sort first. */
export const LAST_OF_USER = 'user_id';

/**
 * Condition for budgets whose key has one of the person's identifiers as a word, in the form in which budgets write it:
 * digits without `+`, mailboxes without a tag, and for the same text to many its hash, sender, time and mailbox.
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
  sql`select ${person.id} union all ${articlesOf(person)} union all ${advertsOf(person)} union all ${imagesOf(person)}`;

/** Keys of audit entries about the person's records, messages and tokens. */
export const targetsOf = (person: Person) =>
  sql`${recordsOf(person)} union all ${linksOf(person)} union all ${tokensOf(person)} union all ${mailsOf(person)}
    union all ${textsOf(person)} union all select id from reviews where voter = ${voterOf(person)}
    union all select record_key from postings where user_id = ${person.id}`;

export const voterOf = ({ id }: Person) => `user:${id}`;

/** Condition for entries whose details contain a text that names the person, alone or in a list. */
function namedIn(column: string, { id, emails, phones }: Person): RawBuilder<boolean> {
  const texts = [JSON.stringify(id).toLowerCase(), ...emails, ...phones];
  const like = (text: string) =>
    sql`lower(${sql.raw(column)}) like ${containing(text)} escape '\\'`;
  return sql<boolean>`(${sql.join(texts.map(like), sql` or `)})`;
}

/** Condition for audit entries about the person, or about calls of the person. */
export const auditOf = (person: Person) =>
  sql<boolean>`(target_key in (${targetsOf(person)})
    or ${ofMailboxes('target_key', person.emails)} or ${oneOf('target_key', person.phones)}
    or token_id in (${tokensOf(person)}) or ${namedIn('details', person)})`;
