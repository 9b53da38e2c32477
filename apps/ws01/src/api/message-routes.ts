import type { Kysely } from 'kysely';
import { Ws01Error } from '../contract/errors.ts';
import { say } from '../contract/sentence.ts';
import { cancelMail, retryMail, uncancelMail } from '../domain/mail/change.ts';
import { suppress, unsuppress } from '../domain/mail/suppressions.ts';
import type { MessageChange } from '../domain/outbox/change.ts';
import { cancelSms, retrySms, uncancelSms } from '../domain/sms/change.ts';
import type { OutboxKind, Tables } from '../store/tables/tables.ts';
import { MAILS, SMS, SUPPRESSIONS } from './kinds.ts';
import { type MailServerDeps, noMailServer } from './mail-server-routes.ts';
import type { Route } from './route.ts';
import { text } from './schema.ts';
import { type Verb, type VerbDeps, verbRoute } from './verbs.ts';

export interface MessageRouteDeps extends VerbDeps {
  readonly mailServer: Pick<MailServerDeps['mailServer'], 'shown'>;
  /** Called after the commit that queues a message. */
  readonly onQueued: (kind: OutboxKind) => void;
}

/** Routes of mails and text messages (retry, cancel, uncancel), and of suppressed addresses. */
export function messageRoutes(deps: MessageRouteDeps): readonly Route[] {
  const { onQueued, mailServer } = deps;
  const retry: Change = async (tx, change) => {
    if (mailServer.shown().host === null) throw noMailServer();
    return retryMail(tx, change);
  };
  const mailVerbs: readonly Verb[] = [
    ...changeVerbs({
      retry,
      retrySummary:
        'Queue it again, to go out at once and to be tried for another day; the Message-ID stays',
      cancel: cancelMail,
      uncancel: uncancelMail,
      queued: () => onQueued('mail'),
    }),
    {
      name: 'suppress',
      summary: 'Send nothing to its recipient any more',
      role: 'owner',
      act: async (tx, { key, reason = '', ...call }) =>
        suppress(tx, { address: await receiverOf(tx, key), note: reason, ...call }),
    },
    {
      name: 'unsuppress',
      summary: 'Send to its recipient again',
      role: 'owner',
      act: async (tx, { key, ...call }) =>
        unsuppress(tx, { address: await receiverOf(tx, key), ...call }),
    },
  ];
  const smsVerbs = changeVerbs({
    retry: retrySms,
    retrySummary: 'Queue it again, to go out at once, while its code is valid',
    cancel: cancelSms,
    uncancel: uncancelSms,
    queued: () => onQueued('sms'),
  });
  return [
    ...mailVerbs.map((verb) => verbRoute(MAILS, verb, deps)),
    ...smsVerbs.map((verb) => verbRoute(SMS, verb, deps)),
    ...SUPPRESSION_VERBS.map((verb) => verbRoute(SUPPRESSIONS, verb, deps)),
  ];
}

/** @throws {Ws01Error} `NotFound` */
async function receiverOf(tx: Kysely<Tables>, mail: string): Promise<string> {
  const row = await tx
    .selectFrom('mails')
    .select('receiver_email')
    .where('id', '=', mail)
    .executeTakeFirst();
  if (row === undefined)
    throw new Ws01Error('NotFound', say`There is no ${{ kind: 'mail' }} ${{ key: mail }}.`);
  return row.receiver_email;
}

type Change = (tx: Kysely<Tables>, change: MessageChange) => Promise<boolean>;

/** The changes of one kind of message. */
interface Changes {
  readonly retry: Change;
  readonly retrySummary: string;
  readonly cancel: Change;
  readonly uncancel: Change;
  /** Called after the commit that queues one. */
  readonly queued: () => void;
}

function changeVerbs({ retry, retrySummary, cancel, uncancel, queued }: Changes): readonly Verb[] {
  return [
    {
      name: 'retry',
      summary: retrySummary,
      role: 'owner',
      act: (tx, { key, ...call }) => retry(tx, { id: key, ...call }),
      done: queued,
    },
    {
      name: 'cancel',
      summary: 'Cancel it while it waits',
      role: 'owner',
      act: (tx, { key, ...call }) => cancel(tx, { id: key, ...call }),
    },
    {
      name: 'uncancel',
      summary: 'Undo its cancelling: it is in the state again that it was in before',
      role: 'owner',
      act: (tx, { key, ...call }) => uncancel(tx, { id: key, ...call }),
      done: queued,
    },
  ];
}

const SUPPRESSION_VERBS: readonly Verb[] = [
  {
    name: 'add',
    summary: 'Send nothing to this address any more',
    role: 'owner',
    body: { note: text('Why; may be empty.', { maxLength: 200 }) },
    act: (tx, { key, body, ...call }) =>
      suppress(tx, { address: key, note: String(body.note ?? ''), ...call }),
  },
  {
    name: 'remove',
    method: 'delete',
    summary: 'Send to this address again',
    role: 'owner',
    act: (tx, { key, ...call }) => unsuppress(tx, { address: key, ...call }),
  },
];
