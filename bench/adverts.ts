import { advertOperations } from '../src/domain/adverts/operations.ts';
import { createBudgets } from '../src/domain/budgets/budgets.ts';
import { NO_BOUNDS } from '../src/domain/budgets/rates.ts';
import type { CallContext } from '../src/domain/context.ts';
import type { Store } from '../src/store/store.ts';
import { type BenchDatabase, ENGINES, openBenchDatabase, timed } from './kit/database.ts';

export const summary = 'QueryAdvert for publishers of 100 to 100,000 adverts, on both engines';

const PUBLISHERS = [100, 1_000, 10_000, 100_000];

/** About 500 bytes in UTF-8, with nothing that is searched for but once in a hundred adverts. */
const DETAIL = 'Bright and quiet, near the park. 东京站前公寓出租，两室一厅，朝南。'.repeat(7);

const WORK = {
  'first page': {},
  'page in the middle': { middle: true },
  'by title': { orderBy: 'title', sort: 'asc' },
  'two characters, 1 % found': { query: '厨房' },
  'a word, none found': { query: 'balcony' },
  'a character, all found': { query: '京' },
} as const;

/** `npm run bench -- adverts [adverts at most]` */
export async function run([most = '100000']: readonly string[]): Promise<void> {
  const publishers = PUBLISHERS.filter((count) => count <= Number(most));
  for (const engine of ENGINES) {
    const database = await openBenchDatabase(engine);
    try {
      for (const count of publishers) await publish(database, count);
      await database.settle();
      console.log(`\n${engine}: a call’s time in ms, one after another, median (99th percentile)\n`);
      console.log(`| adverts | ${Object.keys(WORK).join(' | ')} |`);
      console.log(`| --- ${'| --- '.repeat(Object.keys(WORK).length)}|`);
      for (const count of publishers)
        console.log(`| ${count.toLocaleString('en')} | ${await measure(database.store, count)} |`);
    } finally {
      await database.close();
    }
  }
}

async function measure(store: Store, count: number): Promise<string> {
  const budgets = createBudgets({ rates: NO_BOUNDS, store, clock: Date.now, shareEvery: undefined });
  const imageUrls = async () => new Map<string, string>();
  const operations = advertOperations({ store, clock: Date.now, budgets, timeZone: 'UTC', imageUrls });
  const caller = { kind: 'anonymous', tokenId: undefined, userId: undefined } as const;
  const context: CallContext = { caller, address: '127.0.0.1', requestId: 'bench' };
  const cells: string[] = [];
  for (const work of Object.values(WORK)) {
    const { middle, ...rest } = { query: '', orderBy: '', sort: '', middle: false, ...work };
    const params = { userId: `publisher-${count}`, pagesize: 20, pageindex: middle ? count / 40 : 1, ...rest };
    cells.push(await timed(count > 10_000 ? 30 : 300, () => operations.QueryAdvert(params, context)));
  }
  return cells.join(' | ');
}

async function publish({ load }: BenchDatabase, count: number): Promise<void> {
  const columns = 'guid, owner, created_at, title, title_key, link_txt, link_url, is_image, ip, detail, search_text';
  // Keys and titles in another order than that of time.
  const scattered = `(i * 7919) % ${count}`;
  const values = `'${count}-' || i, 'publisher-${count}', 1700000000000 + i, 'Flat ' || ${scattered}, 'FLAT ' || ${scattered},
    'more', 'https://example.com/' || i, 0, '127.0.0.1', '${DETAIL}',
    'FLAT ' || i || '\n${DETAIL.toUpperCase()}' || case when i % 100 = 0 then '厨房' else '' end || '\nMORE'`;
  await load({
    sqlite: `insert into adverts (${columns})
      with recursive numbers(i) as (select 0 union all select i + 1 from numbers where i < ${count - 1}) select ${values} from numbers`,
    postgres: `insert into adverts (${columns}) select ${values} from generate_series(0::bigint, ${count - 1}) as i`,
  });
}
