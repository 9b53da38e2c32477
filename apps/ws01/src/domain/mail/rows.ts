import { columns, prepare } from '../../store/prepared.ts';
import type {
  Instant,
  MailRepeatsTable,
  MailSuppressionsTable,
  MailsTable,
} from '../../store/tables/tables.ts';
import { BELIEVED_MS } from '../shared/known-time.ts';
import { type MailboxKeys, mailboxKeys } from '../values/email-address.ts';

/** Prepared queries of mails. */

/** Records a call, unless an equal one is recorded; changes one row or none. */
export const noteCall = prepare((db, row: MailRepeatsTable & { now: Instant }) =>
  db
    .insertInto('mail_repeats')
    .values({ hash: row.hash, mail_id: row.mail_id, until: row.until })
    .onConflict((conflict) =>
      conflict
        .column('hash')
        .doUpdateSet((eb) => ({
          mail_id: eb.ref('excluded.mail_id'),
          until: eb.ref('excluded.until'),
        }))
        .where((eb) =>
          eb.or([
            eb('mail_repeats.until', '<=', row.now),
            // Written by a clock that was days ahead: mails would count as sent until then.
            eb('mail_repeats.until', '>', eb('excluded.until', '+', BELIEVED_MS)),
          ]),
        ),
    ),
);

export const mailOfCall = prepare((db, { hash }: Pick<MailRepeatsTable, 'hash'>) =>
  db.selectFrom('mail_repeats').select('mail_id').where('hash', '=', hash),
);

export const insertMail = prepare((db, row: MailsTable) =>
  db
    .insertInto('mails')
    .values(
      columns(
        row,
        'id sender token_id ip receiver_name receiver_email receiver_key subject body',
        'reply_name reply_to message_id created_at request_id notice_key',
      ),
    ),
);

export const mailById = prepare((db, { id }: Pick<MailsTable, 'id'>) =>
  db.selectFrom('mails').selectAll().where('id', '=', id),
);

/**
 * Returns why an address gets no mail: the address, its mailbox, or another address of the mailbox
 * is suppressed. A bounce of another address does not count: a server that knows no tags refuses
 * only the address with the tag.
 */
export const suppressionOf = prepare(
  (db, given: Pick<MailSuppressionsTable, 'address'> & MailboxKeys) =>
    db
      .selectFrom('mail_suppressions')
      .selectAll()
      .where((eb) =>
        eb.or([
          eb('address', '=', given.address),
          eb('address', '=', given.mailbox),
          eb.and([
            eb('reason', '!=', 'bounce'),
            eb('address', '>=', given.tagged),
            eb('address', '<', given.beyond),
            eb('address', 'like', given.domain),
          ]),
        ]),
      )
      .limit(1),
);

/**
 * Returns what {@link suppressionOf} needs of an address.
 * @param address the key of the address.
 */
export function suppressionKeys(address: string) {
  return { address, ...mailboxKeys(address) };
}

/** Suppresses an address; changes no row when it is already suppressed. */
export const insertSuppression = prepare((db, row: MailSuppressionsTable) =>
  db
    .insertInto('mail_suppressions')
    .values(columns(row, 'address reason detail mail_id created_at'))
    .onConflict((conflict) => conflict.column('address').doNothing()),
);
