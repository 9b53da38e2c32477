import type { Kysely } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import { say } from '../../contract/sentence.ts';
import type { Instant, MailSuppressionsTable, Tables } from '../../store/tables/tables.ts';
import { type Actor, doneBy, recordAudit } from '../audit/audit.ts';
import { addressKey, parseAddress } from '../values/email-address.ts';
import { insertSuppression } from './rows.ts';

/** Longest note, in code points. */
const NOTE_MAX = 200;

/** An address that no mail is sent to, with the reason. */
export type Suppression = MailSuppressionsTable;

/** A change of the suppression list, inside a write. */
interface SuppressionChange {
  /** One e-mail address. */
  readonly address: string;
  /** Who makes the change; `undefined` for an operator on the machine itself. */
  readonly by: Actor | undefined;
  readonly at: Instant;
}

/**
 * Suppresses an address. One that is already suppressed stays unchanged.
 * @param change `note` is the reason; it may be empty.
 * @returns whether that changed anything.
 * @throws {Ws01Error} `InvalidParameter`
 */
export async function suppress(
  tx: Kysely<Tables>,
  { address, note, by, at }: SuppressionChange & { readonly note: string },
): Promise<boolean> {
  const key = readKey(address);
  const detail = note.trim();
  if ([...detail].length > NOTE_MAX || /\p{Cc}/u.test(detail)) {
    throw new Ws01Error(
      'InvalidParameter',
      say`The note must be one line of at most ${{ most: NOTE_MAX }} characters.`,
    );
  }
  const row = { address: key, reason: 'manual', detail, mail_id: null, created_at: at } as const;
  if ((await insertSuppression.run(tx, row)) === 0) return false;
  await auditSuppression(tx, 'add', { address: key, by, at });
  return true;
}

/**
 * Takes an address off the list.
 * @returns whether it was suppressed.
 * @throws {Ws01Error} `InvalidParameter`
 */
export async function unsuppress(
  tx: Kysely<Tables>,
  { address, by, at }: SuppressionChange,
): Promise<boolean> {
  const key = readKey(address);
  const [result] = await tx.deleteFrom('mail_suppressions').where('address', '=', key).execute();
  const removed = Number(result?.numDeletedRows ?? 0) === 1;
  if (removed) await auditSuppression(tx, 'remove', { address: key, by, at });
  return removed;
}

/** Finds an address on the list. @throws {Ws01Error} `InvalidParameter` */
export function findSuppression(
  db: Kysely<Tables>,
  address: string,
): Promise<Suppression | undefined> {
  const listed = db.selectFrom('mail_suppressions').selectAll();
  return listed.where('address', '=', readKey(address)).executeTakeFirst();
}

function readKey(text: string): string {
  const parsed = parseAddress(text);
  if (parsed.kind === 'address') return addressKey(parsed.address);
  const reason =
    parsed.kind === 'invalid' ? parsed.reason : 'It is more than one address; give one.';
  throw new Ws01Error('InvalidParameter', say`That is not an e-mail address. ${{ part: reason }}`);
}

async function auditSuppression(
  tx: Kysely<Tables>,
  verb: 'add' | 'remove',
  { address, by, at }: SuppressionChange,
) {
  await recordAudit(tx, {
    at,
    ...doneBy(by),
    action: `suppression.${verb}`,
    target: { kind: 'address', key: address },
  });
}
