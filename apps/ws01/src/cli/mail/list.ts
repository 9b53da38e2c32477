import { Command } from 'commander';
import { type ListedMail, listMails } from '../../domain/mail/admin.ts';
import type { OutboxState } from '../../store/tables/tables.ts';
import { positiveInteger, readPages } from '../io/options.ts';
import { jsonInstant, print, printJson, remark, shownInstant } from '../io/output.ts';
import { withStore } from '../io/session.ts';
import { table } from '../io/table.ts';
import { readState, STATES_HELP } from './states.ts';

interface Options {
  readonly state?: OutboxState;
  readonly to?: string;
  readonly sender?: string;
  readonly most: number;
  readonly json?: true;
}

export function mailListCommand(): Command {
  return new Command('list')
    .description('List the mails, newest first, with their states')
    .option('--state <state>', 'only mails in this state, see below', readState)
    .option('--to <address>', 'only mails to this address')
    .option('--sender <user>', 'only mails of this user')
    .option('--most <number>', 'the largest number to list', positiveInteger, 100)
    .option('--json', 'print one JSON array')
    .addHelpText(
      'after',
      `${STATES_HELP}


Examples:
  ws01 mail list
  ws01 mail list --state deferred --most 10000 --json`,
    )
    .action(({ state, to, sender, most, json }: Options) =>
      withStore(async (store) => {
        const filter = { state, receiverEmail: to, sender };
        const mails = await readPages<ListedMail>(most, (page, last) =>
          listMails(store, filter, page, last?.id),
        );
        if (json) {
          await printJson(mails.map(jsonOfMail));
        } else if (mails.length === 0) {
          remark('There are no such mails.');
        } else {
          await print(table(HEADINGS, mails.map(rowOf)));
        }
      }),
    );
}

const HEADINGS = [
  'ID',
  'STATE',
  'TRIES',
  'CREATED',
  'NEXT TRY',
  'SENDER',
  'TO',
  'SUBJECT',
  'LAST REPLY',
];

/** Returns a mail for JSON output. */
export function jsonOfMail(mail: ListedMail): Record<string, unknown> {
  return {
    id: mail.id,
    status: mail.state,
    sender: mail.sender,
    receiverName: mail.receiver_name,
    receiverEmail: mail.receiver_email,
    replyTo: mail.reply_to,
    subject: mail.subject,
    messageId: mail.message_id,
    requestId: mail.request_id,
    attempts: mail.attempts,
    createdAt: jsonInstant(mail.created_at),
    nextAttemptAt: jsonInstant(mail.state === 'sending' ? null : mail.due_at),
    finishedAt: jsonInstant(mail.finished_at),
    lastReply: mail.last_reply,
  };
}

function rowOf(mail: ListedMail): string[] {
  return [
    mail.id,
    mail.state,
    String(mail.attempts),
    shownInstant(mail.created_at),
    shownInstant(mail.state === 'sending' ? null : mail.due_at),
    mail.sender,
    mail.receiver_email,
    mail.subject,
    mail.last_reply ?? '-',
  ];
}
