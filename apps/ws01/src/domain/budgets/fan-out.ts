import { type Kysely, sql } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import { prepare } from '../../store/prepared.ts';
import type { BudgetsTable, Instant, Tables } from '../../store/tables/tables.ts';
import { allInOrder } from '../shared/all-in-order.ts';
import type { Rate } from '../values/rate.ts';
import { rateLimited, windowName } from './rates.ts';

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
 * queues the mail. A mailbox that had the text in the present window already is not counted again. All is asked at once:
 * each text is counted first, and taken back when its recipient turns out to be known.
 * @throws {Ws01Error} `MassMailNotAllowed`, or `RateLimited` for service tokens, when the text has gone to as many as
 *   are allowed; the transaction must then be undone.
 */
export async function spendOnText(
  tx: Kysely<Tables>,
  budget: TextBudgetName,
  rates: readonly Rate[],
  { sender, mailbox, fingerprints }: TextUse,
  now: Instant,
): Promise<void> {
  // In one order, so that no two mails wait for each other.
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

/** Begins the window of a text or counts one more in it, full or not. The row is held until the write ends. */
const countText = prepare((db, use: Omit<BudgetsTable, 'used'> & { now: Instant }) =>
  db
    .insertInto('budgets')
    .values({ name: use.name, key: use.key, used: 1, resets_at: use.resets_at })
    .onConflict((conflict) =>
      conflict.columns(['name', 'key']).doUpdateSet((eb) => ({
        used: eb
          .case()
          .when('budgets.resets_at', '<=', use.now)
          .then(1)
          .else(eb('budgets.used', '+', 1))
          .end(),
        resets_at: eb
          .case()
          .when('budgets.resets_at', '<=', use.now)
          .then(eb.ref('excluded.resets_at'))
          .else(eb.ref('budgets.resets_at'))
          .end(),
      })),
    )
    .returning(['used', 'resets_at']),
);

/**
 * Enters a recipient of a text, whose window has begun, or counts that it comes again. The end of the window stands in
 * the key, so that the next window begins without recipients.
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
          sql<string>`${of.ref('text.key')} || ' ' || ${of.ref('text.resets_at')} || ${mailbox}`.as('key'),
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
