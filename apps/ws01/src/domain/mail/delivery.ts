import { HOUR_MS } from '@ws01/asmx/time';
import type { Mailbox, MailTransport, OutgoingMail } from '../../adapters/mail/transport.ts';
import { isFailureOf } from '../../failure/dependency-error.ts';
import type { Store } from '../../store/store.ts';
import type { MailsTable } from '../../store/tables/tables.ts';
import type { Clock } from '../context.ts';
import {
  type AttemptOutcome,
  type Delivery,
  type OutboxMessage,
  outcomeOf,
} from '../outbox/delivery.ts';
import { referenceOf } from './notices.ts';
import { insertSuppression, mailById, suppressionKeys, suppressionOf } from './rows.ts';
import { suppressionReply } from './send.ts';

interface MailDeliveryDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly transport: MailTransport;
  /** The sender address of all mails. */
  readonly from: () => Mailbox;
  /**
   * Returns the address at which the reader of a mail unsubscribes; absent or `undefined`: mails
   * have none.
   */
  readonly unsubscribeAt?: ((mail: MailsTable) => string | undefined) | undefined;
}

/** Delivers mails from the outbox to the mail server. */
export class MailDelivery implements Delivery {
  readonly kind = 'mail';
  readonly slots: number;
  /**
   * Backoff: the first retry after at most 10 s, polling included (semantics 5.7); then doubling up
   * to an hour; ms.
   */
  readonly waits = { first: 8_000, longest: HOUR_MS };
  readonly #deps: MailDeliveryDeps;

  constructor(deps: MailDeliveryDeps) {
    this.#deps = deps;
    this.slots = deps.transport.connections;
  }

  async deliver(
    { id }: OutboxMessage,
    signal: AbortSignal,
    isHeld: () => boolean,
  ): Promise<AttemptOutcome> {
    const { store, clock, transport, from, unsubscribeAt } = this.#deps;
    const mail = await store.read((db) => mailById.first(db, { id }));
    if (mail === undefined) return { kind: 'failed', reply: 'The mail is not there any more.' };
    const suppression = await store.read((db) =>
      suppressionOf.first(db, suppressionKeys(mail.receiver_key)),
    );
    if (suppression !== undefined)
      return { kind: 'suppressed', reply: suppressionReply(suppression) };
    try {
      const message = outgoing(mail, from(), unsubscribeAt);
      return { kind: 'sent', reply: await transport.send(message, signal, isHeld) };
    } catch (error) {
      const outcome = outcomeOf(error);
      if (!isFailureOf('mail', error, 'refused') || error.reason !== 'recipient') return outcome;
      const { receiver_key: address } = mail;
      const row = {
        address,
        reason: 'bounce',
        detail: error.message,
        mail_id: id,
        created_at: clock(),
      } as const;
      return {
        kind: 'bounced',
        reply: error.message,
        also: async (tx) => void (await insertSuppression.run(tx, row)),
      };
    }
  }

  close(): Promise<void> {
    return this.#deps.transport.close();
  }
}

function outgoing(
  mail: MailsTable,
  from: Mailbox,
  unsubscribeAt: MailDeliveryDeps['unsubscribeAt'],
): OutgoingMail {
  return {
    messageId: mail.message_id,
    date: mail.created_at,
    from,
    to: { name: mail.receiver_name, address: mail.receiver_email },
    replyTo:
      mail.reply_to === null ? undefined : { name: mail.reply_name ?? '', address: mail.reply_to },
    subject: mail.subject,
    body: mail.body,
    requestId: mail.request_id ?? undefined,
    reference: referenceOf(mail),
    unsubscribeAt: unsubscribeAt?.(mail),
  };
}
