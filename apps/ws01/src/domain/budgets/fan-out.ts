import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import { prepare } from '../../store/prepared.ts';
import type { BudgetsTable, Instant, Tables } from '../../store/tables/tables.ts';
import type { Rate } from '../values/rate.ts';
import { windowName } from './rates.ts';
import { presentWindow, takeOne } from './spend.ts';

/** One text on its way from a sender to a recipient. */
export interface BodyUse {
  readonly sender: string;
  readonly recipient: string;
  /** As {@link bodyFingerprint} makes it. */
  readonly fingerprint: string;
}

/**
 * What two bodies have in common that differ in blanks, line breaks and capitals only.
 * @returns 43 characters of base64url.
 */
export function bodyFingerprint(body: string): string {
  const words = body.normalize('NFKC').toLowerCase().split(/\s/u).filter(Boolean);
  return createHash('sha256').update(words.join(' ')).digest('base64url');
}

/**
 * Counts a recipient of a sender's text (semantics 4: one body to at most so many recipients), in the transaction that
 * queues the mail. A recipient who had the text in the present window already is not counted again.
 * @throws {Ws01Error} `MassMailNotAllowed` when the text has gone to as many recipients as are allowed.
 */
export async function spendOnBody(
  tx: Kysely<Tables>,
  rates: readonly Rate[],
  { sender, recipient, fingerprint }: BodyUse,
  now: Instant,
): Promise<void> {
  for (const rate of rates) {
    const name = windowName('recipientsPerBody', rate);
    const key = `${fingerprint} ${sender}`;
    const present = await presentWindow.first(tx, { name, key });
    const live = present !== undefined && present.resets_at > now;
    const resets_at = live ? present.resets_at : now + rate.window;
    // The end of the window stands in the key, so that the next window begins without recipients.
    const isNew = await insertRecipient.run(tx, { name, key: `${key} ${resets_at} ${recipient}`, resets_at });
    if (isNew === 1 && !(await takeOne(tx, name, key, rate, now))) {
      throw new Ws01Error(
        'MassMailNotAllowed',
        `The same text has gone to ${rate.limit} recipients in ${rate.window / 1000} seconds; mass mail is not allowed.`,
        { parameter: 'body' },
      );
    }
  }
}

const insertRecipient = prepare((db, row: Omit<BudgetsTable, 'used'>) =>
  db
    .insertInto('budgets')
    .values({ name: row.name, key: row.key, used: 1, resets_at: row.resets_at })
    .onConflict((conflict) => conflict.columns(['name', 'key']).doNothing()),
);
