import type { Kysely } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import type { Store } from '../../store/store.ts';
import type { Instant, MailSuppressionsTable, Tables } from '../../store/tables/tables.ts';
import { type Actor, doneBy, recordAudit } from '../audit/audit.ts';
import type { Clock } from '../context.ts';
import { parseAddress } from '../values/email-address.ts';
import { addressKey, insertSuppression, suppressionOf } from './rows.ts';

/** Longest note, in code points. */
const NOTE_MAX = 200;

/** An address that no mail is sent to, with the reason. */
export type Suppression = MailSuppressionsTable;

/**
 * Lists a page of the suppression list, ordered by address.
 * @param after the last address of the page before.
 */
export function listSuppressions(store: Store, most: number, after = ''): Promise<Suppression[]> {
  return store.read((db) =>
    db
      .selectFrom('mail_suppressions')
      .selectAll()
      .where('address', '>', after)
      .orderBy('address')
      .limit(most)
      .execute(),
  );
}

/**
 * Suppresses an address for an operator. An address that is already suppressed stays unchanged.
 * @param note the reason; may be empty.
 * @throws {Ws01Error} `InvalidParameter`
 */
export async function addSuppression(store: Store, address: string, note: string, clock: Clock): Promise<Suppression> {
  return store.write(async (tx) => {
    await suppress(tx, address, note, clock(), undefined);
    return (await suppressionOf.first(tx, { address: readKey(address) }))!;
  });
}

/**
 * As {@link addSuppression}, inside a write.
 * @param by who did it; `undefined` for an operator on the machine itself.
 * @returns whether that changed anything.
 */
export async function suppress(
  tx: Kysely<Tables>,
  address: string,
  note: string,
  at: Instant,
  by: Actor | undefined,
): Promise<boolean> {
  const key = readKey(address);
  const detail = note.trim();
  if ([...detail].length > NOTE_MAX || /\p{Cc}/u.test(detail)) {
    throw new Ws01Error('InvalidParameter', `The note must be one line of at most ${NOTE_MAX} characters.`);
  }
  const row = { address: key, reason: 'manual', detail, mail_id: null, created_at: at } as const;
  if ((await insertSuppression.run(tx, row)) === 0) return false;
  await auditSuppression(tx, 'add', key, at, by);
  return true;
}

/** @returns whether it was suppressed. @throws {Ws01Error} `InvalidParameter` */
export async function removeSuppression(store: Store, address: string, clock: Clock): Promise<boolean> {
  return store.write((tx) => unsuppress(tx, address, clock(), undefined));
}

/**
 * As {@link removeSuppression}, inside a write.
 * @param by who did it; `undefined` for an operator on the machine itself.
 */
export async function unsuppress(
  tx: Kysely<Tables>,
  address: string,
  at: Instant,
  by: Actor | undefined,
): Promise<boolean> {
  const key = readKey(address);
  const [result] = await tx.deleteFrom('mail_suppressions').where('address', '=', key).execute();
  const removed = Number(result?.numDeletedRows ?? 0) === 1;
  if (removed) await auditSuppression(tx, 'remove', key, at, by);
  return removed;
}

function readKey(text: string): string {
  const parsed = parseAddress(text);
  if (parsed.kind === 'address') return addressKey(parsed.address);
  const reason = parsed.kind === 'invalid' ? parsed.reason : 'It is more than one address; give one.';
  throw new Ws01Error('InvalidParameter', `That is not an e-mail address. ${reason}`);
}

async function auditSuppression(
  tx: Kysely<Tables>,
  verb: 'add' | 'remove',
  address: string,
  at: number,
  by: Actor | undefined,
) {
  await recordAudit(tx, {
    at,
    ...doneBy(by),
    action: `suppression.${verb}`,
    target: { kind: 'address', key: address },
  });
}
