import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MINUTE_MS } from '@ws01/asmx/time';
import { AddressBudgets } from '../../../src/domain/budgets/address-budgets.ts';

const RATES = [{ limit: 3, window: MINUTE_MS }];
const ADDRESS = '198.51.100.7';

function charge(budgets: AddressBudgets, address = ADDRESS, now = 0) {
  return budgets.charge([{ name: 'queriesPerAddress', rates: RATES, uses: 1 }], address, now);
}

it('an address uses up its own budget, until its window has passed', () => {
  const budgets = new AddressBudgets(false);
  for (let i = 0; i < 3; i++) charge(budgets);
  const refusal = { code: 'RateLimited', retryAfter: 60 };
  assert.throws(() => charge(budgets), refusal);
  assert.throws(() => charge(budgets, ADDRESS, 59_999), { ...refusal, retryAfter: 1 });
  charge(budgets, '198.51.100.8');
  budgets.charge([{ name: 'linksPerAddress', rates: RATES, uses: 1 }], ADDRESS, 0);
  charge(budgets, ADDRESS, 60_000);
});

it('an IPv6 address counts as its /64', () => {
  const budgets = new AddressBudgets(false);
  for (let i = 0; i < 3; i++) charge(budgets, `2001:db8:0:1::${i}`);
  assert.throws(() => charge(budgets, '2001:db8:0:1:ffff::'), { code: 'RateLimited' });
  charge(budgets, '2001:db8:0:2::1');
});

it('what is given back can be used again, and is given back once', () => {
  const budgets = new AddressBudgets(false);
  charge(budgets);
  charge(budgets);
  const last = charge(budgets);
  last.refund();
  last.refund();
  charge(budgets);
  assert.throws(() => charge(budgets), { code: 'RateLimited' });
});

it('a refused call uses up none of its other rates', () => {
  const budgets = new AddressBudgets(false);
  const both = [
    { limit: 2, window: MINUTE_MS },
    { limit: 1, window: 1_000 },
  ];
  const take = (now: number) =>
    budgets.charge([{ name: 'queriesPerAddress', rates: both, uses: 1 }], ADDRESS, now);
  take(0);
  for (let i = 0; i < 9; i++) assert.throws(() => take(0), { code: 'RateLimited', retryAfter: 1 });
  take(1_000);
  assert.throws(() => take(2_000), { code: 'RateLimited', retryAfter: 58 });
});

it('remembers a bounded number of addresses: the quietest is forgotten first', () => {
  const budgets = new AddressBudgets(true);
  const busy = '198.51.100.8';
  for (let i = 0; i < 3; i++) charge(budgets);
  for (let i = 0; i < 3; i++) charge(budgets, busy);
  for (let i = 0; i < 50_000; i++) {
    charge(budgets, `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`);
    if (i % 10_000 === 0) assert.throws(() => charge(budgets, busy), { code: 'RateLimited' });
  }
  charge(budgets);
  assert.ok(budgets.takeUnshared().length <= 50_000);
});
