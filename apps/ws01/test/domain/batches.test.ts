import assert from 'node:assert/strict';
import { it } from 'node:test';
import { purgeBudgets } from '../../src/domain/budgets/spend.ts';
import { purgeMails } from '../../src/domain/mail/purge.ts';
import { EXPIRED_KEPT_MS, purgeCodes } from '../../src/domain/phone/codes.ts';
import { removeInBatches } from '../../src/domain/shared/batches.ts';
import { inBackground } from '../../src/store/in-background.ts';
import type { Store } from '../../src/store/store.ts';
import { forEachEngine } from '../kit/database.ts';

const NOW = 1_790_000_000_000;

/** More than one write removes, of either kind; those with a number below `ENDED` have had their time. */
const ENDED = 1_050;
const ALIVE = 3;

async function fill(store: Store): Promise<void> {
  const numbers = Array.from({ length: ENDED + ALIVE }, (_, number) => number);
  const endOf = (number: number) => (number < ENDED ? NOW : NOW + 1);
  const hash = (number: number) => Buffer.from(String(number).padStart(32, '0'));
  for (let from = 0; from < numbers.length; from += 300) {
    const some = numbers.slice(from, from + 300);
    await store.write(async (tx) => {
      const budgets = some.map((number) => ({
        name: 'b',
        key: `k ${number}`,
        used: 1,
        resets_at: endOf(number),
      }));
      await tx.insertInto('budgets').values(budgets).execute();
      const repeats = some.map((number) => ({
        hash: hash(number),
        mail_id: `m ${number}`,
        until: endOf(number),
      }));
      await tx.insertInto('mail_repeats').values(repeats).execute();
      const codes = some.map((number) => ({
        user_id: `u ${number}`,
        phone: '+12125550100',
        id: `c ${number}`,
        key_id: 1,
        hash: hash(number),
        attempts: 0,
        expires_at: endOf(number) - EXPIRED_KEPT_MS,
      }));
      await tx.insertInto('phone_codes').values(codes).execute();
    });
  }
}

forEachEngine((engine, fresh) => {
  it('what has had its time is removed in portions until all of it is gone, and nothing else', async (t) => {
    const store = await (await fresh(t)).open();
    await fill(store);
    assert.equal(await purgeBudgets(store, NOW), ENDED);
    assert.equal(await purgeCodes(store, NOW), ENDED);
    await purgeMails(store, NOW - 1, NOW);
    for (const table of ['budgets', 'mail_repeats', 'phone_codes'] as const) {
      const left = await store.read((db) => db.selectFrom(table).selectAll().execute());
      assert.equal(left.length, ALIVE, table);
    }
    assert.equal(await purgeBudgets(store, NOW), 0);
  });

  // PostgreSQL works in processes of its own.
  if (engine === 'postgres') return;

  it('a portion that took long for a process that answers calls is followed by a smaller one', async (t) => {
    const store = inBackground(await (await fresh(t)).open(), new AbortController().signal);
    const asked: number[] = [];
    const removeSlowly = async (_: unknown, most: number) => {
      asked.push(most);
      for (const begun = performance.now(); performance.now() - begun < most; );
      return most;
    };
    assert.equal(await removeInBatches(store, removeSlowly, 500, 25), 25);
    assert.deepEqual([asked[0], asked.reduce((sum, most) => sum + most)], [20, 25]);
    assert.ok(asked[1]! <= 2, `${asked}`);
  });
});
