import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import { insertNew, keyOf, selectByKeys } from '../../store/bulk.ts';
import {
  type Instant,
  POSTING_KINDS,
  type PostingKind,
  type Tables,
  type Visibility,
} from '../../store/tables/tables.ts';
import { indexTerms } from '../../store/text-index.ts';
import { hasContent } from '../articles/content.ts';
import { optionalCategoryKey } from '../images/category.ts';
import {
  findAllLinked,
  holdLinkedImages,
  leastVisible,
  NO_RECORD,
  ownVisibility,
  refreshLinkedImages,
} from '../images/listing/linked.ts';
import { searchTextOf, termsOf } from '../images/listing/search.ts';
import { changeTotals, listedTotals } from '../images/listing/totals.ts';
import { hashRequest } from '../links/links.ts';
import { addressKey } from '../mail/rows.ts';
import { changeBy, changeTally } from '../reviews/tally.ts';
import { isPublic } from '../shared/moderated.ts';
import { networkOf } from '../values/internet-address.ts';
import { newKey } from '../values/keys.ts';
import { foldText, sortKeyOf } from '../values/search-text.ts';
import type { KindName } from './kinds.ts';
import type { Row } from './record.ts';

/** What a bringing-in knows of all that it brings. */
export interface ImportContext {
  /** The kinds that it brings: what it does not bring is made of what it does. */
  readonly brings: ReadonlySet<string>;
  readonly now: Instant;
  /** Whether mails that were on their way go on; else they wait for somebody to ask for them. */
  readonly sendMail: boolean;
}

/** Which records are there: those of the database, and those that were looked at before. */
export type Known = (table: keyof Tables, column: string, keys: readonly string[]) => Promise<ReadonlySet<string>>;

/** What is particular to a kind. */
interface Rules {
  /** Columns besides those of the fields. */
  readonly derived?: readonly string[];
  /** Fills in what is absent. @returns why the row cannot be taken; `undefined` when it can. */
  readonly complete?: (row: Row, context: ImportContext) => string | undefined;
  /** Why rows cannot be taken for the sake of others: as `complete`, for each row. */
  readonly check?: (rows: readonly Row[], known: Known) => Promise<readonly (string | undefined)[]>;
  /** Works out the derived columns, just before the rows are inserted. */
  readonly derive?: (tx: Kysely<Tables>, rows: readonly Row[]) => Promise<void>;
  /** Does what goes with rows that came into being. */
  readonly inserted?: (tx: Kysely<Tables>, rows: readonly Row[], context: ImportContext) => Promise<void>;
  /** Whether a record that is there stands only for what is brought, and gives way to it. */
  readonly givesWay?: (stored: Row) => boolean;
}

const DAY_MS = 24 * 60 * 60 * 1000;

export const RULES: Readonly<Partial<Record<KindName, Rules>>> = {
  users: {
    complete: defaultUpdated,
    givesWay: ({ id: _, created_at, updated_at, registered, ...said }) =>
      registered === 0 && created_at === updated_at && Object.values(said).every((value) => value === null),
  },
  articles: {
    complete: (row) => {
      defaultUpdated(row);
      return hasContent(row as { caption: string; content: string }) ? undefined : 'caption or content is required';
    },
    inserted: async (tx, rows, context) => {
      await madeOf(tx, rows, context);
      await post(tx, rows, context, { kind: 'article', key: 'guid' });
      await refreshImages(tx, rows);
    },
  },
  revisions: {
    check: async (rows, known) => {
      const articles = await known('articles', 'guid', column(rows, 'article_guid'));
      return rows.map((row) =>
        articles.has(row.article_guid as string) ? undefined : `there is no article ${row.article_guid}`,
      );
    },
  },
  adverts: {
    derived: ['title_key', 'search_text'],
    complete: defaultUpdated,
    derive: async (_, rows) => {
      for (const row of rows) {
        row.title_key = sortKeyOf(row.title as string);
        row.search_text = foldText(`${row.title}\n${row.detail}\n${row.link_txt}`);
      }
    },
    inserted: async (tx, rows, context) => {
      await madeOf(tx, rows, context);
      await post(tx, rows, context, { kind: 'advert', key: 'guid' });
      await refreshImages(tx, rows);
    },
  },
  'image-files': { derived: ['stored_as'] },
  images: {
    derived: ['bytes', 'linked_category', 'category_key', 'category_order', 'visibility', 'search_text'],
    complete: (row) => {
      if (row.is_icon === 1) row.icon_at ??= row.updated_at ?? row.created_at!;
      return defaultUpdated(row) ?? (row.hash === null ? 'hash or file is required' : undefined);
    },
    check: async (rows, known) => {
      const files = await known('image_files', 'hash', column(rows, 'hash'));
      return rows.map((row) => (files.has(row.hash as string) ? undefined : 'its file is not there'));
    },
    derive: deriveImages,
    inserted: enterImages,
  },
  reviews: {
    complete: (row) => {
      row.id ??= newKey();
      return defaultUpdated(row);
    },
    inserted: async (tx, rows, context) => {
      await tally(tx, rows);
      await post(tx, rows, context, {
        kind: 'review',
        key: 'id',
        userOf: ({ voter }) => ((voter as string).startsWith('user:') ? (voter as string).slice('user:'.length) : null),
      });
    },
  },
  links: { derived: ['request_hash'], derive: deriveLinks },
  mails: {
    derived: ['receiver_key'],
    complete: (row) => {
      row.message_id ??= `<${row.id}@imported>`;
      return undefined;
    },
    derive: async (_, rows) => {
      for (const row of rows) row.receiver_key = addressKey(row.receiver_email as string);
    },
    inserted: async (tx, rows, context) => {
      if (context.brings.has('deliveries')) return;
      const sent = rows.map(({ id, created_at }) => ({
        ...DELIVERED,
        id: id!,
        created_at,
        give_up_at: created_at,
        finished_at: created_at,
      }));
      await insertNew(tx, 'outbox', Object.keys(sent[0] ?? {}), ['id'], sent as unknown as Row[]);
    },
  },
  deliveries: {
    derived: ['kind', 'lease'],
    complete: (row, { sendMail, now }) => {
      row.kind = 'mail';
      row.lease = null;
      row.give_up_at ??= (row.created_at as number) + DAY_MS;
      const pending = row.state === 'queued' || row.state === 'deferred';
      if (pending && !sendMail) Object.assign(row, { state: 'kept', due_at: null });
      if (pending && sendMail) row.due_at ??= now;
      return undefined;
    },
  },
};

