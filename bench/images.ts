import { randomUUID } from 'node:crypto';
import { createBudgets } from '../src/domain/budgets/budgets.ts';
import { NO_BOUNDS } from '../src/domain/budgets/rates.ts';
import { type ImageQuery, listImages } from '../src/domain/images/listing/list.ts';
import { searchTextOf, termsOf } from '../src/domain/images/listing/search.ts';
import { pageOf } from '../src/domain/values/paging.ts';
import { searchWords, sortKeyOf } from '../src/domain/values/search-text.ts';
import type { Store } from '../src/store/store.ts';
import { type BenchDatabase, ENGINES, openBenchDatabase, timed } from './kit/database.ts';

export const summary = 'QueryImgData over 10 thousand to 1 million images, on both engines';

const SIZES = [10_000, 100_000, 1_000_000];
/** Images of one category, and with one of the words that few images have. */
const FEW = 100;
const BATCH = 500;
const HASH = 'a'.repeat(64);

const EVERYTHING: ImageQuery = {
  words: [],
  linkGuid: undefined,
  iconsOnly: false,
  category: undefined,
  order: { field: 'created', direction: 'desc' },
  page: pageOf(1, 20),
};

const query = (text: string): Partial<ImageQuery> => ({ words: searchWords(text) });

/** What is measured: what is asked for, and how often. */
const WORK: Readonly<Record<string, (images: number) => Partial<ImageQuery>>> = {
  'first page': () => ({}),
  'largest first': () => ({ order: { field: 'size', direction: 'desc' } }),
  icons: () => ({ iconsOnly: true }),
  'one record’s': (images) => ({ linkGuid: `link-${images >> 6}` }),
  'a category of 100': () => ({ category: 'few' }),
  'two characters, 100 found': () => query('厨房'),
  'five characters, 100 found': () => query('厨房和阳台'),
  'one character, 100 found': () => query('碗'),
  'none found': () => query('balcony'),
  'two characters, 1 % found': () => query('浴室'),
  'one character, all found': () => query('图'),
};

/** `npm run bench -- images [images at most] [engine]` */
export async function run([most = '1000000', only]: readonly string[]): Promise<void> {
  for (const engine of ENGINES.filter((one) => only === undefined || one === only)) {
    const database = await openBenchDatabase(engine);
    try {
      console.log(`\n${engine}: a call’s time in ms, one after another, median (99th percentile)\n`);
      console.log(`| images | ${Object.keys(WORK).join(' | ')} | filled in |`);
      console.log(`| --- ${'| --- '.repeat(Object.keys(WORK).length + 1)}|`);
      let filled = 0;
      for (const images of SIZES.filter((size) => size <= Number(most))) {
        const started = performance.now();
        await fill(database, filled, images);
        filled = images;
        await database.settle();
        const seconds = Math.round((performance.now() - started) / 1000);
        console.log(`| ${images.toLocaleString('en')} | ${await measure(database.store, images)} | ${seconds} s |`);
      }
    } finally {
      await database.close();
    }
  }
}

async function measure(store: Store, images: number): Promise<string> {
  const budgets = createBudgets({ rates: NO_BOUNDS, store, clock: Date.now, shareEvery: undefined });
  const cells: string[] = [];
  for (const [name, work] of Object.entries(WORK)) {
    const asked = { ...EVERYTHING, ...work(images) };
    const many = name.includes('all') || name.includes('%');
    cells.push(await timed(many ? 10 : 200, () => store.read((db) => listImages(db, asked))));
  }
  await budgets.close();
  return cells.join(' | ');
}

/** Adds images as uploads do, past the operations. */
async function fill(database: BenchDatabase, from: number, to: number): Promise<void> {
  const { load } = database;
  if (from === 0) {
    const file = `insert into image_files values ('${HASH}', 'stored', 'jpeg', 640, 480, 1, 1, 1, null)`;
    await load({ sqlite: file, postgres: file });
  }
  await load({ sqlite: 'begin', postgres: 'drop index image_search_by_term' });
  for (let at = from; at < to; at += BATCH) {
    const rows: string[] = [];
    const sqliteTerms: string[] = [];
    const postgresTerms: string[] = [];
    for (let id = at + 1; id <= at + BATCH; id++) {
      const { row, terms } = imageRow(id);
      rows.push(row);
      sqliteTerms.push(`(${id},'${terms.map(sqliteWord).join(' ')}')`);
      postgresTerms.push(`(${id},'{${terms.map((term) => `"${term}"`).join(',')}}')`);
    }
    const images = `insert into images (id, guid, hash, bytes, link_guid, category, category_key, category_order, is_icon,
      created_at, updated_at, search_text) values ${rows.join(',')}`;
    await load({ sqlite: images, postgres: images });
    const search = 'insert into image_search (rowid, terms) values ';
    await load({ sqlite: search + sqliteTerms.join(','), postgres: search + postgresTerms.join(',') });
  }
  await load({
    sqlite: 'commit',
    postgres: `set maintenance_work_mem = '512MB'; create index image_search_by_term on image_search
      using gin (terms) with (gin_pending_list_limit = 256)`,
  });
  const totals = `insert into image_totals values (0, ${to}, ${to / 20})
    on conflict (shard) do update set images = excluded.images, icons = excluded.icons`;
  await load({ sqlite: totals, postgres: totals });
}

/** A term as the index on SQLite has it. */
function sqliteWord(term: string): string {
  return Array.from(term, (char) => `z${char.codePointAt(0)!.toString(32)}`).join('');
}

/** Every hundredth image has the one word, a hundred in all have the others. */
function imageRow(id: number): { readonly row: string; readonly terms: readonly string[] } {
  const few = id <= FEW;
  const guid = randomUUID();
  const category = few ? 'few' : `分类${id % 97}`;
  const captions = [`图片${few ? ' 厨房和阳台 碗' : ''}${id % 100 === 0 ? ' 浴室' : ''}`];
  const text = searchTextOf({ guid, category, captions });
  const values = [
    id,
    `'${guid}'`,
    `'${HASH}'`,
    (id * 7919) % 1_000_003,
    `'link-${id >> 6}'`,
    `'${category}'`,
    `'${category}'`,
    `'${sortKeyOf(category)}'`,
    id % 20 === 0 ? 1 : 0,
    1_700_000_000_000 + id,
    1_700_000_000_000 + id,
    `'${text}'`,
  ];
  return { row: `(${values.join(',')})`, terms: [...termsOf(text)] };
}
