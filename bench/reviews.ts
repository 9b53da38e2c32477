import { createBudgets } from '../src/domain/budgets/budgets.ts';
import { NO_BOUNDS } from '../src/domain/budgets/rates.ts';
import type { CallContext } from '../src/domain/context.ts';
import { reviewOperations } from '../src/domain/reviews/operations.ts';
import type { Store } from '../src/store/store.ts';
import { ENGINES, openBenchDatabase, timed } from './kit/database.ts';

export const summary = 'submitReview of something that has 100 to 100,000 reviews, on both engines';

const SIZES = [100, 1_000, 10_000, 100_000];
const CALLS = 200;

/** `npm run bench -- reviews` */
export async function run(): Promise<void> {
  for (const engine of ENGINES) {
    const database = await openBenchDatabase(engine);
    try {
      console.log(`\n${engine}: a call’s time in ms, one after another, median (99th percentile)\n`);
      console.log('| reviews of it | a changed review | the same review again |');
      console.log('| --- | --- | --- |');
      for (const size of SIZES) {
        const columns = 'id, subject, voter, positive, rating, ip, created_at, updated_at';
        const values = `'${size}-' || i, 'subject-${size}', 'user:' || i, i % 2, i % 501, '127.0.0.1', 1700000000000, 1700000000000`;
        await database.load({
          sqlite: `insert into reviews (${columns})
            with recursive numbers(i) as (select 0 union all select i + 1 from numbers where i < ${size - 1}) select ${values} from numbers`,
          postgres: `insert into reviews (${columns}) select ${values} from generate_series(0, ${size - 1}) as i`,
        });
        await database.settle();
        console.log(`| ${size.toLocaleString('en')} | ${(await measure(database.store, size)).join(' | ')} |`);
      }
    } finally {
      await database.close();
    }
  }
}

async function measure(store: Store, size: number): Promise<string[]> {
  const budgets = createBudgets({ rates: NO_BOUNDS, store, clock: Date.now, shareEvery: undefined });
  const operations = reviewOperations({ store, clock: Date.now, budgets });
  const caller = { kind: 'anonymous', tokenId: undefined, userId: undefined } as const;
  const context: CallContext = { caller, address: '127.0.0.1', requestId: 'bench' };
  let turn = 0;
  const review = (vote: number) =>
    operations.submitReview(
      { id: `subject-${size}`, IsPositive: String(vote), Mark: '4', ip: '', userId: '1' },
      context,
    );
  return [await timed(CALLS, () => review(turn++ % 2)), await timed(CALLS, () => review(1))];
}