const DELIVERED = {
  kind: 'mail',
  state: 'sent',
  attempts: 0,
  deferrals: 0,
  due_at: null,
  lease: null,
  last_reply: null,
};

function column(rows: readonly Row[], name: string): string[] {
  return [...new Set(rows.map((row) => row[name] as string))];
}

function defaultUpdated(row: Row): undefined {
  row.updated_at ??= row.created_at!;
}

/** Makes the users and categories that records name, where the bringing-in does not bring them. */
async function madeOf(tx: Kysely<Tables>, rows: readonly Row[], { brings }: ImportContext): Promise<void> {
  if (!brings.has('users')) {
    const owners = firstBy(rows, 'owner');
    const users = owners.map(([id, at]) => ({ id, registered: 0, created_at: at, updated_at: at }));
    await insertNew(tx, 'users', ['id', 'registered', 'created_at', 'updated_at'], ['id'], users);
  }
  if (!brings.has('categories')) {
    const categories = firstBy(rows, 'category_key').map(([key, at]) => ({ key, created_at: at }));
    await insertNew(tx, 'categories', ['key', 'created_at'], ['key'], categories);
  }
}

/** The values of a column, each with the earliest creation of a row that has it. */
function firstBy(rows: readonly Row[], name: string): [string, Instant][] {
  const first = new Map<string, Instant>();
  for (const row of rows) {
    const value = row[name] as string | null;
    const at = row.created_at as Instant;
    if (value !== null && at < (first.get(value) ?? Number.POSITIVE_INFINITY)) first.set(value, at);
  }
  return [...first];
}

interface PostingOf {
  readonly kind: keyof typeof POSTING_KINDS;
  /** The column of the record's key. */
  readonly key: string;
  readonly userOf?: (row: Row) => string | null;
}

/** Enters creations into the ledger, where the bringing-in does not bring it. */
async function post(
  tx: Kysely<Tables>,
  rows: readonly Row[],
  { brings }: ImportContext,
  { kind, key, userOf = ({ owner }) => owner as string | null }: PostingOf,
): Promise<void> {
  if (brings.has('postings')) return;
  const code: PostingKind = POSTING_KINDS[kind];
  const postings = rows.map((row) => ({
    kind: code,
    record_key: row[key]!,
    user_id: userOf(row),
    network: row.ip ? networkOf(row.ip as string) : '',
    at: row.created_at!,
  }));
  await insertNew(tx, 'postings', POSTING_COLUMNS, ['record_key'], postings);
}

const POSTING_COLUMNS = ['kind', 'record_key', 'user_id', 'network', 'at'];

/** Images may have been linked to the key of a record before it was brought. */
async function refreshImages(tx: Kysely<Tables>, rows: readonly Row[]): Promise<void> {
  const any = await tx.selectFrom('images').select('id').limit(1).executeTakeFirst();
  if (any === undefined) return;
  const linked = await selectByKeys(
    tx,
    'images',
    ['link_guid'],
    ['link_guid'],
    rows.map(({ guid }) => ({ link_guid: guid! })),
  );
  for (const guid of new Set(linked.map((row) => row.link_guid as string)))
    await refreshLinkedImages(tx, guid, await holdLinkedImages(tx, guid), 'created');
}

