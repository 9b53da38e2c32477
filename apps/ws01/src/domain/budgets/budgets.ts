import type { Kysely } from 'kysely';
import type { Store } from '../../store/store.ts';
import type { Instant, Tables } from '../../store/tables/tables.ts';
import type { CallContext, Clock } from '../context.ts';
import { periodically } from '../shared/periodic.ts';
import { AddressBudgets, type Charge } from './address-budgets.ts';
import { spendOnText, type TextBudgetName, type TextUse } from './fan-out.ts';
import type { BudgetName, BudgetRates } from './rates.ts';
import { shareBudgets } from './sharing.ts';
import { spend } from './spend.ts';

/** The budgets of addresses: those of the operations without a credential. */
type AddressBudgetName = Extract<BudgetName, `${string}PerAddress`>;

/** The budgets of users, phone numbers, senders and recipients, which are spent in the transaction of the call. */
type PersonBudgetName = Exclude<BudgetName, AddressBudgetName | TextBudgetName>;

interface BudgetDeps {
  readonly rates: BudgetRates;
  readonly store: Store;
  readonly clock: Clock;
  /** Interval for sharing the uses of addresses between nodes; ms. `undefined` when there is only one node. */
  readonly shareEvery: number | undefined;
}

/** Every budget of the service (semantics 4). */
export interface Budgets {
  /**
   * Runs a call of an open operation on the budget of its address. The use is refunded when `work` throws, or calls
   * `refund` because the call was a repeat.
   * @param caller the address that spends the budget.
   * @param repeat finds the answer to a repeated call, which is answered even if the budget is used up (semantics 1);
   *   returns `undefined` for a new call. Must not write.
   * @throws {Ws01Error} `RateLimited`, before `work` begins; and whatever `work` throws.
   */
  charging<T>(
    name: AddressBudgetName,
    caller: Pick<CallContext, 'address'>,
    work: (charge: Charge) => T | Promise<T>,
    repeat?: () => Promise<T | undefined>,
  ): Promise<T>;

  /**
   * Spends one use, in the transaction of the call.
   * @param key a user (`postsPerUser`, `mailsPerSender`), a number in normal form, a recipient's address.
   * @throws {Ws01Error} `RateLimited`
   */
  spend(tx: Kysely<Tables>, name: PersonBudgetName, key: string, now: Instant): Promise<void>;

  /**
   * Counts a recipient of a sender's text, in the transaction that queues the mail.
   * @throws {Ws01Error} `MassMailNotAllowed`, or `RateLimited` for service tokens.
   */
  spendOnText(tx: Kysely<Tables>, name: TextBudgetName, use: TextUse, now: Instant): Promise<void>;

  /** Shares the remaining uses with the other nodes, and stops. Rejects when that failed. */
  close(): Promise<void>;
}

export function createBudgets({ rates, store, clock, shareEvery }: BudgetDeps): Budgets {
  const addresses = new AddressBudgets(shareEvery !== undefined);
  const share = () => shareBudgets(store, addresses, clock());
  const sharing = shareEvery === undefined ? undefined : periodically(shareEvery, share);
  return {
    async charging(name, { address }, work, repeat) {
      if (rates[name].length === 0) return work(NO_CHARGE);
      let charge: Charge;
      try {
        charge = addresses.charge(name, rates[name], address, clock());
      } catch (refusal) {
        const answer = await repeat?.().catch(() => undefined);
        if (answer !== undefined) return answer;
        throw refusal;
      }
      try {
        return await work(charge);
      } catch (error) {
        charge.refund();
        throw error;
      }
    },
    spend: (tx, name, key, now) => spend(tx, name, rates[name], key, now),
    spendOnText: (tx, name, use, now) => spendOnText(tx, name, rates[name], use, now),
    async close() {
      if (sharing === undefined) return;
      await sharing.stop();
      await share();
    },
  };
}

const NO_CHARGE: Charge = { refund: () => {} };
