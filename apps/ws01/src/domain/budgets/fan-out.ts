import { type Kysely, sql } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import { prepare } from '../../store/prepared.ts';
import type { BudgetsTable, Instant, Tables } from '../../store/tables/tables.ts';
import { allInOrder } from '../shared/all-in-order.ts';
import type { Rate } from '../values/rate.ts';
import { rateLimited, windowName } from './rates.ts';
import { moreUses } from './windows.ts';

/**
 * The budgets of one text: beyond them, user tokens get `MassMailNotAllowed`, service tokens
 * `RateLimited`.
 */
export type TextBudgetName = 'recipientsPerBody' | 'recipientsPerBodyOfService';

/** A text that a sender sends to a recipient. */
export interface TextUse {
  readonly sender: string;
  /** The recipient's mailbox without a tag, so that each mailbox counts once. */
  readonly mailbox: string;
  /** One or more fingerprints of the text. */
  readonly fingerprints: readonly string[];
}

/**
 * Counts a recipient of a sender's text (semantics 5.7 limits the mailboxes for one text), in the
 * transaction that queues the mail. A mailbox that has received the text in the present window does
 * not count again. To save round trips, each text is counted first; the count is undone when the
 * recipient turns out to be known.
 * @throws {Ws01Error} `MassMailNotAllowed`, or `RateLimited` for service tokens, when the text has
 *   gone to as many as are allowed; the transaction must then be undone.
 */
export async function spendOnText(
  tx: Kysely<Tables>,
  budget: TextBudgetName,
  rates: readonly Rate[],
  { sender, mailbox, fingerprints }: TextUse,
  now: Instant,
): Promise<void> {
  // The same order in every call prevents deadlocks.
  const keys = fingerprints.map((fingerprint) => `${fingerprint} ${sender}`).sort();
  await allInOrder(
    rates.flatMap((rate) =>
      keys.map(async (key) => {
        const name = windowName(budget, rate);
        const [text, recipient] = await Promise.all([
          countText.first(tx, { name, key, now, resets_at: now + rate.window }),
          noteRecipient.first(tx, { name, key, mailbox: ` ${mailbox}` }),
        ]);
        if (recipient!.used > 1) takeBack.send(tx, { name, key });
        else if (text!.used > rate.limit) throw refusal(budget, rate, text!.resets_at, now);
      }),
    ),
  );
}

function refusal(budget: TextBudgetName, rate: Rate, resetsAt: Instant, now: Instant): Ws01Error {
  if (budget === 'recipientsPerBodyOfService') return rateLimited(budget, rate, resetsAt, now);
  return new Ws01Error(
    'MassMailNotAllowed',
    `The same text has gone to ${rate.limit} recipients in ${rate.window / 1000} seconds; mass mail is not allowed.`,
    { parameter: 'body' },
  );
}

type Window = Pick<BudgetsTable, 'name' | 'key'>;

/**
 * Starts the window of a text, or counts one more in it, even if it is full. Locks the row until
 * the write ends.
 */
const countText = prepare((db, use: Omit<BudgetsTable, 'used'> & { now: Instant }) =>
  db
    .insertInto('budgets')
    .values({ name: use.name, key: use.key, used: 1, resets_at: use.resets_at })
    .onConflict((conflict) => conflict.columns(['name', 'key']).doUpdateSet(moreUses(use.now)))
    .returning(['used', 'resets_at']),
);

/**
 * Adds a recipient to the present window of a text, or counts it again. The key contains the end of
 * the window, so that the next window starts without recipients.
 */
const noteRecipient = prepare((db, { name, key, mailbox }: Window & { mailbox: string }) =>
  db
    .insertInto('budgets')
    .columns(['name', 'key', 'used', 'resets_at'])
    .expression((eb) =>
      eb
        .selectFrom('budgets as text')
        .select((of) => [
          'text.name',
          sql<string>`${of.ref('text.key')} || ' ' || ${of.ref('text.resets_at')} || ${mailbox}`.as(
            'key',
          ),
          of.lit(1).as('used'),
          'text.resets_at',
        ])
        .where('text.name', '=', name)
        .where('text.key', '=', key),
    )
    .onConflict((conflict) =>
      conflict.columns(['name', 'key']).doUpdateSet((eb) => ({ used: eb('budgets.used', '+', 1) })),
    )
    .returning('used'),
);

const takeBack = prepare((db, { name, key }: Window) =>
  db
    .updateTable('budgets')
    .set((eb) => ({ used: eb('used', '-', 1) }))
    .where('name', '=', name)
    .where('key', '=', key),
);
