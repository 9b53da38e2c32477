import type { Kysely } from 'kysely';
import { prepare } from '../../store/prepared.ts';
import type { Store } from '../../store/store.ts';
import type { Instant, Tables } from '../../store/tables/tables.ts';
import { auditAct } from '../audit/audit.ts';

/** The operator's switch for all text messages. It is stored, so it applies on every node from the next call on. */
const NAME = 'sms';

/** @returns since when text messages are switched off; `undefined` when they are on. */
export async function smsOffSince(db: Kysely<Tables>): Promise<Instant | undefined> {
  return (await switchOf.first(db, { name: NAME }))?.off_since;
}

/**
 * Switches text messages off or on, for an operator.
 * @returns whether that changed anything.
 */
export function switchSms(store: Store, to: 'on' | 'off', now: Instant): Promise<boolean> {
  return store.write(async (tx) => {
    const changed = await (to === 'off'
      ? switchOff.run(tx, { name: NAME, off_since: now })
      : switchOn.run(tx, { name: NAME }));
    if (changed === 0) return false;
    await auditAct(tx, `sms.${to}`, undefined, now, undefined);
    return true;
  });
}

const switchOf = prepare((db, { name }: { name: string }) =>
  db.selectFrom('switches').select('off_since').where('name', '=', name),
);

const switchOff = prepare((db, row: { name: string; off_since: Instant }) =>
  db
    .insertInto('switches')
    .values({ name: row.name, off_since: row.off_since })
    .onConflict((conflict) => conflict.column('name').doNothing()),
);

const switchOn = prepare((db, { name }: { name: string }) =>
  db.deleteFrom('switches').where('name', '=', name),
);
