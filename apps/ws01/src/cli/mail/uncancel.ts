import { Command } from 'commander';
import { beginningOf } from '../../contract/lexical.ts';
import {
  countCancelled,
  type UncancelFilter,
  uncancelAllMatching,
} from '../../domain/mail/bulk.ts';
import { uncancelMail } from '../../domain/mail/change.ts';
import type { Store } from '../../store/store.ts';
import { print, printJson, remark } from '../io/output.ts';
import { withStore } from '../io/session.ts';

interface Options {
  readonly all?: true;
  readonly since?: string;
  readonly sender?: string;
  readonly to?: string;
  readonly yes?: true;
  readonly json?: true;
}

export function mailUncancelCommand(): Command {
  return new Command('uncancel')
    .description('Undo the cancelling of mails')
    .argument('[id...]', 'their ids, see ws01 mail list --state cancelled')
    .option('--all', 'all cancelled mails')
    .option('--since <when>', 'only mails cancelled since a date or time')
    .option('--sender <user>', 'only mails of this user')
    .option('--to <address>', 'only mails to this address')
    .option('--yes', 'do it; without it, several mails are only counted')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `
Each mail is again in the state that it was cancelled in. Those that were queued or deferred are sent by a running service at once, or fail if their day is over; those that were kept are not sent. To send cancelled mails whatever they were: ws01 mail retry --state cancelled

Examples:
  ws01 mail uncancel 019aa0f2-6c1e-7b3a-9d51-1f2e3d4c5b6a
  ws01 mail uncancel --all --since 2026-11-22T14:00 --sender newsletter --yes`,
    )
    .action((ids: string[], options: Options, command: Command) => {
      const { all, since, sender, to } = options;
      if (ids.length > 0 === (all === true) || (!all && (since ?? sender ?? to) !== undefined)) {
        command.error('Give the ids of mails, or --all with optional filters.', { exitCode: 2 });
      }
      return withStore((store, { timeZone }) => {
        const from = beginningOf(since, 'since', { timeZone, now: Date.now });
        return all
          ? uncancelAll(store, { since: from, sender, receiverEmail: to }, options)
          : uncancelEach(store, ids, options);
      });
    });
}

async function uncancelEach(
  store: Store,
  ids: readonly string[],
  { json }: Options,
): Promise<void> {
  for (const id of ids) {
    await store.write((tx) => uncancelMail(tx, { id, by: undefined, at: Date.now() }));
    if (!json) await print(`${id} is no longer cancelled.\n`);
  }
  if (json) await printJson({ uncancelled: ids });
}

async function uncancelAll(
  store: Store,
  filter: UncancelFilter,
  { yes, json }: Options,
): Promise<void> {
  const { mails, senders } = await countCancelled(store, filter);
  if (!yes) {
    await (json
      ? printJson({ mails, senders, uncancelled: 0 })
      : print(`${mails} mails of ${senders} senders.\n`));
    return remark('Nothing was done. To do it, add --yes.');
  }
  const uncancelled = await uncancelAllMatching(store, filter, Date.now);
  await (json
    ? printJson({ mails, senders, uncancelled })
    : print(`${uncancelled} mails are no longer cancelled.\n`));
}
