import type { Kysely } from 'kysely';
import type { Store } from '../../store/store.ts';
import type { Instant, Tables } from '../../store/tables/tables.ts';
import type { CallContext, Caller, Clock } from '../context.ts';
import { allInOrder } from '../shared/all-in-order.ts';
import { periodically } from '../shared/periodic.ts';
import { AddressBudgets, type Charge } from './address-budgets.ts';
import { spendOnText, type TextBudgetName, type TextUse } from './fan-out.ts';
import type { BudgetName, BudgetRates } from './rates.ts';
import { shareBudgets } from './sharing.ts';
import { spend } from './spend.ts';

/** The budgets of addresses: those of the operations without a credential. */
type AddressBudgetName = Extract<BudgetName, `${string}PerAddress`>;

/**
 * The budgets of users, phone numbers, senders and recipients, which are spent in the transaction
 * of the call.
 */
type PersonBudgetName = Exclude<BudgetName, AddressBudgetName | TextBudgetName>;

interface BudgetDeps {
  readonly rates: BudgetRates;
  readonly store: Store;
  readonly clock: Clock;
  /**
   * Interval for sharing the uses of addresses between nodes; ms. `undefined` when there is only
   * one node.
   */
  readonly shareEvery: number | undefined;
}

/** What a call adds to the service. */
export interface Added {
  /** A new article, advert or image. */
  readonly posts?: 1;
  /** Texts, in UTF-8. */
  readonly textBytes?: number;
  readonly imageBytes?: number;
}

/**
 * What each change takes besides its texts, roughly: its entries in the audit trail, events and
 * counts; bytes.
 */
const ENTRY_BYTES = 1024;

/** Every budget of the service (semantics 4). */
export interface Budgets {
  /**
   * Runs a call of an open operation on the budget of its address. The use is refunded when `work`
   * throws, or calls `refund` because the call was a repeat.
   * @param caller the address that spends the budget, and the bytes of the text that it has stored,
   *   if any.
   * @param repeat finds the answer to a repeated call, which is answered even if the budget is used
   *   up (semantics 1); returns `undefined` for a new call. Must not write.
   * @throws {Ws01Error} `RateLimited`, before `work` begins; and whatever `work` throws.
   */
  charging<T>(
    name: AddressBudgetName,
    caller: Pick<CallContext, 'address'> & Pick<Added, 'textBytes'>,
    work: (charge: Charge) => T | Promise<T>,
    repeat?: () => Promise<T | undefined>,
  ): Promise<T>;

  /**
   * Spends one use, in the transaction of the call.
   * @param key a sender, a number in normal form, a recipient's address.
   * @throws {Ws01Error} `RateLimited`
   */
  spend(tx: Kysely<Tables>, name: PersonBudgetName, key: string, now: Instant): Promise<void>;

  /**
   * Spends what a change adds, in its transaction, if the caller is a user token; the others have
   * no such budgets. Each change also spends some bytes of text for its entries in the audit trail
   * and the events.
   * @throws {Ws01Error} `RateLimited`
   */
  spendOnChange(tx: Kysely<Tables>, caller: Caller, added: Added, now: Instant): Promise<void>;

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
    async charging(name, { address, textBytes = 0 }, work, repeat) {
      let charge: Charge;
      try {
        const call = { name, rates: rates[name], uses: 1 };
        const texts = {
          name: 'textBytesPerAddress',
          rates: rates.textBytesPerAddress,
          uses: textBytes,
        } as const;
        charge = addresses.charge(textBytes === 0 ? [call] : [call, texts], address, clock());
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
    async spendOnChange(tx, { kind, userId }, { posts = 0, textBytes = 0, imageBytes = 0 }, now) {
      if (kind !== 'user' || userId === undefined) return;
      const uses = {
        postsPerUser: posts,
        textBytesPerUser: textBytes + ENTRY_BYTES,
        imageBytesPerUser: imageBytes,
      } as const;
      const names = (Object.keys(uses) as (keyof typeof uses)[]).filter((name) => uses[name] > 0);
      await allInOrder(names.map((name) => spend(tx, name, rates[name], userId, now, uses[name])));
    },
    spendOnText: (tx, name, use, now) => spendOnText(tx, name, rates[name], use, now),
    async close() {
      if (sharing === undefined) return;
      await sharing.stop();
      await share();
    },
  };
}
