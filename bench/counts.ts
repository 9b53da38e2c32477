import type { CallContext } from '../src/domain/context.ts';
import { countOperations } from '../src/domain/counts.ts';
import type { Engine, Store } from '../src/store/store.ts';
import { explain, recordReads } from '../test/kit/recorded-queries.ts';
import { type BenchDatabase, ENGINES, openBenchDatabase, timed } from './kit/database.ts';

export const summary = 'countUserPosted and countIpPosted over 10^4 to 10^7 rows of the ledger, on both engines';

/** Posts of an ordinary user, and of an ordinary address. */
const ORDINARY = 100;

/** Posts of heavy users; each joins when it is at most a tenth of the ledger. */
const HEAVY = [1_000, 10_000, 100_000, 1_000_000];

const DAYS = 90;
const CALLS = 2_000;
const HEAVY_CALLS = 20;

/** `npm run bench -- counts [rows at most] [engine]` */
export async function run([most = '10000000', only]: readonly string[]): Promise<void> {
  for (const engine of ENGINES.filter((one) => only === undefined || one === only)) {
    const database = await openBenchDatabase(engine);
    try {
      await measureLedger(engine, database, Number(most));
    } finally {
      await database.close();
    }
  }
}

async function measureLedger(engine: Engine, database: BenchDatabase, most: number): Promise<void> {
  const { store, queries } = recordReads(database.store);
  const calls = callsOver(store);
  console.log(`\n${engine}: a call’s time in ms, one after another, median (99th percentile)\n`);
  console.log('| rows | user, 7 days | user, all kinds, 90 days | address, 7 days | address, all kinds, 90 days |');
  console.log('| --- | --- | --- | --- | --- |');
  for (let rows = 0, next = 10_000; next <= most; rows = next, next *= 10) {
    await grow(database, rows, next);
    await database.settle();
    const cells: string[] = [];
    for (const by of ['user', 'address'] as const) {
      const somebody = () => nameOf(by, Math.floor((Math.random() * next) / ORDINARY));
      cells.push(await timed(CALLS, () => calls[by](somebody(), '7', 'article')));
      cells.push(await timed(CALLS, () => calls[by](somebody(), String(DAYS), 'all')));
    }
    console.log(`| ${next.toLocaleString('en')} | ${cells.join(' | ')} |`);
  }
  console.log('\n| posts of a heavy user | all kinds, 90 days | one kind, 7 days |');
  console.log('| --- | --- | --- |');
  for (const posts of HEAVY.filter((count) => count * 10 <= most)) {
    const user = nameOf('user', `heavy-${posts}`);
    const all = await timed(HEAVY_CALLS, () => calls.user(user, String(DAYS), 'all'));
    const few = await timed(HEAVY_CALLS, () => calls.user(user, '7', 'article'));
    console.log(`| ${posts.toLocaleString('en')} | ${all} | ${few} |`);
  }
  console.log('\nThe plans, for an ordinary user and address:');
  for (const level of ['article', 'all']) {
    await calls.user(nameOf('user', 1), String(DAYS), level);
    await calls.address(nameOf('address', 1), String(DAYS), level);
  }
  for (const query of queries.values()) {
    const plan = await database.store.read((db) => explain(db, engine, query));
    console.log(`\n${query.sql}\n    ${plan.join('\n    ')}`);
  }
}

type Poster = 'user' | 'address';

function nameOf(by: Poster, poster: number | string): string {
  const hex = (number: number) => number.toString(16);
  return by === 'user' ? `user-${poster}` : `2001:db8:${hex(Number(poster) >> 16)}:${hex(Number(poster) & 0xffff)}::1`;
}

function callsOver(store: Store): Record<Poster, (who: string, lastFewDays: string, level: string) => unknown> {
  const operations = countOperations({ store, clock: Date.now, timeZone: 'UTC' });
  const context: CallContext = {
    caller: { kind: 'service', tokenId: 'bench', userId: undefined },
    address: '127.0.0.1',
    requestId: 'bench',
  };
  const tokenId = undefined;
  return {
    user: (userId, lastFewDays, level) => operations.countUserPosted({ tokenId, userId, lastFewDays, level }, context),
    address: (IP, lastFewDays, level) => operations.countIpPosted({ tokenId, IP, lastFewDays, level }, context),
  };
}

/** Brings the ledger from some rows to more: new users and addresses with their posts, in the order of time. */
async function grow(database: BenchDatabase, rows: number, next: number): Promise<void> {
  let first = rows;
  for (const posts of HEAVY) {
    if (posts * 10 <= next && posts * 10 > rows) {
      await fill(database, first, posts, { user: `'user-heavy-${posts}'`, network: `'heavy-${posts}'` });
      first += posts;
    }
  }
  const [low, count] = [rows / ORDINARY, (next - rows) / ORDINARY];
  await fill(database, first, next - first, {
    user: `'user-' || (${low} + draw_1 % ${count})`,
    network: `'2001:db8:' || hex_1 || ':' || hex_2 || '::/64'`,
    drawn: `${low} + draw_2 % ${count}`,
  });
}

/**
 * Adds rows to the ledger.
 * @param poster SQL for the columns; `draw_1` is a scattered number, `hex_1` and `hex_2` the halves of `drawn` in hex.
 */
async function fill(
  database: BenchDatabase,
  first: number,
  count: number,
  { user, network, drawn = '0' }: { user: string; network: string; drawn?: string },
): Promise<void> {
  const into = 'insert into postings (kind, record_key, user_id, network, at)';
  const now = Date.now();
  // Scattered and yet the same in every run, whatever order the engine works in.
  const draws = `i, i * 2654435761 % 1000000007 as draw_1, i * 2246822519 % 1000000009 as draw_2,
    i * 3266489917 % ${DAYS * 86_400_000} as age`;
  await database.load({
    sqlite: `${into}
      with recursive numbers(i) as (select ${first} union all select i + 1 from numbers where i < ${first + count - 1}),
      draws as (select ${draws} from numbers),
      posters as (select *, ${drawn} as a from draws),
      halves as (select *, printf('%x', a >> 16) as hex_1, printf('%x', a & 65535) as hex_2 from posters)
      select 1 + i % 4, printf('record-%010d', i), ${user}, ${network}, ${now} - age from halves`,
    postgres: `${into}
      with draws as (select ${draws} from generate_series(${first}::bigint, ${first + count - 1}) as i),
      posters as (select *, ${drawn} as a from draws),
      halves as (select *, to_hex(a >> 16) as hex_1, to_hex(a & 65535) as hex_2 from posters)
      select 1 + i % 4, 'record-' || lpad(i::text, 10, '0'), ${user}, ${network}, ${now} - age from halves`,
  });
}
