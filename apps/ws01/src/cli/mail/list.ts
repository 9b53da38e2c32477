import type { Command } from 'commander';
import { OUTBOX_STATES } from '../../records/common.ts';
import { MAILS } from '../../records/mails.ts';
import type { OutboxState } from '../../store/tables/tables.ts';
import { listCommand } from '../io/list.ts';
import { oneOf } from '../io/options.ts';

interface Options {
  readonly state?: OutboxState;
  readonly to?: string;
  readonly sender?: string;
}

export function mailListCommand(): Command {
  return listCommand({
    record: MAILS,
    description: 'List the mails, newest first, with their states',
    options: (command) =>
      command
        .option('--state <state>', 'only mails in this state, see below', oneOf(OUTBOX_STATES))
        .option('--to <address>', 'only mails to this address')
        .option('--sender <user>', 'only mails of this user'),
    help: `States:
  kept        no mail server was configured; ws01 mail retry sends it
  queued      waits to be sent
  sending     being sent to the mail server
  deferred    failed for now; will be retried
  sent        accepted by the mail server
  bounced     refused permanently
  failed      not sent; no more retries
  suppressed  the address is on the suppression list
  cancelled   cancelled by an operator

Examples:
  ws01 mail list
  ws01 mail list --state deferred --most 10000 --json`,
    columns: [
      ['ID', 'id'],
      ['STATE', 'status'],
      ['TRIES', 'attempts'],
      ['CREATED', 'createdAt'],
      ['NEXT TRY', 'nextAttemptAt'],
      ['SENDER', 'sender'],
      ['TO', 'receiverEmail'],
      ['SUBJECT', 'subject'],
      ['LAST REPLY', 'lastReply'],
    ],
    none: () => 'There are no such mails.',
    asked: ({ state, to, sender }: Options) => ({
      query: { status: state, receiverEmail: to, sender },
    }),
    most: 100,
  });
}
