import { type Kysely, type RawBuilder, sql } from 'kysely';
import { addressKey } from '../domain/mail/rows.ts';
import { networkOf, parseNamedAddress } from '../domain/values/internet-address.ts';
import { canonicalKey } from '../domain/values/keys.ts';
import { normalizePhone } from '../domain/values/phone.ts';
import type { Store } from '../store/store.ts';
import { POSTING_KINDS, type Tables } from '../store/tables/tables.ts';
import type { Route } from './route.ts';
import { list, nullable, object, text } from './schema.ts';

export interface SearchDeps {
  readonly store: Store;
  /** ISO 3166 code of the country whose numbers are written without `+`. */
  readonly defaultCountry: string | undefined;
}

/** Records of one kind that a search shows at most, the newest. */
const OF_KIND = 20;

/** What was found: enough to be recognised and opened. */
interface Hit {
  readonly kind: string;
  readonly key: string;
  readonly title: string | null;
  readonly matched: string;
}

/** Finds records of every kind by what is looked for. */
export function searchRoute({ store, defaultCountry }: SearchDeps): Route {
  const hit = object({
    kind: text('As in the path of its list: `articles`.'),
    key: text('Its key: `/{kind}/{key}` shows it.'),
    title: nullable(text('What people know it by.')),
    matched: text(
      'What was found: key (also that of the call), owner, record, subject, sender, phone, email, address.',
    ),
  });
  return {
    method: 'get',
    path: '/search',
    id: 'search',
    tag: 'search',
    summary: `Records of every kind by key, user, request id, phone number, e-mail address or IP address; of each kind the newest ${OF_KIND}`,
    role: 'reader',
    query: { q: text('One of these, whole.', { maxLength: 320 }) },
    result: object({ items: list('', { ...hit, title: 'Hit' }) }),
    async run({ query, address }) {
      const looked = ((query.q as string | undefined) ?? '').trim();
      return { items: looked === '' ? [] : await store.scan((db) => find(db, looked, defaultCountry), address) };
    },
  };
}

async function find(db: Kysely<Tables>, looked: string, country: string | undefined): Promise<readonly Hit[]> {
  const hits: Hit[] = [...(await byKey(db, canonicalKey(looked))), ...(await byOwner(db, canonicalKey(looked)))];
  const address = parseNamedAddress(looked);
  if (address !== undefined) hits.push(...(await byAddress(db, networkOf(address))));
  if (looked.includes('@')) hits.push(...(await byEmail(db, addressKey(looked))));
  const phone = phoneOf(looked, country);
  if (phone !== undefined) hits.push(...(await byPhone(db, phone)));
  const seen = new Set<string>();
  return hits.filter(({ kind, key }) => !seen.has(`${kind} ${key}`) && seen.add(`${kind} ${key}`));
}

function phoneOf(looked: string, country: string | undefined): string | undefined {
  if (!/^[+0-9][0-9 ()./-]{5,}$/.test(looked)) return undefined;
  try {
    return normalizePhone(looked, 'q', country);
  } catch {
    return undefined;
  }
}

/** One query of hits: each finds by an index. */
async function hits(
  db: Kysely<Tables>,
  kind: string,
  matched: string,
  query: RawBuilder<{ key: string; title: string | null }>,
): Promise<Hit[]> {
  const { rows } = await query.execute(db);
  return rows.map(({ key, title }) => ({ kind, key, title, matched }));
}

async function byKey(db: Kysely<Tables>, key: string): Promise<Hit[]> {
  const found: Hit[] = [];
  const KEYS = [
    ['articles', sql`select guid as key, caption as title from articles where guid = ${key}`],
    ['adverts', sql`select guid as key, title from adverts where guid = ${key}`],
    ['images', sql`select guid as key, category as title from images where guid = ${key}`],
    ['users', sql`select id as key, name as title from users where id = ${key}`],
    ['mails', sql`select id as key, subject as title from mails where id = ${key}`],
    ['sms', sql`select id as key, phone as title from sms where id = ${key}`],
    ['links', sql`select code as key, target as title from links where code = ${key}`],
    ['reviews', sql`select id as key, remark as title from reviews where id = ${key}`],
    ['tokens', sql`select id as key, label as title from tokens where id = ${key}`],
    ['audit', sql`select id as key, action as title from audit where id = ${key}`],
    ['audit', sql`select id as key, action as title from audit where request_id = ${key} order by id limit ${OF_KIND}`],
    ['sms', sql`select id as key, phone as title from sms where request_id = ${key} order by id limit ${OF_KIND}`],
    [
      'mails',
      sql`select id as key, subject as title from mails where request_id = ${key} order by id limit ${OF_KIND}`,
    ],
  ] as const;
  for (const [kind, query] of KEYS) {
    found.push(...(await hits(db, kind, 'key', query as RawBuilder<{ key: string; title: string | null }>)));
  }
  return found;
}

async function byOwner(db: Kysely<Tables>, user: string): Promise<Hit[]> {
  return [
    ...(await hits(
      db,
      'articles',
      'owner',
      sql`select guid as key, caption as title from articles where owner = ${user}
        order by created_at desc, guid desc limit ${OF_KIND}`,
    )),
    ...(await hits(
      db,
      'adverts',
      'owner',
      sql`select guid as key, title from adverts where owner = ${user}
        order by created_at desc, guid desc limit ${OF_KIND}`,
    )),
    ...(await hits(
      db,
      'images',
      'record',
      sql`select guid as key, category as title from images where link_guid = ${user} order by id desc limit ${OF_KIND}`,
    )),
    ...(await hits(
      db,
      'reviews',
      'subject',
      sql`select id as key, remark as title from reviews where subject = ${user} order by id desc limit ${OF_KIND}`,
    )),
    ...(await hits(
      db,
      'mails',
      'sender',
      sql`select id as key, subject as title from mails where sender = ${user}
        order by created_at desc, id desc limit ${OF_KIND}`,
    )),
  ];
}

async function byEmail(db: Kysely<Tables>, email: string): Promise<Hit[]> {
  return [
    ...(await hits(
      db,
      'users',
      'email',
      sql`select id as key, name as title from users where email is not null and lower(email) = lower(${email})
        order by created_at desc, id desc limit ${OF_KIND}`,
    )),
    ...(await hits(
      db,
      'mails',
      'email',
      sql`select id as key, subject as title from mails where receiver_key = ${email} order by id desc limit ${OF_KIND}`,
    )),
    ...(await hits(
      db,
      'suppressions',
      'email',
      sql`select address as key, detail as title from mail_suppressions where address = ${email}`,
    )),
  ];
}

async function byPhone(db: Kysely<Tables>, phone: string): Promise<Hit[]> {
  return [
    ...(await hits(
      db,
      'users',
      'phone',
      sql`select id as key, name as title from users where cell_phone = ${phone}
        order by created_at desc, id desc limit ${OF_KIND}`,
    )),
    ...(await hits(
      db,
      'sms',
      'phone',
      sql`select id as key, phone as title from sms where phone = ${phone} order by id desc limit ${OF_KIND}`,
    )),
  ];
}

/** What the ledger says was created from a network. */
async function byAddress(db: Kysely<Tables>, network: string): Promise<Hit[]> {
  const found: Hit[] = [];
  for (const [kind, number] of Object.entries(POSTING_KINDS)) {
    found.push(
      ...(await hits(
        db,
        `${kind}s`,
        'address',
        sql`select record_key as key, user_id as title from postings where network = ${network} and kind = ${number}
          order by at desc limit ${OF_KIND}`,
      )),
    );
  }
  return found;
}
