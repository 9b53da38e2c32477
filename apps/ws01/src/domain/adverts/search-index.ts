import { HOUR_MS } from '@ws01/asmx/time';
import { type Kysely, sql } from 'kysely';
import { lockName, lockRows } from '../../store/row-lock.ts';
import type { Store } from '../../store/store.ts';
import type { AdvertsTable, Tables } from '../../store/tables/tables.ts';
import { countsByIndex, indexTerms, removeTerms, type Term } from '../../store/text-index.ts';
import { type Periodic, writesInBackground } from '../shared/periodic.ts';
import { refold } from '../shared/refolding.ts';
import { termsOf, termsOfWords, wholeTermsOf, wholeWordsOf } from '../shared/search-terms.ts';
import { deleteAdvertRow, PUBLIC, setSearchId, setSearchText } from './rows.ts';

/**
 * The index by which adverts of publishers with many are searched. Adverts enter it in the
 * background, so publishing one costs nothing more; a search reads the texts of the others.
 */
const INDEX = 'advert_search';

/**
 * A publisher with so many adverts outside of the index gets them indexed; reading their texts
 * takes 30 ms.
 */
const MANY = 5_000;

/**
 * Adverts and code points of one write, after which others have their turn; a batch takes some 10
 * ms.
 */
const BATCH = 20;
const BATCH_CHARS = 10_000;

/** Ids of the index that one write looks at for words that are nobody's; takes some ms. */
const LOOKED_AT = 1_000;

/** ms. */
const TIMES = { first: 30_000, every: HOUR_MS };

interface IndexingDeps {
  readonly store: Store;
  /** Told of each publisher whose adverts were indexed, and how many. */
  readonly onIndexed: (owner: string, adverts: number) => void;
  /** Told of a failure; the work goes on at the next interval. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Indexes adverts of publishers with many, at intervals; the first time it removes words that are
 * nobody's.
 */
export function startAdvertIndexing({ store, onIndexed, onFailure }: IndexingDeps): Periodic {
  let isClean = false;
  const work = async (background: Store) => {
    if (!isClean) await removeOrphanedWords(background);
    isClean = true;
    await indexAdverts(background, { onIndexed });
  };
  return writesInBackground(store, TIMES, work, onFailure);
}

interface IndexingOptions extends Partial<Pick<IndexingDeps, 'onIndexed'>> {
  /** See {@link MANY}. */
  readonly many?: number;
}

/**
 * Removes the words of adverts that are gone, in small writes. On PostgreSQL release 0.2.0 left
 * them when an advert was erased or purged while another node indexed it. It may be running beside
 * this release, so each start looks for them. SQLite runs writes one after another, which left
 * none.
 */
async function removeOrphanedWords(store: Store): Promise<void> {
  if (store.engine !== 'postgres') return;
  const index = sql.table(INDEX);
  const { rows } = await store.read((db) =>
    sql<{ last: number | null }>`select max(rowid) as last from ${index}`.execute(db),
  );
  const last = Number(rows[0]!.last);
  for (let after = 0; after < last; after += LOOKED_AT) {
    const upTo = after + LOOKED_AT;
    await store.write(async (tx) => {
      // An id may be given again, with new words, by a write that is not committed.
      lockName(tx, INDEX);
      const used = sql`select search_id from adverts where search_id > ${after} and search_id <= ${upTo}`;
      await sql`delete from ${index} where rowid > ${after} and rowid <= ${upTo} and rowid not in (${used})`.execute(
        tx,
      );
    });
  }
}

/**
 * Indexes the adverts of all publishers with many, in small writes. Several nodes may do it at
 * once.
 */
export async function indexAdverts(
  store: Store,
  { onIndexed, many = MANY }: IndexingOptions,
): Promise<void> {
  for (const owner of await store.scan((db) => publishersOf(db, many))) {
    let adverts = 0;
    for (;;) {
      const indexed = await store.write((tx) => indexBatch(tx, owner));
      if (indexed === 0) break;
      adverts += indexed;
    }
    onIndexed?.(owner, adverts);
  }
}

/** The publishers with many public adverts outside of the index; by an index alone. */
async function publishersOf(db: Kysely<Tables>, many: number): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('adverts')
    .select('owner')
    .where('owner', 'is not', null)
    .where('search_id', 'is', null)
    .where(PUBLIC)
    .groupBy('owner')
    .having((eb) => eb(eb.fn.countAll(), '>=', many))
    .execute();
  return rows.map(({ owner }) => owner!);
}

