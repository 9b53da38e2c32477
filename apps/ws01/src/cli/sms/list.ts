import { Command } from 'commander';
import { type ListedSms, listSms } from '../../domain/sms/admin.ts';
import { maskPhone } from '../../domain/values/phone.ts';
import type { OutboxState } from '../../store/tables/tables.ts';
import { positiveInteger, readPages } from '../io/options.ts';
import { jsonInstant, print, printJson, remark, shownInstant } from '../io/output.ts';
import { withStore } from '../io/session.ts';
import { table } from '../io/table.ts';
import { readState } from '../mail/states.ts';

interface Options {
  readonly state?: OutboxState;
  readonly most: number;
  readonly json?: true;
}

export function smsListCommand(): Command {
  return new Command('list')
    .description('List the text messages of the last 30 days, newest first, without their texts')
    .option(
      '--state <state>',
      'only messages in this state: queued, sending, deferred, sent, bounced, failed or cancelled',
      readState,
    )
    .option('--most <number>', 'the largest number to list', positiveInteger, 100)
    .option('--json', 'print one JSON array')
    .addHelpText(
      'after',
      `
Only the last two digits of a number are shown. A message is cancelled if its code was used or replaced before it was sent, and failed if the code expired.

Examples:
  ws01 sms list
  ws01 sms list --state failed`,
    )
    .action(({ state, most, json }: Options) =>
      withStore(async (store) => {
        const texts = await readPages<ListedSms>(most, (page, last) =>
          listSms(store, state, page, last?.id),
        );
        if (json) {
          await printJson(texts.map(jsonOf));
        } else if (texts.length === 0) {
          remark('There are no such text messages.');
        } else {
          await print(table(HEADINGS, texts.map(rowOf)));
        }
      }),
    );
}

const HEADINGS = ['ID', 'STATE', 'TRIES', 'CREATED', 'USER', 'PHONE', 'LAST REPLY'];

function jsonOf(sms: ListedSms): Record<string, unknown> {
  return {
    id: sms.id,
    status: sms.state,
    user: sms.user_id,
    phone: maskPhone(sms.phone),
    attempts: sms.attempts,
    createdAt: jsonInstant(sms.created_at),
    expiresAt: jsonInstant(sms.expires_at),
    finishedAt: jsonInstant(sms.finished_at),
    lastReply: sms.last_reply,
    requestId: sms.request_id,
  };
}

function rowOf(sms: ListedSms): string[] {
  const { id, state, attempts, created_at, user_id, phone, last_reply } = sms;
  return [
    id,
    state,
    String(attempts),
    shownInstant(created_at),
    user_id,
    maskPhone(phone),
    last_reply ?? '-',
  ];
}
