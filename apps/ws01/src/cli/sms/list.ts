import type { Command } from 'commander';
import { maskPhone } from '../../domain/values/phone.ts';
import { OUTBOX_STATES } from '../../records/common.ts';
import { SMS } from '../../records/sms.ts';
import type { OutboxState } from '../../store/tables/tables.ts';
import { listCommand } from '../io/list.ts';
import { oneOf } from '../io/options.ts';

export function smsListCommand(): Command {
  return listCommand({
    record: SMS,
    description: 'List the text messages of the last 30 days, newest first, without their texts',
    options: (command) =>
      command.option(
        '--state <state>',
        'only messages in this state: queued, sending, deferred, sent, bounced, failed or cancelled',
        oneOf(OUTBOX_STATES),
      ),
    help: `Only the last two digits of a number are shown. A message is cancelled if its code was used or replaced before it was sent, and failed if the code expired.

Examples:
  ws01 sms list
  ws01 sms list --state failed`,
    columns: [
      ['ID', 'id'],
      ['STATE', 'status'],
      ['TRIES', 'attempts'],
      ['CREATED', 'createdAt'],
      ['USER', 'userId'],
      ['PHONE', 'phone'],
      ['LAST REPLY', 'lastReply'],
    ],
    none: () => 'There are no such text messages.',
    asked: ({ state }: { state?: OutboxState }) => ({ query: { status: state } }),
    most: 100,
    shown: (item) => ({ ...item, phone: maskPhone(String(item.phone)) }),
  });
}
