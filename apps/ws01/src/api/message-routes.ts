import { Ws01Error } from '../contract/errors.ts';
import { cancelOne, retryOne } from '../domain/mail/admin.ts';
import { suppress, unsuppress } from '../domain/mail/suppressions.ts';
import { cancelSms, retrySms } from '../domain/sms/change.ts';
import type { OutboxKind } from '../store/tables/tables.ts';
import { MAILS, SUPPRESSIONS } from './kinds/mails.ts';
import { SMS } from './kinds/sms.ts';
import type { Route } from './route.ts';
import { text } from './schema.ts';
import { type Verb, type VerbDeps, verbRoute } from './verbs.ts';

export interface MessageRouteDeps extends VerbDeps {
  /** Called after the commit that queues a message. */
  readonly onQueued: (kind: OutboxKind) => void;
}

/** Routes of mails and text messages (retry, cancel), and of suppressed addresses. */
export function messageRoutes(deps: MessageRouteDeps): readonly Route[] {
  const { onQueued } = deps;
  const mailVerbs: readonly Verb[] = [
    {
      name: 'retry',
      summary: 'Queue it again, to go out at once and to be tried for another day; the Message-ID stays',
      role: 'owner',
      act: (tx, { key, at, by }) => retryOne(tx, key, at, by),
      done: () => onQueued('mail'),
    },
    {
      name: 'cancel',
      summary: 'Cancel it while it waits',
      role: 'owner',
      act: (tx, { key, at, by }) => cancelOne(tx, key, at, by),
    },
    {
      name: 'suppress',
      summary: 'Send nothing to its recipient any more',
      role: 'owner',
      async act(tx, { key, at, by, reason }) {
        const mail = await tx.selectFrom('mails').select('receiver_email').where('id', '=', key).executeTakeFirst();
        if (mail === undefined) throw new Ws01Error('NotFound', `There is no mail ${key}.`);
        return suppress(tx, mail.receiver_email, reason ?? '', at, by);
      },
    },
  ];
  const smsVerbs: readonly Verb[] = [
    {
      name: 'retry',
      summary: 'Retries it at once, while its code is valid',
      role: 'owner',
      act: (tx, { key, ...call }) => retrySms(tx, { id: key, ...call }),
      done: () => onQueued('sms'),
    },
    {
      name: 'cancel',
      summary: 'Cancel it while it waits',
      role: 'owner',
      act: (tx, { key, ...call }) => cancelSms(tx, { id: key, ...call }),
    },
  ];
  const suppressionVerbs: readonly Verb[] = [
    {
      name: 'add',
      summary: 'Send nothing to this address any more',
      role: 'owner',
      body: { note: text('Why; may be empty.', { maxLength: 200 }) },
      act: (tx, { key, at, by, body }) => suppress(tx, key, (body.note as string | undefined) ?? '', at, by),
    },
    {
      name: 'remove',
      method: 'delete',
      summary: 'Send to this address again',
      role: 'owner',
      act: (tx, { key, at, by }) => unsuppress(tx, key, at, by),
    },
  ];
  return [
    ...mailVerbs.map((verb) => verbRoute(MAILS, verb, deps)),
    ...smsVerbs.map((verb) => verbRoute(SMS, verb, deps)),
    ...suppressionVerbs.map((verb) => verbRoute(SUPPRESSIONS, verb, deps)),
  ];
}
