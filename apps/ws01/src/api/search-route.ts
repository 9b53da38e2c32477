import { type Kysely, type RawBuilder, sql } from 'kysely';
import { addressKey } from '../domain/values/email-address.ts';
import { networkOf, parseNamedAddress } from '../domain/values/internet-address.ts';
import { canonicalKey } from '../domain/values/keys.ts';
import { normalizePhone } from '../domain/values/phone.ts';
import type { Store } from '../store/store.ts';
import { POSTING_KINDS, type Tables } from '../store/tables/tables.ts';
import { rowsFor } from './kind.ts';
import { AUDIT, CODES, MAILS, SMS, SUPPRESSIONS, TOKENS } from './kinds.ts';
import { type Principal, readsPrivate } from './principal.ts';
import type { Route } from './route.ts';
import { list, nullable, object, text } from './schema.ts';

export interface SearchDeps {
  readonly store: Store;
  /** ISO 3166 code of the country of numbers without `+`. */
  readonly defaultCountry: string | undefined;
}

/** Maximum number of results per kind; the newest come first. */
const OF_KIND = 20;

/** A search result: enough to recognise the record and to open it. */
interface Hit {
  readonly kind: string;
  readonly key: string;
  readonly title: string | null;
  readonly matched: string;
}

/** The route that finds records of all kinds. */
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
    async run({ query, principal }) {
      const looked = ((query.q as string | undefined) ?? '').trim();
      return {
        items:
          looked === ''
            ? []
            : await store.scan((db) => find(db, looked, defaultCountry, principal)),
      };
    },
  };
}

async function find(
  db: Kysely<Tables>,
  looked: string,
  country: string | undefined,
  reader: Principal,
): Promise<readonly Hit[]> {
  const isPrivateToo = readsPrivate(reader);
  const key = canonicalKey(looked);
  const address = parseNamedAddress(looked);
  const phone = phoneOf(looked, country);
  const finders = [
    ...byKey(key),
    ...byRequest(key, sql.join([sql`true`, ...rowsFor(AUDIT, reader)], sql` and `)),
    ...byOwner(key),
    ...(address === undefined ? [] : byNetwork(networkOf(address))),
    ...(isPrivateToo && looked.includes('@') ? byEmail(addressKey(looked)) : []),
    ...(isPrivateToo && phone !== undefined ? byPhone(phone) : []),
  ].filter(([kind]) => isPrivateToo || !PRIVATE.has(kind));
  const hits = new Map<string, Hit>();
  for (const [kind, matched, query] of finders) {
    for (const { key, title } of (await query.execute(db)).rows) {
      const id = `${kind} ${key}`;
      const isName = kind === 'users' && !isPrivateToo;
      if (!hits.has(id)) hits.set(id, { kind, key, title: isName ? null : title, matched });
    }
  }
  return [...hits.values()];
}

function phoneOf(looked: string, country: string | undefined): string | undefined {
  if (!/^[+0-9][0-9 ()./-]{5,}$/.test(looked)) return undefined;
  try {
    return normalizePhone(looked, 'q', country);
  } catch {
    return undefined;
  }
}

/** A kind, what part of the record matched, and the query, which always uses an index. */
type Finder = readonly [
  kind: string,
  matched: string,
  query: RawBuilder<{ key: string; title: string | null }>,
];

/** Kinds that are private as a whole. */
const PRIVATE: ReadonlySet<string> = new Set(
  [MAILS, SUPPRESSIONS, SMS, CODES, TOKENS].map(({ name }) => name),
);

const BY_CREATION = sql.raw(`order by created_at desc, guid desc limit ${OF_KIND}`);
const BY_CREATION_AND_ID = sql.raw(`order by created_at desc, id desc limit ${OF_KIND}`);
/** Newest first: keys begin with their time. */
const BY_ID = sql.raw(`order by id desc limit ${OF_KIND}`);
const BY_REQUEST = sql.raw(`order by id limit ${OF_KIND}`);