/**
 * Makes images right that came from others meanwhile and are linked to records which were being brought: neither saw the
 * other before its commit.
 */
export async function refreshImagesSince(tx: Kysely<Tables>, began: Instant): Promise<void> {
  const images = await tx
    .selectFrom('images')
    .select('link_guid')
    .distinct()
    .where('updated_at', '>=', began - CLOCK_SLACK_MS)
    .where('link_guid', 'is not', null)
    .execute();
  for (const { link_guid } of images) {
    await refreshLinkedImages(tx, link_guid!, await holdLinkedImages(tx, link_guid!));
  }
}

/** By how much the clocks of nodes may differ; ms. */
const CLOCK_SLACK_MS = 60_000;

async function deriveImages(tx: Kysely<Tables>, rows: readonly Row[]): Promise<void> {
  const linked = await findAllLinked(
    tx,
    column(
      rows.filter(({ link_guid }) => link_guid !== null),
      'link_guid',
    ),
  );
  const files = await selectByKeys(
    tx,
    'image_files',
    ['hash', 'bytes'],
    ['hash'],
    column(rows, 'hash').map((hash) => ({ hash })),
  );
  const bytes = new Map(files.map((file) => [file.hash, file.bytes]));
  for (const row of rows) {
    const record = linked.get(row.link_guid as string) ?? NO_RECORD;
    const own = ownVisibility(row as unknown as { held_at: number | null; removed_at: number | null });
    const category = row.category as string;
    Object.assign(row, {
      bytes: bytes.get(row.hash!) ?? 0,
      linked_category: record.category,
      category_key: optionalCategoryKey(category),
      category_order: sortKeyOf(category),
      visibility: leastVisible(own, record.visibility),
      search_text: searchTextOf({ guid: row.guid as string, category, captions: record.captions }),
    });
  }
}

/** Makes images found and counted. */
async function enterImages(tx: Kysely<Tables>, rows: readonly Row[], context: ImportContext): Promise<void> {
  const made = await selectByKeys(
    tx,
    'images',
    ['id', 'guid'],
    ['guid'],
    rows.map(({ guid }) => ({ guid: guid! })),
  );
  const ids = new Map(made.map(({ guid, id }) => [guid, id as number]));
  for (const row of rows) {
    const id = ids.get(row.guid!)!;
    const counted = { visibility: row.visibility as Visibility, is_icon: row.is_icon as 0 | 1 };
    if (counted.visibility === 0) indexTerms(tx, 'image_search', id, termsOf(row.search_text as string));
    await changeTotals(tx, row.guid as string, listedTotals(counted, undefined));
  }
  await post(tx, rows, context, { kind: 'image', key: 'guid' });
}

/** Adds reviews to what everybody thinks, once for each thing. */
async function tally(tx: Kysely<Tables>, rows: readonly Row[]): Promise<void> {
  const changes = new Map<string, ReturnType<typeof changeBy>>();
  for (const row of rows) {
    if (!isPublic(row as unknown as { held_at: number | null; removed_at: number | null })) continue;
    const { votes, positive, marks, ratings } = changeBy(row as unknown as Parameters<typeof changeBy>[0], undefined);
    const sum = changes.get(row.subject as string);
    changes.set(row.subject as string, {
      votes: votes + (sum?.votes ?? 0),
      positive: positive + (sum?.positive ?? 0),
      marks: marks + (sum?.marks ?? 0),
      ratings: ratings + (sum?.ratings ?? 0),
    });
  }
  for (const [subject, change] of changes) await changeTally(tx, subject, change);
}

/**
 * A request is answered by one live link. An old service may have given it several codes: the first answers from now on,
 * the others only lead to their target.
 */
async function deriveLinks(tx: Kysely<Tables>, rows: readonly Row[]): Promise<void> {
  for (const row of rows) row.request_hash = requestHash(row);
  const taken = await tx
    .selectFrom('links')
    .select('request_hash')
    .where(
      'request_hash',
      'in',
      rows.map(({ request_hash }) => request_hash as Uint8Array),
    )
    .where('disabled_at', 'is', null)
    .execute();
  const live = new Set(taken.map((row) => keyOf(row, ['request_hash'])));
  for (const row of rows) {
    if (row.disabled_at !== null) continue;
    const hash = keyOf(row, ['request_hash']);
    if (live.has(hash)) row.request_hash = digest(`${row.code} ${hash}`);
    live.add(hash);
  }
}

function requestHash({ user_id, target, deadline }: Row): Uint8Array {
  return hashRequest({
    userId: (user_id as string | null) ?? undefined,
    target: target as string,
    deadline: (deadline as number | null) ?? undefined,
  });
}

function digest(text: string): Uint8Array {
  return new Uint8Array(createHash('sha256').update(text).digest());
}