/** @returns how many adverts were indexed. */
async function indexBatch(tx: Kysely<Tables>, owner: string): Promise<number> {
  lockName(tx, INDEX);
  const adverts = await tx
    .selectFrom('adverts')
    .select(['guid', 'search_text'])
    .where('owner', '=', owner)
    .where('search_id', 'is', null)
    .where(PUBLIC)
    .limit(BATCH)
    .$call(lockRows(tx))
    .execute();
  const { last } = await tx
    .selectFrom('adverts')
    .select((eb) => eb.fn.max('search_id').as('last'))
    .where('search_id', 'is not', null)
    .executeTakeFirstOrThrow();
  let id = last ?? 0;
  let indexed = 0;
  for (let chars = 0; indexed < adverts.length && chars < BATCH_CHARS; indexed++) {
    const { guid, search_text } = adverts[indexed]!;
    id += 1;
    await setSearchId.run(tx, { guid, search_id: id });
    indexAdvert(tx, id, owner, search_text);
    chars += search_text.length;
  }
  return indexed;
}

function indexAdvert(tx: Kysely<Tables>, id: number, owner: string, searchText: string): void {
  const words = countsByIndex(tx) ? wholeWordsOf(searchText) : [];
  indexTerms(tx, INDEX, id, [ownerTerm(owner), ...termsOf(searchText), ...words]);
}

/** Folds the texts of all adverts again, and those in the index. */
export function refoldAdverts(store: Store): Promise<void> {
  return refold<Pick<AdvertsTable, 'guid' | 'owner' | 'search_text' | 'search_id'>>(store, {
    page: (db, after, limit) =>
      db
        .selectFrom('adverts')
        .select(['guid', 'owner', 'search_text', 'search_id'])
        .$if(after !== undefined, (query) => query.where('guid', '>', after!.guid))
        .orderBy('guid')
        .limit(limit)
        .execute(),
    write: async (tx, { guid, search_text: before }, search_text) => {
      const changed = await setSearchText.first(tx, { guid, before, search_text });
      if (changed?.search_id != null)
        indexAdvert(tx, changed.search_id, changed.owner!, search_text);
    },
  });
}

/**
 * Deletes an advert and its words. The row comes first: its deletion waits for a write that is
 * indexing it, and then knows of the terms.
 */
export async function deleteAdvert(tx: Kysely<Tables>, guid: string): Promise<void> {
  const deleted = await deleteAdvertRow.first(tx, { guid });
  if (deleted !== undefined && deleted.search_id !== null)
    removeTerms(tx, INDEX, deleted.search_id);
}

/** Takes the words of an advert out; the indexing finds its new ones. */
export async function unindexAdvert(tx: Kysely<Tables>, guid: string): Promise<void> {
  const advert = await tx
    .selectFrom('adverts')
    .select('search_id')
    .where('guid', '=', guid)
    .executeTakeFirst();
  if (advert?.search_id == null) return;
  removeTerms(tx, INDEX, advert.search_id);
  await setSearchId.run(tx, { guid, search_id: null });
}

/** The terms that all indexed adverts of a publisher with these folded words have. */
export function advertTerms(owner: string, words: readonly string[]): readonly Term[] {
  return [ownerTerm(owner), ...termsOfWords(words)];
}

/**
 * Terms that show that an advert of a publisher has all of these folded words; `undefined` if one
 * is no term.
 */
export function wholeAdvertTerms(
  owner: string,
  words: readonly string[],
): readonly Term[] | undefined {
  const terms = wholeTermsOf(words);
  return terms && [ownerTerm(owner), ...terms];
}

/** The term of a publisher. A line break is in no term of a text. */
function ownerTerm(owner: string): Term {
  return `\n${owner}`;
}
