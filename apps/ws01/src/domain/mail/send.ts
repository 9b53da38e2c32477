import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Store } from '../../store/store.ts';
import type { MailSuppressionsTable, Tables } from '../../store/tables/tables.ts';
import type { Budgets } from '../budgets/budgets.ts';
import type { CallContext, Clock } from '../context.ts';
import { enqueue } from '../outbox/rows.ts';
import { allInOrder } from '../shared/all-in-order.ts';
import { requireSender } from '../users/users.ts';
import { mailboxOf } from '../values/email-address.ts';
import { newKey } from '../values/keys.ts';
import { addressKey, insertMail, mailOfCall, noteCall, suppressionOf } from './rows.ts';
import { fingerprintsOf } from './seen-text.ts';

/** The period in which the same call is the same mail (semantics 5.7); ms. */
const REPEAT_MS = 10 * 60_000;

/** For so long a mail is tried (semantics 5.7); ms. */
export const GIVE_UP_MS = 24 * 60 * 60_000;

/** What the operations on mail work with. */
export interface MailDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly budgets: Budgets;
  readonly mail: {
    /** Whether a mail server is configured; without one, mails are kept. */
    readonly sends: boolean;
    /** What message ids end with: the domain that mails are from. */
    readonly domain: () => string;
    /** Told when a mail has been queued, after the commit. */
    readonly onQueued: () => void;
  };
}

/** A mail as a call asks for it, its parameters read. */
export interface MailRequest {
  readonly receiverName: string;
  /** Canonical. */
  readonly receiverEmail: string;
  readonly subject: string;
  readonly body: string;
}

/** Undoes the write of a call that was made before: it has a mail already, and uses up nothing. */
class RepeatedCall extends Error {
  readonly mailId: string;

  constructor(mailId: string) {
    super('The call was made before.');
    this.mailId = mailId;
  }
}

/**
 * Queues a mail, or finds the one that the same call queued within the last {@link REPEAT_MS}. The mail, the work to
 * send it, what it uses up of budgets and the memory of the call are one transaction; racing calls are settled by the
 * memory's key. All that decides is asked at once.
 * @throws {Ws01Error} as {@link requireSender}; `RateLimited`, `MassMailNotAllowed`; nothing is queued or used up then.
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
      suppressionOf.first(tx, { address: recipient }),
      assertFirst(tx),
      budgets.spend(tx, 'mailsPerSender', senderId, now),
      budgets.spend(tx, 'mailsPerRecipient', mailbox, now),
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
    });
    await enqueue(tx, { id, kind: 'mail', createdAt: now, giveUpAt: now + GIVE_UP_MS, ...fate(suppression) });
  }

  /** Remembers the call. @throws {RepeatedCall} when it is remembered already. */
  async function assertFirst(tx: Kysely<Tables>): Promise<void> {
    noteCall.send(tx, { hash, mail_id: id, until: now + REPEAT_MS, now });
    const call = await mailOfCall.first(tx, { hash });
    if (call === undefined) throw new Error('A call that is remembered cannot be found.');
    if (call.mail_id !== id) throw new RepeatedCall(call.mail_id);
  }

  /** What becomes of the mail at first. */
  function fate(suppression: MailSuppressionsTable | undefined) {
    if (suppression !== undefined) return { state: 'suppressed', reply: suppressionReply(suppression) } as const;
    return { state: mail.sends ? 'queued' : 'kept' } as const;
  }
}

/** Why nothing is sent to an address, as reports say it. */
export function suppressionReply({ reason, detail }: MailSuppressionsTable): string {
  const why = reason === 'bounce' ? 'an earlier mail bounced' : 'an operator put it there';
  return `The address is on the suppression list: ${why}${detail === '' ? '' : `: ${detail}`}`;
}

/** Two requests have the same hash exactly when they say the same. */
function hashRequest(senderId: string, { receiverName, receiverEmail, subject, body }: MailRequest): Uint8Array {
  return createHash('sha256')
    .update(JSON.stringify([senderId, receiverName, receiverEmail, subject, body]))
    .digest();
}
