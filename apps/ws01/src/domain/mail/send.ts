import { createHash } from 'node:crypto';
import { DAY_MS, MINUTE_MS } from '@ws01/asmx/time';
import type { Kysely } from 'kysely';
import type { Store } from '../../store/store.ts';
import type { Instant, MailSuppressionsTable, Tables } from '../../store/tables/tables.ts';
import type { Budgets } from '../budgets/budgets.ts';
import type { CallContext, Clock } from '../context.ts';
import { enqueue } from '../outbox/rows.ts';
import { allInOrder } from '../shared/all-in-order.ts';
import { bytesOfTexts } from '../shared/bytes-of-texts.ts';
import { requireSender } from '../users/users.ts';
import { addressKey, mailboxOf } from '../values/email-address.ts';
import { newKey } from '../values/keys.ts';
import { newNoticeKey } from './notices.ts';
import { insertMail, mailOfCall, noteCall, suppressionKeys, suppressionOf } from './rows.ts';
import { fingerprintsOf } from './seen-text.ts';

/** Period in which an equal call returns the same mail (semantics 5.7); ms. */
const REPEAT_MS = 10 * MINUTE_MS;

/** Period in which a mail is retried (semantics 5.7); ms. */
export const GIVE_UP_MS = DAY_MS;

/** Dependencies of the operations on mail. */
export interface MailDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly budgets: Budgets;
  readonly mail: {
    /** Whether a mail server is configured; without one, new mails get the state `kept`. */
    readonly sends: boolean;
    /** The domain of the sender address, which message ids end with. */
    readonly domain: () => string;
    /** Called after the commit that queued a mail. */
    readonly onQueued: () => void;
  };
}

/** A request to send a mail, with parsed parameters. */
export interface MailRequest {
  readonly receiverName: string;
  /** A canonical address. */
  readonly receiverEmail: string;
  readonly subject: string;
  readonly body: string;
}

/** Rolls back the write of a repeated call, which has a mail already and spends no budget. */
class RepeatedCall extends Error {
  readonly mailId: string;

  constructor(mailId: string) {
    super('An equal call was made before.');
    this.mailId = mailId;
  }
}

/**
 * Queues a mail, or finds the one that an equal call queued within the last {@link REPEAT_MS}. One
 * transaction writes the mail, its outbox row, its budgets and the record of the call, whose unique
 * key decides between racing calls. The queries that decide are sent together, in one round trip.
 * @throws {Ws01Error} as {@link requireSender}; `RateLimited`, `MassMailNotAllowed`; then nothing
 *   is queued or spent.
 */
export async function queueMail(
  { store, clock, budgets, mail }: MailDeps,
  request: MailRequest,
  context: CallContext,
): Promise<{ readonly id: string; readonly isNew: boolean }> {
  const { receiverName, receiverEmail, subject, body } = request;
  const { caller } = context;
  const senderId = caller.userId ?? '';
  const now = clock();
  const id = newKey();
  const hash = hashRequest(senderId, request);
  const recipient = addressKey(receiverEmail);
  const mailbox = mailboxOf(receiverEmail);
  const textBytes = bytesOfTexts([receiverName, subject, body]);
  const fingerprints = await fingerprintsOf(request);
  const textBudget = caller.kind === 'user' ? 'recipientsPerBody' : 'recipientsPerBodyOfService';
  try {
    await store.write(queue);
    return { id, isNew: true };
  } catch (error) {
    if (error instanceof RepeatedCall) return { id: error.mailId, isNew: false };
    throw error;
  }

  async function queue(tx: Kysely<Tables>): Promise<void> {
    const [sender, suppression] = await allInOrder([
      requireSender(tx, caller),
      suppressionOf.first(tx, suppressionKeys(recipient)),
      assertFirst(tx, { hash, id, now }),
      budgets.spend(tx, 'mailsPerSender', senderId, now),
      budgets.spend(tx, 'mailsPerRecipient', mailbox, now),
      budgets.spendOnChange(tx, caller, { textBytes }, now),
      budgets.spendOnText(tx, textBudget, { sender: senderId, mailbox, fingerprints }, now),
    ]);
    insertMail.send(tx, {
      id,
      sender: sender.id,
      token_id: context.caller.tokenId ?? null,
      ip: context.address,
      receiver_name: receiverName,
      receiver_email: receiverEmail,
      receiver_key: recipient,
      subject,
      body,
      reply_name: sender.name ?? null,
      reply_to: sender.email ?? null,
      message_id: `<${id}@${mail.domain()}>`,
      created_at: now,
      request_id: context.requestId,
      notice_key: newNoticeKey(),
    });
    await enqueue(tx, {
      id,
      kind: 'mail',
      createdAt: now,
      giveUpAt: now + GIVE_UP_MS,
      ...fate(suppression, mail.sends),
    });
  }
}

/** Records a call by its hash. @throws {RepeatedCall} when an equal one is recorded. */
async function assertFirst(
  tx: Kysely<Tables>,
  { hash, id, now }: { readonly hash: Uint8Array; readonly id: string; readonly now: Instant },
): Promise<void> {
  noteCall.send(tx, { hash, mail_id: id, until: now + REPEAT_MS, now });
  const call = await mailOfCall.first(tx, { hash });
  if (call === undefined) throw new Error('A recorded call cannot be found.');
  if (call.mail_id !== id) throw new RepeatedCall(call.mail_id);
}

/** The first state of a mail. @param sends whether a mail server is configured. */
export function fate(suppression: MailSuppressionsTable | undefined, sends: boolean) {
  if (suppression !== undefined)
    return { state: 'suppressed', reply: suppressionReply(suppression) } as const;
  return { state: sends ? 'queued' : 'kept' } as const;
}

/** The reply in reports for a suppressed address. */
export function suppressionReply({ reason, detail }: MailSuppressionsTable): string {
  return `The address is on the suppression list: ${WHY[reason]}${detail === '' ? '' : `: ${detail}`}`;
}

const WHY: Readonly<Record<MailSuppressionsTable['reason'], string>> = {
  bounce: 'an earlier mail bounced',
  complaint: 'its reader called an earlier mail spam',
  unsubscribed: 'its reader wants no more mail',
  manual: 'an operator put it there',
};

/** Equal requests have equal hashes, and different ones different hashes. */
function hashRequest(
  senderId: string,
  { receiverName, receiverEmail, subject, body }: MailRequest,
): Uint8Array {
  return createHash('sha256')
    .update(JSON.stringify([senderId, receiverName, receiverEmail, subject, body]))
    .digest();
}
