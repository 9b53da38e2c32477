import { type Kysely, type RawBuilder, sql } from 'kysely';
import { addressKey } from '../domain/values/email-address.ts';
import { networkOf, parseNamedAddress } from '../domain/values/internet-address.ts';
import { canonicalKey } from '../domain/values/keys.ts';
import { maskPhone } from '../domain/values/phone.ts';
import {
  digitsOf,
  endsWithOne,
  patternOf,
  phoneEnds,
  wholeNumbers,
} from '../domain/values/phone-search.ts';
import { soughtWords } from '../domain/values/record-terms.ts';
import type { Shown } from '../records/record.ts';
import { isPostgres } from '../store/engine-of.ts';
import type { Store } from '../store/store.ts';
import { POSTING_KINDS, type Tables } from '../store/tables/tables.ts';
import { conditionsOf, type Item, itemOf, type Kind, orderOf, rowsFor } from './kind.ts';
import {
  ADVERTS,
  ARTICLES,
  AUDIT,
  CODES,
  IMAGES,
  LINKS,
  MAILS,
  REPORTS,
  REVIEWS,
  SMS,
  SUPPRESSIONS,
  TOKENS,
  USERS,
  WEBHOOKS,
} from './kinds.ts';
import { type ListPage, readPage } from './list-query.ts';
import { nameIn } from './names-route.ts';
import { mayRead, type Principal, readsPrivate } from './principal.ts';
import type { ApiCall, Route } from './route.ts';
import { list, nullable, object, text } from './schema.ts';

export interface SearchDeps {
  readonly store: Store;
  readonly shown: (call: ApiCall) => Shown;
  /** ISO 3166 code of the country of numbers without `+`. */
  readonly defaultCountry: string | undefined;
}

/** Maximum number of results per kind; the newest come first. */
const OF_KIND = 20;

/**
 * The kinds that are searched by words, in the order of the results: people first. The audit trail
 * has no index of words; its list looks through it.
 */
const WORDED = [
  ...[USERS, ARTICLES, ADVERTS, IMAGES, LINKS, MAILS, SUPPRESSIONS],
  ...[SMS, REVIEWS, REPORTS, TOKENS, WEBHOOKS],
] as unknown as readonly Kind<Row>[];

type Row = Readonly<Record<string, unknown>>;

/**
 * How much of a kind is looked through that has no index of words, or not yet: all kinds together
 * have some 50 ms.
 */
const LOOKED_THROUGH = { rows: 250, ms: 10 };

/** A search result: enough to recognise the record and to open it. */
interface Hit {
  readonly kind: string;
  readonly key: string;
  readonly title: string | null;
  readonly matched: string;
}

/** The route that finds records of all kinds. */
export function searchRoute(deps: SearchDeps): Route {
  const { store, defaultCountry } = deps;
  const hit = object({
    kind: text('As in the path of its list: `articles`.'),
    key: text('Its key: `/{kind}/{key}` shows it.'),
    title: nullable(text('What people know it by.')),
    matched: text(
      'What was found: key (also that of the call), owner, record, subject, sender, phone, email, address, words.',
    ),
  });
  return {
    method: 'get',
    path: '/search',
    id: 'search',
    tag: 'search',
    summary:
      'Records of every kind by key, user, request id, phone number, e-mail address, ' +
      `IP address, the address of a page, or words; of each kind the newest ${OF_KIND}`,
    role: 'reader',
    query: {
      q: text(
        'One of these, whole; or words, each as the beginning of one; or the last digits of a ' +
          'phone number, four at least.',
        { maxLength: 320 },
      ),
    },
    result: object({
      items: list(
        'First what has that key, then what has that number or address or is called by the words, ' +
          'then by beginnings of them, then the rest.',
        { ...hit, title: 'Hit' },
      ),
      further: list(
        'Kinds of which only a part was looked through: their lists, by the same `q`, go on.',
        text(''),
      ),
    }),
    async run(call) {
      const looked = ((call.query.q as string | undefined) ?? '').trim();
      if (looked === '') return { items: [], further: [] };
      const ends = phoneEnds(looked, defaultCountry);
      const worded = await findByWords(deps, call, looked, ends);
      const known = await store.scan((db) =>
        find(db, looked, { ends, phones: worded.phones }, call.principal),
      );
      const keys = new Set(known.map(keyOfHit));
      const others = worded.items.filter((one) => !keys.has(keyOfHit(one)));
      const items = inOrder([...known, ...others], looked);
      return { items, further: worded.further };
    },
  };
}

