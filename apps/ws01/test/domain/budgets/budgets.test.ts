import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { it } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@ws01/asmx/time';
import { createBudgets } from '../../../src/domain/budgets/budgets.ts';
import { type BudgetRates, NO_BOUNDS } from '../../../src/domain/budgets/rates.ts';
import { purgeBudgets } from '../../../src/domain/budgets/spend.ts';
import type { CallContext } from '../../../src/domain/context.ts';
import { type FreshDatabase, forBothEngines } from '../../kit/database.ts';
import { Desk, NOW } from '../../kit/desk.ts';
import { refused } from '../../kit/refused.ts';

/** One node's budgets, with a clock to move. */
class Node extends Desk {
  spend(key: string): Promise<void> {
    return this.store.write((tx) => this.budgets.spend(tx, 'mailsPerRecipient', key, this.now));
  }

  send(recipient: string, body = 'Hello', sender = 'ada'): Promise<void> {
    const use = { sender, mailbox: recipient, fingerprints: [body] };
    return this.store.write((tx) =>
      this.budgets.spendOnText(tx, 'recipientsPerBody', use, this.now),
    );
  }
}

async function open(
  test: TestContext,
  fresh: FreshDatabase,
  rates: Partial<BudgetRates>,
): Promise<Node> {
  return new Node(await (await fresh(test)).open(), rates);
}

forBothEngines((_engine, fresh) => {
  const TWO_A_MINUTE = { mailsPerRecipient: [{ limit: 2, window: MINUTE_MS }] };

  it('a budget is used up by its own key, and is whole again when its window has passed', async (t) => {
    const node = await open(t, fresh, TWO_A_MINUTE);
    await node.spend('a');
    node.now += 20_001;
    await node.spend('a');
    const { retryAfter, message } = await refused(node.spend('a'), 'RateLimited');
    assert.equal(retryAfter, 40);
    assert.match(message, /2 in 60 seconds/);
    await node.spend('b');
    node.now = NOW + MINUTE_MS - 1;
    await refused(node.spend('a'), 'RateLimited');
    node.now = NOW + MINUTE_MS;
    await node.spend('a');
  });

  it('a write that fails uses up nothing', async (t) => {
    const node = await open(t, fresh, TWO_A_MINUTE);
    for (let i = 0; i < 5; i++) {
      const failing = node.store.write(async (tx) => {
        await node.budgets.spend(tx, 'mailsPerRecipient', 'a', node.now);
        throw new Error('later');
      });
      await assert.rejects(failing, /later/);
    }
    await node.spend('a');
    await node.spend('a');
  });

  it('of 100 writes at once from two nodes, exactly as many pass as are allowed', async (t) => {
    const database = await fresh(t);
    const rates = { mailsPerRecipient: [{ limit: 7, window: MINUTE_MS }] };
    const nodes = [new Node(await database.open(), rates), new Node(await database.open(), rates)];
    const calls = Array.from({ length: 100 }, (_, i) => nodes[i % 2]!.spend('a'));
    const outcomes = await Promise.allSettled(calls);
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 7);
    const others = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []));
    assert.deepEqual(new Set(others), new Set(['RateLimited']));
  });

  it('two rates of one budget hold at once', async (t) => {
    const node = await open(t, fresh, {
      mailsPerRecipient: [
        { limit: 1, window: 1_000 },
        { limit: 2, window: MINUTE_MS },
      ],
    });
    await node.spend('a');
    assert.equal((await refused(node.spend('a'), 'RateLimited')).retryAfter, 1);
    node.now += 1_000;
    await node.spend('a');
    node.now += 1_000;
    assert.equal((await refused(node.spend('a'), 'RateLimited')).retryAfter, 58);
  });

  it('one text goes to so many recipients of a sender, however often to each', async (t) => {
    const node = await open(t, fresh, { recipientsPerBody: [{ limit: 3, window: MINUTE_MS }] });
    for (const recipient of ['a', 'b', 'a', 'c', 'b', 'a']) await node.send(recipient);
    await refused(node.send('d'), 'MassMailNotAllowed', 'body');
    await node.send('c');
    await node.send('d', 'Hello Dora');
    await node.send('d', 'Hello', 'bob');
    node.now += MINUTE_MS;
    for (const recipient of ['d', 'e', 'f']) await node.send(recipient);
    await refused(node.send('a'), 'MassMailNotAllowed', 'body');
  });

  it('a window that a clock began days ahead is over when the clock is right again', async (t) => {
    const node = await open(t, fresh, TWO_A_MINUTE);
    node.now = NOW + 365 * DAY_MS;
    for (const _ of [1, 2]) await node.spend('a');
    await refused(node.spend('a'), 'RateLimited');
    node.now = NOW;
    for (const _ of [1, 2]) await node.spend('a');
    assert.equal((await refused(node.spend('a'), 'RateLimited')).retryAfter, 60);
    // The clocks of nodes may be a little apart, which ends no window.
    node.now -= 2_000;
    await refused(node.spend('a'), 'RateLimited');
  });

  it('what no window counts any more is removed', async (t) => {
    const node = await open(t, fresh, TWO_A_MINUTE);
    await node.spend('a');
    node.now += MINUTE_MS - 1;
    assert.equal(await purgeBudgets(node.store, node.now), 0);
    node.now += 1;
    assert.equal(await purgeBudgets(node.store, node.now), 1);
  });

  it('nodes tell each other what addresses have used up', async (t) => {
    const database = await fresh(t);
    const [one, other] = [await database.open(), await database.open()];
    const clock = () => NOW;
    const rates = { ...NO_BOUNDS, queriesPerAddress: [{ limit: 10, window: MINUTE_MS }] };
    const context: CallContext = {
      address: '2001:db8::1',
      caller: { kind: 'anonymous', tokenId: undefined, userId: undefined },
      requestId: 'r-1',
    };
    const query = (budgets: ReturnType<typeof createBudgets>) =>
      budgets.charging('queriesPerAddress', context, () => 'done');
    const repeat = (budgets: ReturnType<typeof createBudgets>) =>
      budgets.charging('queriesPerAddress', context, (charge) => charge.refund());
    // Closing tells a last time; so each pair of budgets here is a node between two times of telling.
    const first = createBudgets({ rates, store: one, clock, shareEvery: HOUR_MS });
    for (let i = 0; i < 6; i++) await query(first);
    await repeat(first);
    await first.close();
    const second = createBudgets({ rates, store: other, clock, shareEvery: HOUR_MS });
    for (let i = 0; i < 3; i++) await query(second);
    await second.close();
    const rows = await one.read((db) =>
      db.selectFrom('budgets').select(['key', 'used', 'resets_at']).execute(),
    );
    assert.deepEqual(rows, [{ key: '2001:db8::/64', used: 9, resets_at: NOW + MINUTE_MS }]);
    // Having told, it knows what all have used up.
    await query(second);
    await refused(query(second), 'RateLimited');
  });
});
