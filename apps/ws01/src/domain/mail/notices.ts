import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { MailNotice } from '../../adapters/mail/notices/notice.ts';
import { Ws01Error } from '../../contract/errors.ts';
import { lockRows } from '../../store/row-lock.ts';
import type { Store } from '../../store/store.ts';
import type {
  Instant,
  MailSuppressionsTable,
  MailsTable,
  Tables,
} from '../../store/tables/tables.ts';
import { recordStateEvent } from '../outbox/rows.ts';
import { shorten } from '../outbox/schedule.ts';
import { addressKey } from '../values/email-address.ts';
import { insertSuppression, mailById } from './rows.ts';

/** Of the mails to an address, so many are looked at for the one that a relay reports. */
const LATEST = 20;

const REASONS = {
  bounce: 'bounce',
  complaint: 'complaint',
  unsubscribe: 'unsubscribed',
} as const satisfies Record<MailNotice['kind'], MailSuppressionsTable['reason']>;

/** A new secret of a mail: 128 bits, base64url. */
export function newNoticeKey(): string {
  return randomBytes(16).toString('base64url');
}

/**
 * What a mail carries, so that a report of it is known and believed; `undefined` for one without a
 * secret.
 */
export function referenceOf({
  id,
  notice_key,
}: Pick<MailsTable, 'id' | 'notice_key'>): string | undefined {
  return notice_key === null ? undefined : `${id}.${notice_key}`;
}

/** The mail of a reference; `undefined` where the secret is not its own. */
async function mailOfReference(
  db: Kysely<Tables>,
  reference: string,
): Promise<MailsTable | undefined> {
  const id = reference.slice(0, reference.indexOf('.'));
  const mail = await mailById.first(db, { id });
  const own = mail && referenceOf(mail);
  return own !== undefined && isSame(own, reference) ? mail : undefined;
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/**
 * Records a notice about a mail that had been accepted (semantics 5.7). A bounce goes to the mail's
 * report, with the server's words. An address that must get no further mail goes to the suppression
 * list. The same notice again changes nothing.
 * @param source `mailbox`: anybody can write to it, so only a reference is believed, and only of
 *   its own recipient; `relay`: it has shown its secret, so what it says of an address counts.
 * @returns whether it was about a mail or an address of this service.
 */
export async function recordNotice(
  store: Store,
  notice: MailNotice,
  source: 'mailbox' | 'relay',
  now: Instant,
): Promise<boolean> {
  return store.write(async (tx) => {
    const isRelay = source === 'relay';
    const ofRelay = isRelay ? () => mailOfRelay(tx, notice) : () => undefined;
    const { reference } = notice;
    const mail = await (reference === undefined ? ofRelay() : mailOfReference(tx, reference));
    const told = isRelay ? notice.address : undefined;
    const address = mail?.receiver_key ?? (told && addressKey(told));
    if (!address) return false;
    if (mail !== undefined) await tellOfMail(tx, mail.id, notice, now);
    if (notice.isForGood) {
      await insertSuppression.run(tx, {
        address,
        reason: REASONS[notice.kind],
        detail: shorten(notice.detail),
        mail_id: mail?.id ?? null,
        created_at: now,
      });
    }
    return true;
  });
}

/**
 * The mail that a relay means: by its Message-ID, by the relay's id in its reply, or else the last
 * to the address.
 */
async function mailOfRelay(
  tx: Kysely<Tables>,
  { address, messageId, relayId }: MailNotice,
): Promise<MailsTable | undefined> {
  if (!address) return undefined;
  const rows = await tx
    .selectFrom('mails')
    .innerJoin('outbox', 'outbox.id', 'mails.id')
    .selectAll('mails')
    .select('outbox.last_reply')
    .where('mails.receiver_key', '=', addressKey(address))
    .where('outbox.state', 'in', ['sent', 'bounced'])
    .orderBy('mails.id', 'desc')
    .limit(LATEST)
    .execute();
  return (
    rows.find(({ message_id }) => message_id === messageId) ??
    rows.find(({ last_reply }) => relayId && last_reply?.includes(relayId)) ??
    rows[0]
  );
}

async function tellOfMail(
  tx: Kysely<Tables>,
  id: string,
  { kind, detail }: MailNotice,
  now: Instant,
): Promise<void> {
  const row = await tx
    .selectFrom('outbox')
    .select('state')
    .where('id', '=', id)
    .where('kind', '=', 'mail')
    .$call(lockRows(tx))
    .executeTakeFirst();
  // For one that is on its way again the next reply counts.
  if (row?.state !== 'sent') return;
  const last_reply = shorten(kind === 'unsubscribe' ? 'Its reader wants no more mail.' : detail);
  const change =
    kind === 'bounce'
      ? { state: 'bounced' as const, last_reply, finished_at: now }
      : { last_reply };
  await tx.updateTable('outbox').set(change).where('id', '=', id).execute();
  if (kind === 'bounce') await recordStateEvent(tx, 'mail', id, 'bounced', now);
}

/**
 * Puts the recipient of a mail on the suppression list, because its reader asked for it (RFC 8058).
 * @throws {Ws01Error} `NotFound` for a reference that is not one.
 */
export async function unsubscribe(store: Store, reference: string, now: Instant): Promise<void> {
  const notice = { kind: 'unsubscribe', isForGood: true, reference, detail: '' } as const;
  if (!(await recordNotice(store, notice, 'mailbox', now)))
    throw new Ws01Error('NotFound', 'There is no such mail, or it was deleted.');
}