const keyOfHit = ({ kind, key }: Hit) => `${kind} ${key}`;

/** The kinds in the order of the results; those that tell what was done come last. */
const ORDER: readonly string[] = [...WORDED, CODES].map(({ name }) => name);
const TRACES: readonly string[] = ['failures', AUDIT.name];

/** Sorts hits by what somebody most likely meant; else the newest of each kind come first. */
function inOrder(hits: readonly Hit[], looked: string): readonly Hit[] {
  const sought = soughtWords(looked);
  const rankOf = ({ kind, matched, title }: Hit) => {
    if (matched === 'key' && kind !== AUDIT.name) return 0;
    if (TRACES.includes(kind)) return 4;
    if (matched === 'phone' || matched === 'email') return 1;
    if (title === null || sought.length === 0 || !sought.isIn(title)) return 3;
    return sought.isWholeIn(title) ? 1 : 2;
  };
  const placeOf = ({ kind }: Hit) => [...ORDER, ...TRACES].indexOf(kind);
  return hits
    .map((hit) => ({ hit, rank: rankOf(hit), place: placeOf(hit) }))
    .toSorted((one, other) => one.rank - other.rank || one.place - other.place)
    .map(({ hit }) => hit);
}

/** What words find. */
interface Worded {
  readonly items: readonly Hit[];
  readonly further: readonly string[];
  /** The private numbers that end as was looked for. */
  readonly phones: readonly string[];
}

/** Finds the newest records of each kind that have all words. */
async function findByWords(
  { store, shown }: SearchDeps,
  call: ApiCall,
  words: string,
  ends: readonly string[],
): Promise<Worded> {
  const { principal } = call;
  const context = shown(call);
  const kinds = WORDED.filter((kind) => mayRead(principal, kind));
  const found = await Promise.all(
    kinds.map(async (kind) => {
      const page: ListPage<Row> = await readPage(store, {
        ...kind,
        ...orderOf(kind, kind.sort, {}, principal),
        conditions: conditionsOf(kind, { q: words }, context, principal),
        limit: OF_KIND,
        reading: LOOKED_THROUGH,
        cursor: undefined,
      });
      const isPart = page.next !== undefined && page.rows.length < OF_KIND;
      const phones: string[] = [];
      const hits = page.rows.map((row): Hit => {
        const item = itemOf(kind.fields, row, context, principal, false);
        const title = nameIn(kind.layout, item) ?? null;
        const its = phonesOf(kind, item, ends);
        phones.push(...its);
        const matched = its.length > 0 ? 'phone' : 'words';
        return { kind: kind.name, key: String(item[kind.key.name]), title, matched };
      });
      return { hits, further: isPart ? [kind.name] : [], phones };
    }),
  );
  return {
    items: found.flatMap(({ hits }) => hits),
    further: found.flatMap(({ further }) => further),
    phones: found.flatMap(({ phones }) => phones),
  };
}

/** The numbers of a record, of those that the reader sees, that end as was looked for. */
function phonesOf(
  { searched = {}, fields }: Kind<Row>,
  item: Item,
  ends: readonly string[],
): readonly string[] {
  const names = Object.keys(searched).filter((name) => fields[name]!.isPhone);
  const numbers = names.map((name) => String(item[name] ?? ''));
  return numbers.filter((one) => digitsOf(one).some((digits) => endsWithOne(digits, ends)));
}

