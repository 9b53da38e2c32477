import { Command } from 'commander';
import { findSuppression, suppress, unsuppress } from '../../domain/mail/suppressions.ts';
import { SUPPRESSIONS } from '../../records/mails.ts';
import { CommandFailure } from '../failure.ts';
import { answering } from '../io/answering.ts';
import { listCommand, readItem } from '../io/list.ts';

const ADDRESS = ['<address>', 'one e-mail address'] as const;

export function suppressCommand(): Command {
  return new Command('suppress')
    .description('Addresses that the service sends no mail to')
    .addCommand(suppressionListCommand())
    .addCommand(addCommand())
    .addCommand(removeCommand());
}

function suppressionListCommand(): Command {
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

function addCommand(): Command {
  return answering(
    new Command('add')
      .description('Send no more mail to an address')
      .argument(...ADDRESS)
      .option('--note <text>', 'the reason, shown in reports', ''),
    `Mails to it, those that are queued included, end as suppressed. Adding it again changes nothing.

Examples:
  ws01 mail suppress add grace@example.com --note "asked us to"`,
    async ({ store, config }, given: string, { note }: { note: string }) => {
      const { address } = await store.write(async (tx) => {
        await suppress(tx, { address: given, note, by: undefined, at: Date.now() });
        return (await findSuppression(tx, given))!;
      });
      return {
        json: await readItem(store, config, SUPPRESSIONS, address),
        text: `No more mail is sent to ${address}.\n`,
      };
    },
  );
}

function removeCommand(): Command {
  return answering(
    new Command('remove').description('Send mail to an address again').argument(...ADDRESS),
    `Mails that were suppressed meanwhile stay so; ws01 mail retry sends them.

Examples:
  ws01 mail suppress remove grace@example.com`,
    async ({ store }, address: string) => {
      const change = { address, by: undefined, at: Date.now() };
      if (!(await store.write((tx) => unsuppress(tx, change))))
        throw new CommandFailure('The suppression list does not have that address.');
      return { json: { removed: address }, text: `Mail to ${address} is sent again.\n` };
    },
  );
}
