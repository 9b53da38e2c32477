import type { TestContext } from 'node:test';
import { type Budgets, createBudgets } from '../../src/domain/budgets/budgets.ts';
import { type BudgetRates, NO_BOUNDS } from '../../src/domain/budgets/rates.ts';
import type { CallContext, Caller } from '../../src/domain/context.ts';
import { newKey } from '../../src/domain/values/keys.ts';
import type { Store } from '../../src/store/store.ts';
import type { Instant } from '../../src/store/tables/tables.ts';
import type { FreshDatabase } from './database.ts';

/** Where every test begins. */
export const NOW: Instant = Date.parse('2026-11-21T12:00:00Z');

/** The address that calls come from when a test does not say. */
export const OBSERVED = '198.51.100.7';

/** Callers, named by what they are bound to. */
export const SERVICE: Caller = { kind: 'service', tokenId: 't-service', userId: 'default-sender' };
export const ADMIN: Caller = { kind: 'admin', tokenId: 't-admin', userId: undefined };
export const ADA: Caller = { kind: 'user', tokenId: 't-ada', userId: 'ada' };
export const BOB: Caller = { kind: 'user', tokenId: 't-bob', userId: 'bob' };

/** Who calls an operation without a credential. */
export const ANYBODY: Caller = { kind: 'anonymous', tokenId: undefined, userId: undefined };

/** The context that an operation gets with a call of this caller. */
export function contextOf(caller: Caller, address = OBSERVED): { readonly caller: CallContext } {
  return { caller: { caller, address, requestId: 'r-1' } };
}

/** One node over a store, whose clock the test moves. */
export class Desk {
  readonly store: Store;
  readonly budgets: Budgets;
  now = NOW;
  readonly clock = (): Instant => this.now;

  /** @param rates the budgets that have bounds. */
  constructor(store: Store, rates: Partial<BudgetRates> = {}) {
    this.store = store;
    this.budgets = createBudgets({
      rates: { ...NO_BOUNDS, ...rates },
      store,
      clock: this.clock,
      shareEvery: undefined,
    });
  }

  /** What the operations on records are made of. */
  get parts() {
    return {
      ...{ store: this.store, clock: this.clock, budgets: this.budgets },
      revisionLimits: { perArticle: 2 ** 26, perOwner: 2 ** 30 },
      timeZone: 'UTC',
      reviewsFrom: 'anyone' as const,
      reviewScale: 5,
    };
  }
}

/** Rules as tests: the name says the rule, `key` is a key that nothing else uses. */
export type RulesOf<Of> = Readonly<Record<string, (desk: Of, key: string) => Promise<void>>>;

/** Runs each rule as a test of its own; they share one database, since no two use the same keys. */
export async function checkRulesOf<Of>(
  test: TestContext,
  fresh: FreshDatabase,
  rules: RulesOf<Of>,
  openDesk: (store: Store) => Of,
): Promise<void> {
  const store = await (await fresh(test)).open();
  for (const [name, check] of Object.entries(rules))
    await test.test(name, () => check(openDesk(store), newKey()));
}
