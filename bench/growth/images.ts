import { randomUUID } from 'node:crypto';
import sharp from 'sharp';
import type { BenchDatabase } from '../kit/database.ts';
import { ANYBODY } from '../kit/operations.ts';
import { progress } from '../kit/report.ts';
import { type Dialect, insertRows } from '../kit/rows.ts';
import type { Area, Growth } from './area.ts';

/** Images of one category, and with one of the words that few images have. */
const FEW = 100;
const HASH = 'a'.repeat(64);

/** Images with all that lists and searches of them need; 64 belong to each record, half of them to one category. */
export const images: Area = {
  name: 'images',
  most: 10_000_000,
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
          // A few at once: all wait for the row of the one file that they share.
          for (let at = 0; at < calls; at += 10)
            await Promise.all(deleted.slice(at, at + 10).map(upload));
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

/**
 * Adds images as uploads do, past the operations. Every hundredth has the one word, a hundred in
 * all have the others, and all have one.
 */
async function fill(database: BenchDatabase, { from, to }: Growth): Promise<void> {
  const load = (both: string) => database.load({ sqlite: both, postgres: both });
  if (from === 0) {
    await load(
      `insert into image_files values ('${HASH}', 'stored', 'jpeg', 640, 480, 1, 1, 1, null, null)`,
    );
    database.define('image_terms', ftsWords);
    await database.load({ sqlite: 'select 1', postgres: IMAGE_TERMS });
  }
  // Rows of uploads have come between, so the database gives the ids.
  const before = await database.ask('select coalesce(max(id), 0) from images');
  const values = ({ uuid }: Dialect) => {
    const few = `i < ${FEW}`;
    const category = `case when ${few} then 'few' else '分类' || (i % 97) end`;
    const caption = `'图片很多' || case when ${few} then ' 厨房和阳台 碗' else '' end || case when i % 100 = 0 then ' 浴室' else '' end`;
    return {
      guid: uuid('i'),
      hash: `'${HASH}'`,
      bytes: 'i * 7919 % 1000003',
      link_guid: `'link-' || (i / 64)`,
      linked_category: `case when i % 2 = 0 then 'half' end`,
      category,
      category_key: category,
      category_order: `upper(${category})`,
      is_icon: 'case when i % 20 = 0 then 1 else 0 end',
      created_at: '1700000000000 + i',
      updated_at: '1700000000000 + i',
      search_text: `upper(${category} || '\n' || ${uuid('i')}) || '\n' || ${caption}`,
    };
  };
  await insertRows(database, 'images', { from, to }, values, 'number');
  await fillTerms(
    database,
    before,
    to <= KEYED ? 'search_text' : `replace(search_text, upper(guid), '')`,
  );
  await load(`insert into image_totals values (0, ${to}, ${to / 20})
    on conflict (shard) do update set images = excluded.images, icons = excluded.icons`);
}

/** Enters the images with the ids after `before` into the index of terms. @param text SQL of what they are found by. */
async function fillTerms(database: BenchDatabase, before: number, text: string): Promise<void> {
  const last = await database.ask('select max(id) from images');
  const insert = (
    terms: string,
    first: number,
    end: number,
  ) => `insert into image_search (rowid, terms)
    select id, ${terms}(${text}) from images where id between ${first} and ${end}`;
  await database.load({ sqlite: 'select 1', postgres: 'drop index image_search_by_term' });
  for (let first = before + 1; first <= last; first += TERMS_CHUNK) {
    const end = Math.min(first + TERMS_CHUNK - 1, last);
    await database.load({
      sqlite: insert('image_terms', first, end),
      postgres: insert('pg_temp.image_terms', first, end),
    });
    progress(`terms of ${end.toLocaleString('en')} images`);
  }
  await database.load({
    sqlite: 'select 1',
    postgres: `create index image_search_by_term on image_search using gin (terms) with (gin_pending_list_limit = 256)`,
  });
}

/**
 * Up to so many images are found by their keys as well. A key has a hundred terms, caption and
 * category have ten, and no call here looks for a key: a fill of millions does without.
 */
const KEYED = 100_000;

/** Images whose terms are entered at once. */
const TERMS_CHUNK = 250_000;

/** The terms of a text as the index on SQLite has them, some more than once; of characters in Unicode's first plane. */
function ftsWords(text: string): string {
  let words = '';
  for (const word of text.split(/\s/)) {
    for (let at = 0; at < word.length; at++) words += wordsAt(word.slice(at, at + 3));
  }
  return words;
}

/** The terms that begin at a character, of it and the two behind it: some thousands, which come again and again. */
function wordsAt(characters: string): string {
  let words = WORDS.get(characters);
  if (words === undefined) {
    const codes = Array.from(characters, (char) => `z${char.codePointAt(0)!.toString(32)}`);
    words = codes.map((_, last) => `${codes.slice(0, last + 1).join('')} `).join('');
    WORDS.set(characters, words);
  }
  return words;
}

const WORDS = new Map<string, string>();

/**
 * The terms of a text as the index on PostgreSQL has them; sorted, since a table to hash them in
 * would be made each time.
 */
const IMAGE_TERMS = `create function pg_temp.image_terms(given text) returns text[] language plpgsql immutable
  set enable_hashagg = off as $$
  declare
    word text;
    terms text[] = '{}';
  begin
    foreach word in array regexp_split_to_array(given, '\\s') loop
      for size in 1..3 loop
        for at in 1..length(word) - size + 1 loop
          terms = terms || substr(word, at, size);
        end loop;
      end loop;
    end loop;
    return array(select distinct unnest(terms));
  end $$`;
