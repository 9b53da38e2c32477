import { randomUUID } from 'node:crypto';
import sharp from 'sharp';
import { searchTextOf, termsOf } from '../../src/domain/images/listing/search.ts';
import { sortKeyOf } from '../../src/domain/values/search-text.ts';
import type { BenchDatabase } from '../kit/database.ts';
import { ANYBODY } from '../kit/operations.ts';
import type { Area, Growth } from './area.ts';

/** Images of one category, and with one of the words that few images have. */
const FEW = 100;
const BATCH = 500;
const HASH = 'a'.repeat(64);

/** Images with all that lists and searches of them need; 64 belong to each record, half of them to one category. */
export const images: Area = {
  name: 'images',
  most: 1_000_000,
  fill,

  workloads({ call, receive }, rows) {
    const list = (name: string, given: object) => ({
      name: `QueryImgData, ${name}`,
      call: () => call('QueryImgData', given, ANYBODY),
    });
    let file: Awaited<ReturnType<typeof receive>>;
    const deleted: string[] = [];
    const upload = (FileGuid: string) =>
      call('InsertArticleImageFile', {
        FileGuid,
        FileImg: file,
        category: '分类7',
        Link_Guid: `link-${Math.floor(Math.random() * rows) >> 6}`,
      });
    return [
      {
        name: 'InsertArticleImageFile, known bytes',
        prepare: async () => {
          const create = { width: 64, height: 64, channels: 3 as const, background: '#e00000' };
          file = await receive(await sharp({ create }).jpeg().toBuffer());
        },
        call: () => upload(randomUUID()),
      },
      {
        name: 'DeleImgById',
        prepare: async (calls) => {
          for (let count = 0; count < calls; count++) deleted.push(randomUUID());
          await Promise.all(deleted.map(upload));
        },
        call: (turn) => call('DeleImgById', { FileGuid: deleted[turn]! }),
      },
      list('first page', {}),
      list('page in the middle', { pageindex: String(rows / 40) }),
      list('largest first', { orderBy: 'size' }),
      list('icons', { ImgIcon: true }),
      list('one record’s', { linkGuid: `link-${rows >> 7}` }),
      list('one record’s, a search', { linkGuid: `link-${rows >> 7}`, query: '图' }),
      list('a category of 100', { nodeId: 'few' }),
      list('a category of half of all', { nodeId: 'half' }),
      list('a category of half of all, largest first', { nodeId: 'half', orderBy: 'size' }),
      list('a category of half of all, a search', { nodeId: 'half', query: '图' }),
      list('two characters, 100 found', { query: '厨房' }),
      list('five characters, 100 found', { query: '厨房和阳台' }),
      list('none found', { query: 'balcony' }),
      list('two characters, 1 % found', { query: '浴室' }),
      list('one character, all found', { query: '图' }),
      list('four characters, all found', { query: '图片很多' }),
      list('icons, one character, all found', { query: '图', ImgIcon: true }),
    ];
  },
};

/** Adds images as uploads do, past the operations. */
async function fill(database: BenchDatabase, { from, to }: Growth): Promise<void> {
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
      sqliteTerms.push(`(last_insert_rowid() - ${at + BATCH - id},'${terms.map(sqliteWord).join(' ')}')`);
      postgresTerms.push(`'{${terms.map((term) => `"${term}"`).join(',')}}'`);
    }
    // Rows of uploads have come between, so the database gives the ids.
    const columns = `guid, hash, bytes, link_guid, linked_category, category, category_key, category_order, is_icon,
      created_at, updated_at, search_text`;
    await load({
      sqlite: `insert into images (${columns}) values ${rows.join(',')}`,
      postgres: `with added as (insert into images (${columns}) values ${rows.join(',')} returning id),
        numbered as (select id, row_number() over (order by id) as number from added)
        insert into image_search (rowid, terms)
        select id, terms::text[] from numbered
        join unnest(array[${postgresTerms.join(',')}]) with ordinality as given(terms, number) using (number)`,
    });
    await load({
      sqlite: `insert into image_search (rowid, terms) values ${sqliteTerms.join(',')}`,
      postgres: 'select 1',
    });
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

/** Every hundredth image has the one word, a hundred in all have the others, and all have one. */
function imageRow(id: number): { readonly row: string; readonly terms: readonly string[] } {
  const few = id <= FEW;
  const guid = randomUUID();
  const category = few ? 'few' : `分类${id % 97}`;
  const captions = [`图片很多${few ? ' 厨房和阳台 碗' : ''}${id % 100 === 0 ? ' 浴室' : ''}`];
  const text = searchTextOf({ guid, category, captions });
  const values = [
    `'${guid}'`,
    `'${HASH}'`,
    (id * 7919) % 1_000_003,
    `'link-${id >> 6}'`,
    id % 2 === 0 ? `'half'` : 'null',
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
