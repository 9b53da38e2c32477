import type { Insertable, Kysely } from 'kysely';
import type { ArticlesTable, PostingsTable, Tables } from '../../src/store/tables/tables.ts';

/** A whole article under a key. */
export function articleRow(guid: string) {
  return {
    guid,
    owner: 'ann',
    caption: `caption of ${guid}`,
    content: `content of ${guid}`,
    category_key: 'housing',
    contact_phone: '',
    pinned_until: null,
    icon_guid: null,
    status: 0,
    from_url: '',
    ip: '192.0.2.1',
    claimed_ip: null,
    created_at: 1_795_219_200_000,
    updated_at: 1_795_219_200_000,
    deleted_at: null,
    revision: 1,
  } satisfies Insertable<ArticlesTable>;
}

/** The posting that belongs to {@link articleRow}. */
export function postingRow(guid: string): Insertable<PostingsTable> {
  return { kind: 1, record_key: guid, user_id: 'ann', network: '192.0.2.1', at: 1_795_219_200_000 };
}

/** Writes that come in two halves: an article, then its posting. */
export async function insertBoth(tx: Kysely<Tables>, guid: string): Promise<void> {
  await tx.insertInto('articles').values(articleRow(guid)).execute();
  await tx.insertInto('postings').values(postingRow(guid)).execute();
}

/** The keys of all articles and of all postings, sorted. */
export async function storedKeys(
  db: Kysely<Tables>,
): Promise<{ articles: string[]; postings: string[] }> {
  const articles = await db.selectFrom('articles').select('guid').orderBy('guid').execute();
  const postings = await db
    .selectFrom('postings')
    .select('record_key')
    .orderBy('record_key')
    .execute();
  return {
    articles: articles.map((row) => row.guid),
    postings: postings.map((row) => row.record_key),
  };
}

/** Adds a category, the smallest of writes. */
export async function insertCategory(tx: Kysely<Tables>, key: string): Promise<void> {
  await tx.insertInto('categories').values({ key, created_at: 1 }).execute();
}

/** The keys of all categories, in the database's order. */
export async function categoryKeys(db: Kysely<Tables>): Promise<string[]> {
  const rows = await db.selectFrom('categories').select('key').orderBy('key').execute();
  return rows.map(({ key }) => key);
}

/** The first revision of an article of {@link articleRow}. */
export function revisionRow(guid: string): Insertable<Tables['article_revisions']> {
  const { caption, content, category_key, contact_phone, pinned_until, ...rest } = articleRow(guid);
  const { icon_guid, status, from_url } = rest;
  const text = { caption, content, category_key, contact_phone, pinned_until };
  const about = { icon_guid, status, from_url };
  const by = { recorded_at: 1, ip: null, token_id: null };
  return { article_guid: guid, revision: 1, ...text, ...about, ...by };
}
