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

/** The budgets of users, numbers, senders and recipients, which are spent in the transaction of the call. */
type PersonBudgetName = Exclude<BudgetName, AddressBudgetName | TextBudgetName>;

interface BudgetDeps {
  readonly rates: BudgetRates;
  readonly store: Store;
  readonly clock: Clock;
  /** How often the nodes tell each other what addresses have used up; ms. `undefined` where there is one node. */
  readonly shareEvery: number | undefined;
}

/** Every budget of the service (semantics 4). */
export interface Budgets {
  /**
   * Runs a call of an open operation on the budget of its address. The use is given back when `work` throws, and when
   * it says by `refund` that the call was a repeat.
   * @param caller the address that uses the budget up.
   * @param repeat where the budget is used up: the answer to a call that was made before, which is given as before
   *   (semantics 1); `undefined` for a new one. Writes nothing.
   * @throws {Ws01Error} `RateLimited`, before `work` begins; and whatever `work` throws.
   */
  charging<T>(
    name: AddressBudgetName,
    caller: Pick<CallContext, 'address'>,
    work: (charge: Charge) => T | Promise<T>,
    repeat?: () => Promise<T | undefined>,
  ): Promise<T>;

  /**
   * Uses up one, in the transaction of what it is used for.
   * @param key a user (`postsPerUser`, `mailsPerSender`), a number in normal form, a recipient's address.
   * @throws {Ws01Error} `RateLimited`
   */
  spend(tx: Kysely<Tables>, name: PersonBudgetName, key: string, now: Instant): Promise<void>;

  /**
   * Counts a recipient of a sender's text, in the transaction that queues the mail.
   * @throws {Ws01Error} `MassMailNotAllowed`, or `RateLimited` for service tokens.
   */
  spendOnText(tx: Kysely<Tables>, name: TextBudgetName, use: TextUse, now: Instant): Promise<void>;

  /** Stops telling the other nodes, after a last time. Rejects when that failed. */
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
