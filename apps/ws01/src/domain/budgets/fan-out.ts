import type { Kysely } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import { prepare } from '../../store/prepared.ts';
import type { BudgetsTable, Instant, Tables } from '../../store/tables/tables.ts';
import type { Rate } from '../values/rate.ts';
import { rateLimited, windowName } from './rates.ts';
import { presentWindow, takeOne } from './spend.ts';

/** The budgets of one text: beyond them, user tokens get `MassMailNotAllowed`, service tokens `RateLimited`. */
export type TextBudgetName = 'recipientsPerBody' | 'recipientsPerBodyOfService';

/** One text on its way from a sender to a recipient. */
export interface TextUse {
  readonly sender: string;
  /** Without a tag, so that one mailbox counts once. */
  readonly mailbox: string;
  /** What tells the text, in one way or several. */
  readonly fingerprints: readonly string[];
}

/**
 * Counts a recipient of a sender's text (semantics 5.7: one text to at most so many mailboxes), in the transaction that
 * queues the mail. A mailbox that had the text in the present window already is not counted again.
 * @throws {Ws01Error} `MassMailNotAllowed`, or `RateLimited` for service tokens, when the text has gone to as many as
 *   are allowed.
 */
export async function spendOnText(
  tx: Kysely<Tables>,
  budget: TextBudgetName,
  rates: readonly Rate[],
  { sender, mailbox, fingerprints }: TextUse,
  now: Instant,
): Promise<void> {
  for (const rate of rates) {
    const name = windowName(budget, rate);
    // In one order, so that no two mails wait for each other.
    for (const fingerprint of [...fingerprints].sort()) {
      const key = `${fingerprint} ${sender}`;
      const present = await presentWindow.first(tx, { name, key });
      const live = present !== undefined && present.resets_at > now;
      const resets_at = live ? present.resets_at : now + rate.window;
      // The end of the window is in the key, so that the next window begins without recipients.
      const isNew = await insertRecipient.run(tx, { name, key: `${key} ${resets_at} ${mailbox}`, resets_at });
      if (isNew === 1 && !(await takeOne(tx, name, key, rate, now))) throw refusal(budget, rate, resets_at, now);
    }
  }
}

function refusal(budget: TextBudgetName, rate: Rate, resetsAt: Instant, now: Instant): Ws01Error {
  if (budget === 'recipientsPerBodyOfService') return rateLimited(budget, rate, resetsAt, now);
  return new Ws01Error(
    'MassMailNotAllowed',
    `The same text has gone to ${rate.limit} recipients in ${rate.window / 1000} seconds; mass mail is not allowed.`,
    { parameter: 'body' },
  );
}

const insertRecipient = prepare((db, row: Omit<BudgetsTable, 'used'>) =>
  db
    .insertInto('budgets')
    .values({ name: row.name, key: row.key, used: 1, resets_at: row.resets_at })
    .onConflict((conflict) => conflict.columns(['name', 'key']).doNothing()),
);
