import { type Kysely, sql } from 'kysely';
import {
  changesBefore,
  changesToIndex,
  countChanges,
  fewChanges,
  forgetChanges,
  forgetEarlier,
  type IndexedRecord,
  indexTermsOf,
  mergeWords,
  type NotedChange,
  noteTable,
  READINGS,
  type Readership,
  SEARCHED_TABLES,
  type SearchedTableName,
  spreadNote,
  tablesWaiting,
  unindexRecord,
  valuesOf,
} from '../../store/record-index.ts';
import type { Store } from '../../store/store.ts';
import type { Tables } from '../../store/tables/tables.ts';
import { type Periodic, writesInBackground } from '../shared/periodic.ts';
import { exactTerm, recordTerms } from '../values/record-terms.ts';
import { SEARCHED_RECORDS, searchedText } from './searched.ts';

/** ms. */
const TIMES = { first: 2_000, every: 10_000 };

/**
 * Records and code units of one write, after which others have their turn; a batch takes some 10
 * ms.
 */
const BATCH = 100;
const BATCH_CHARS = 50_000;

/** Work on so many records reports how far it is, and how often. */
const TOLD_FROM = 20_000;
const TOLD_EVERY_MS = 60_000;

interface IndexingDeps {
  readonly store: Store;
  /** Told of long work: how many records were indexed and how many notes of changes are left. */
  readonly onProgress: (indexed: number, left: number) => void;
  /** Told of a failure; the work goes on at the next interval. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Indexes the words of the records that have changed, at intervals. What an upgrade or an import
 * left to do is done in the same way and goes on after a restart: what is left is in the database.
 */
export function startRecordIndexing({ store, onProgress, onFailure }: IndexingDeps): Periodic {
  const work = (background: Store) => indexRecords(background, onProgress);
  return writesInBackground(store, TIMES, work, onFailure);
}

/** With more records that wait, an erasure leaves the rest of its work to the background. */
const WAITED_FOR = 5_000;

/**
 * After an erasure: its records leave the index, and their words the files, at once if not much
 * else waits.
 */
export async function finishErasure(store: Store): Promise<void> {
  const changes = await store.read((db) => fewChanges(db, WAITED_FOR));
  if (changes !== undefined) await indexRecords(store);
}

/**
 * Indexes the words of all records that have changed, in small writes. Several nodes may do it at
 * once; their writes take turns.
 */
export async function indexRecords(
  store: Store,
  onProgress?: IndexingDeps['onProgress'],
): Promise<void> {
  let indexed = 0;
  let told = performance.now();
  await noteTables(store);
  for (;;) {
    const [first] = await store.read((db) => changesBefore(db, 1));
    if (first === undefined) break;
    if (first.table === undefined) {
      await eraseWords(store, first);
      continue;
    }
    if (first.isOfRest) {
      await store.write((tx) => spreadNote(tx, first));
      continue;
    }
    indexed += await store.write(indexBatch);
    if (indexed < TOLD_FROM || performance.now() - told < TOLD_EVERY_MS) continue;
    told = performance.now();
    onProgress?.(indexed, await store.scan(countChanges));
  }
  if (indexed >= TOLD_FROM) onProgress?.(indexed, 0);
}

/**
 * Has tables of which most records wait, as after an import, indexed in the order of their lists.
 */
async function noteTables(store: Store): Promise<void> {
  for (const table of await store.scan(tablesWaiting)) {
    const note = await store.write((tx) => noteTable(tx, table));
    while (await store.write((tx) => forgetEarlier(tx, table, note)));
  }
}

/**
 * Takes the words of erased records out of the files, in small writes; begins again after an
 * interruption. An erasure that comes meanwhile keeps its own note.
 */
async function eraseWords(store: Store, { id }: NotedChange): Promise<void> {
  let isFirst = true;
  while (await store.write((tx) => mergeWords(tx, isFirst))) isFirst = false;
  await store.write(async (tx) => {
    const [first] = await changesToIndex(tx, 1);
    if (first?.id === id && first.table === undefined) forgetChanges(tx, [id]);
  });
}

/** @returns how many records were indexed; none if somebody else was quicker. */
async function indexBatch(tx: Kysely<Tables>): Promise<number> {
  const changes = await changesToIndex(tx, BATCH);
  let chars = 0;
  let records = 0;
  for (const [table, of] of byTable(changes)) {
    if (chars > BATCH_CHARS) break;
    const texts = await textsOf(tx, table, [...of.keys()]);
    const done: NotedChange[] = [];
    const found: IndexedRecord[] = [];
    for (const [key, notes] of of) {
      if (chars > BATCH_CHARS) break;
      const text = texts.get(key);
      if (text === undefined) unindexRecord(tx, { table, key });
      else {
        const { open, private: hidden, exact } = text;
        const terms = { open: recordTerms(open), private: recordTerms(hidden), exact };
        found.push({ key, place: text.place, terms });
        chars += text.open.length + text.private.length;
      }
      done.push(...notes);
      records++;
    }
    if (found.length > 0) await indexTermsOf(tx, table, found);
    forgetChanges(
      tx,
      done.map(({ id }) => id),
    );
  }
  return records;
}

/** Notes by table and key, in their order. */
function byTable(
  changes: readonly NotedChange[],
): Map<SearchedTableName, Map<string, NotedChange[]>> {
  const tables = new Map<SearchedTableName, Map<string, NotedChange[]>>();
  for (const change of changes) {
    // What comes before an erasure is indexed first, and what stands for many records is no record.
    if (change.table === undefined || change.isOfRest) break;
    const keys = tables.get(change.table) ?? new Map<string, NotedChange[]>();
    tables.set(change.table, keys);
    keys.set(change.key, [...(keys.get(change.key) ?? []), change]);
  }
  return tables;
}

/** What the index has of a record. */
interface Texts extends Readonly<Record<Readership, string>>, Pick<IndexedRecord, 'place'> {
  readonly exact: readonly string[];
}

/** What the index is to have of the records that there are, by key. */
async function textsOf(
  db: Kysely<Tables>,
  table: SearchedTableName,
  keys: readonly string[],
): Promise<Map<string, Texts>> {
  const { columns, exact } = SEARCHED_RECORDS.find((record) => record.table === table)!;
  const { key, order } = SEARCHED_TABLES[table];
  const shown = READINGS.map(
    (reading) => sql`${sql.raw(searchedText(columns[reading]) || "''")} as ${sql.ref(reading)}`,
  );
  const values = exact.map(({ value }, at) => sql`, ${value} as ${sql.ref(`exact_${at}`)}`);
  const { rows } = await sql<Texts & Record<string, string | null> & { readonly found: string }>`
    select ${sql.ref(key)} as found, ${sql.ref(order)} as place, ${sql.join(shown)}${sql.join(values, sql``)}
    from ${sql.table(table)} where ${sql.ref(key)} in (${valuesOf(db, keys)})`.execute(db);
  const termsOf = (row: (typeof rows)[number]) =>
    exact.flatMap(({ of }, at) => {
      const value = row[`exact_${at}`]!;
      return value === null ? [] : [exactTerm(of, value)];
    });
  return new Map(rows.map((row) => [row.found, { ...row, exact: termsOf(row) }]));
}
