import type { Command } from 'commander';
import { SUPPRESSIONS } from '../../../records/mails.ts';
import { listCommand } from '../../io/list.ts';

export function mailSuppressListCommand(): Command {
  return listCommand({
    record: SUPPRESSIONS,
    description: 'List the addresses that the service sends no mail to, and why',
    help: `Reasons:
  bounce        a mail server refused the address permanently; its reply is shown
  complaint     its reader called a mail spam
  unsubscribed  its reader asked for no more
  manual        added by an operator

Examples:
  ws01 mail suppress list`,
    columns: [
      ['ADDRESS', 'address'],
      ['REASON', 'reason'],
      ['SINCE', 'createdAt'],
      ['MAIL', 'mailId'],
      ['DETAIL', 'detail'],
    ],
    none: () => 'The suppression list is empty.',
    most: 1_000,
  });
}