async function find(
  db: Kysely<Tables>,
  looked: string,
  numbers: LookedNumbers,
  reader: Principal,
): Promise<readonly Hit[]> {
  const isPrivateToo = readsPrivate(reader);
  const phones = isPrivateToo ? await numbersOf(db, numbers) : [];
  const key = canonicalKey(looked);
  const address = parseNamedAddress(looked);
  const finders = [
    ...byKey(key),
    ...keysAtEnd(looked).flatMap(byKey),
    ...byRequest(key, sql.join([sql`true`, ...rowsFor(AUDIT, reader)], sql` and `)),
    ...byOwner(key),
    ...(address === undefined ? [] : byNetwork(networkOf(address))),
    ...(isPrivateToo && looked.includes('@') ? byEmail(addressKey(looked)) : []),
    ...phones.flatMap((phone) => byPhone(db, phone)),
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

/**
 * The key at the end of an address of a page, a picture or a short link, as people paste it; with
 * and without a suffix.
 */
function keysAtEnd(looked: string): readonly string[] {
  const [, end] = /^[^\s@]+\/([^\s/?#]+)\/?(?:[?#]\S*)?$/.exec(looked) ?? [];
  if (end === undefined) return [];
  try {
    const key = decodeURIComponent(end);
    return [...new Set([key, key.replace(/\.\w{1,5}$/, '')])].map(canonicalKey);
  } catch {
    return [];
  }
}

/** What phone number is looked for. */
interface LookedNumbers {
  /** What it ends with; none where no number is looked for. */
  readonly ends: readonly string[];
  /** Some that end so. */
  readonly phones: readonly string[];
}

/** Of so many numbers all is looked up. */
const NUMBERS = 5;

/** Of so many rows the newest numbers are taken. */
const ENDED = 100;

/**
 * The numbers, in normal form, that end as was looked for: those that are written so, with their
 * country code or without a country, then those of messages and people, codes and verifications.
 */
async function numbersOf(
  db: Kysely<Tables>,
  { ends, phones }: LookedNumbers,
): Promise<readonly string[]> {
  const numbers = new Set([...ends.flatMap(wholeNumbers), ...phones]);
  const most = 2 * ends.length + NUMBERS;
  const tables = [
    ['phone_codes', 'expires_at'],
    ['phone_verifications', 'verified_at'],
  ] as const;
  for (const end of ends)
    for (const [table, time] of tables) {
      // As in the indexes.
      const { rows } = await sql<{ phone: string }>`select phone from ${sql.table(table)}
        where substr(phone, length(phone) - 3) = ${end.slice(-4)} and phone like ${patternOf(end)}
        order by ${sql.ref(time)} desc limit ${ENDED}`.execute(db);
      for (const { phone } of rows) numbers.add(phone);
    }
  return [...numbers].slice(0, most);
}

/** A kind, what part of the record matched, and the query, which always uses an index. */
type Finder = readonly [
  kind: string,
  matched: string,
  query: RawBuilder<{ key: string; title: string | null }>,
];

/** Of each kind: its table, its key, and what people know it by. */
const TITLES = {
  articles: ['articles', 'guid', 'caption'],
  adverts: ['adverts', 'guid', 'title'],
  images: ['images', 'guid', 'category'],
  users: ['users', 'id', 'name'],
  mails: ['mails', 'id', 'subject'],
  sms: ['sms', 'id', 'phone'],
  links: ['links', 'code', 'target'],
  reviews: ['reviews', 'id', 'remark'],
  tokens: ['tokens', 'id', 'label'],
  audit: ['audit', 'id', 'action'],
  suppressions: ['mail_suppressions', 'address', 'detail'],
  failures: ['failed_calls', 'id', 'error'],
} as const;

type Titled = keyof typeof TITLES;

/** The kinds that are found by their keys. */
const KEYED: readonly Titled[] = [
  ...(['articles', 'adverts', 'images', 'users', 'mails', 'sms'] as const),
  ...(['links', 'reviews', 'tokens'] as const),
];

/** @param condition with its order. */
function finder(kind: Titled, matched: string, condition: RawBuilder<unknown>): Finder {
  const [table, key, title] = TITLES[kind];
  const titles = sql.raw(`select ${key} as key, ${title} as title from ${table}`);
  return [kind, matched, sql`${titles} where ${condition}`];
}

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
  return KEYED.map((kind) => finder(kind, 'key', sql`${sql.raw(TITLES[kind][1])} = ${key}`));
}

/** Finds an entry of the audit trail, and the records that one call created or changed. */
function byRequest(id: string, isSeen: RawBuilder<unknown>): readonly Finder[] {
  const ofRequest = sql`request_id = ${id}`;
  return [
    finder('audit', 'key', sql`id = ${id} and ${isSeen}`),
    finder('audit', 'record', sql`target_key = ${id} and ${isSeen} ${BY_ID}`),
    finder('audit', 'key', sql`${ofRequest} and ${isSeen} ${BY_REQUEST}`),
    finder('sms', 'key', sql`${ofRequest} ${BY_REQUEST}`),
    finder('mails', 'key', sql`${ofRequest} ${BY_REQUEST}`),
    finder('failures', 'key', sql`${ofRequest} ${BY_REQUEST}`),
  ];
}

/** Finds the records of a user, and those linked to a record. */
function byOwner(key: string): readonly Finder[] {
  return [
    finder('articles', 'owner', sql`owner = ${key} ${BY_CREATION}`),
    finder('adverts', 'owner', sql`owner = ${key} ${BY_CREATION}`),
    finder('images', 'record', sql`link_guid = ${key} ${BY_ID}`),
    finder('reviews', 'subject', sql`subject = ${key} ${BY_ID}`),
    finder('mails', 'sender', sql`sender = ${key} ${BY_ID}`),
    // What a call named that failed is mostly not there: a picture that was refused.
    finder('failures', 'record', sql`target_key = ${key} ${BY_ID}`),
  ];
}

function byEmail(email: string): readonly Finder[] {
  const isEmail = sql`email is not null and lower(email) = lower(${email})`;
  return [
    finder('users', 'email', sql`${isEmail} ${BY_CREATION_AND_ID}`),
    finder('mails', 'email', sql`receiver_key = ${email} ${BY_ID}`),
    finder('suppressions', 'email', sql`address = ${email}`),
  ];
}

/** Of a number, and of each kind of rows that lead to codes, so many are followed, the newest. */
const LED_BY = 100;

/** Values of the newest rows of queries with one column and an order, each once. */
function newestOf(...queries: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  const some = queries.map((query) => sql`select * from (${query} limit ${LED_BY}) as newest`);
  return sql.join(some, sql` union `);
}

/**
 * The newest steps of codes that have one of some values in a column. PostgreSQL would go through
 * all steps from the newest, as it expects some soon; so each value is looked up by itself.
 */
function codesWith(
  db: Kysely<Tables>,
  column: 'request_id' | 'target_key',
  values: RawBuilder<unknown>,
  isIt = sql`true`,
): RawBuilder<{ key: string; title: string | null }> {
  const codes = sql`select id as key, action as title from audit
    where substr(action, 1, 5) = 'code.' and ${isIt}`;
  return isPostgres(db)
    ? sql`select found.* from (${values}) as of_phone (value) cross join lateral
        (${codes} and ${sql.ref(column)} = of_phone.value ${BY_ID}) as found
        ${sql.raw(`order by key desc limit ${OF_KIND}`)}`
    : sql`${codes} and ${sql.ref(column)} in (${values}) ${BY_ID}`;
}

function byPhone(db: Kysely<Tables>, phone: string): readonly Finder[] {
  const texts = (column: RawBuilder<unknown>) =>
    sql`select ${column} from sms where phone = ${phone} order by id desc`;
  const codes = (column: RawBuilder<unknown>) =>
    sql`select ${column} from phone_codes where phone = ${phone} order by expires_at desc`;
  return [
    finder('users', 'phone', sql`cell_phone = ${phone} ${BY_CREATION_AND_ID}`),
    [
      'users',
      'phone',
      sql`select user_id as key, null as title from phone_verifications where phone = ${phone}
        ${sql.raw(`order by verified_at desc, user_id desc limit ${OF_KIND}`)}`,
    ],
    finder('sms', 'phone', sql`phone = ${phone} ${BY_ID}`),
    ['codes', 'phone', codesWith(db, 'request_id', newestOf(texts(sql`request_id`)))],
    ['codes', 'phone', codesWith(db, 'target_key', newestOf(texts(sql`id`), codes(sql`id`)))],
    // Of a user's codes those to a number that looks the same in the audit trail, which has no
    // whole numbers.
    [
      'codes',
      'phone',
      codesWith(
        db,
        'target_key',
        newestOf(
          texts(sql`user_id`),
          codes(sql`user_id`),
          sql`select user_id from phone_verifications where phone = ${phone}
            order by verified_at desc, user_id desc`,
          sql`select id from users where cell_phone = ${phone} order by created_at desc, id desc`,
        ),
        sql`details like ${`%"phone":"${maskPhone(phone)}"%`}`,
      ),
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
