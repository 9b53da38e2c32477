import type { Kysely } from 'kysely';
import type { Store } from '../../store/store.ts';
import type { Instant, Tables } from '../../store/tables/tables.ts';
import { auditAct } from '../audit/audit.ts';
import { offSince, switchTo } from '../shared/switches.ts';

/**
 * The operator's switch for all text messages. It is stored, so it applies on every node from the
 * next call on.
 */
const NAME = 'sms';

/** @returns since when text messages are switched off; `undefined` when they are on. */
export const smsOffSince = (db: Kysely<Tables>): Promise<Instant | undefined> => offSince(db, NAME);

/**
 * Switches text messages off or on, for an operator.
 * @returns whether that changed anything.
 */
export function switchSms(store: Store, to: 'on' | 'off', now: Instant): Promise<boolean> {
  return store.write(async (tx) => {
    const changed = await switchTo(tx, NAME, to, now);
    if (changed) await auditAct(tx, `sms.${to}`, undefined, now, undefined);
    return changed;
  });
}