function byKey(key: string): readonly Finder[] {
  return [
    [
      'articles',
      'key',
      sql`select guid as key, caption as title from articles where guid = ${key}`,
    ],
    ['adverts', 'key', sql`select guid as key, title from adverts where guid = ${key}`],
    ['images', 'key', sql`select guid as key, category as title from images where guid = ${key}`],
    ['users', 'key', sql`select id as key, name as title from users where id = ${key}`],
    ['mails', 'key', sql`select id as key, subject as title from mails where id = ${key}`],
    ['sms', 'key', sql`select id as key, phone as title from sms where id = ${key}`],
    ['links', 'key', sql`select code as key, target as title from links where code = ${key}`],
    ['reviews', 'key', sql`select id as key, remark as title from reviews where id = ${key}`],
    ['tokens', 'key', sql`select id as key, label as title from tokens where id = ${key}`],
  ];
}

/** Finds an entry of the audit trail, and the records that one call created or changed. */
function byRequest(id: string, isSeen: RawBuilder<unknown>): readonly Finder[] {
  return [
    [
      'audit',
      'key',
      sql`select id as key, action as title from audit where id = ${id} and ${isSeen}`,
    ],
    [
      'audit',
      'key',
      sql`select id as key, action as title from audit where request_id = ${id} and ${isSeen} ${BY_REQUEST}`,
    ],
    [
      'sms',
      'key',
      sql`select id as key, phone as title from sms where request_id = ${id} ${BY_REQUEST}`,
    ],
    [
      'mails',
      'key',
      sql`select id as key, subject as title from mails where request_id = ${id} ${BY_REQUEST}`,
    ],
  ];
}

/** Finds the records of a user, and those linked to a record. */
function byOwner(key: string): readonly Finder[] {
  return [
    [
      'articles',
      'owner',
      sql`select guid as key, caption as title from articles where owner = ${key} ${BY_CREATION}`,
    ],
    [
      'adverts',
      'owner',
      sql`select guid as key, title from adverts where owner = ${key} ${BY_CREATION}`,
    ],
    [
      'images',
      'record',
      sql`select guid as key, category as title from images where link_guid = ${key} ${BY_ID}`,
    ],
    [
      'reviews',
      'subject',
      sql`select id as key, remark as title from reviews where subject = ${key} ${BY_ID}`,
    ],
    [
      'mails',
      'sender',
      sql`select id as key, subject as title from mails where sender = ${key} ${BY_CREATION_AND_ID}`,
    ],
  ];
}

function byEmail(email: string): readonly Finder[] {
  return [
    [
      'users',
      'email',
      sql`select id as key, name as title from users where email is not null and lower(email) = lower(${email})
        ${BY_CREATION_AND_ID}`,
    ],
    [
      'mails',
      'email',
      sql`select id as key, subject as title from mails where receiver_key = ${email} ${BY_ID}`,
    ],
    [
      'suppressions',
      'email',
      sql`select address as key, detail as title from mail_suppressions where address = ${email}`,
    ],
  ];
}

function byPhone(phone: string): readonly Finder[] {
  return [
    [
      'users',
      'phone',
      sql`select id as key, name as title from users where cell_phone = ${phone} ${BY_CREATION_AND_ID}`,
    ],
    [
      'users',
      'phone',
      sql`select user_id as key, null as title from phone_verifications where phone = ${phone}
        ${sql.raw(`order by verified_at desc, user_id desc limit ${OF_KIND}`)}`,
    ],
    [
      'sms',
      'phone',
      sql`select id as key, phone as title from sms where phone = ${phone} ${BY_ID}`,
    ],
  ];
}

/** Finds the records created from a network. */
function byNetwork(network: string): readonly Finder[] {
  return Object.entries(POSTING_KINDS).map(([kind, number]) => [
    `${kind}s`,
    'address',
    sql`select record_key as key, user_id as title from postings where network = ${network} and kind = ${number}
      ${sql.raw(`order by at desc limit ${OF_KIND}`)}`,
  ]);
}
