import { Command, InvalidArgumentError } from 'commander';
import { beginningOf } from '../../contract/lexical.ts';
import { cancelMail } from '../../domain/mail/admin.ts';
import { CANCELLED_FROM, type CancelFilter, cancelMails, countCancellable } from '../../domain/mail/cancel.ts';
import type { Store } from '../../store/store.ts';
import { print, printJson, remark } from '../io/output.ts';
import { withStore } from '../io/session.ts';

interface Options {
  readonly state?: (typeof CANCELLED_FROM)[number];
  readonly all?: true;
  readonly sender?: string;
  readonly to?: string;
  readonly before?: string;
  readonly yes?: true;
  readonly json?: true;
}

export function mailCancelCommand(): Command {
  return new Command('cancel')
    .description('Take back mails that are kept, queued or deferred')
    .argument('[id...]', 'their ids, see ws01 mail list')
    .option('--state <state>', `all in this state: ${CANCELLED_FROM.join(', ')}`, readState)
    .option('--all', 'all that wait, in whatever state')
    .option('--sender <user>', 'of those, only those of this user')
    .option('--to <address>', 'of those, only those to this address')
    .option('--before <when>', 'of those, only those made before a date or time')
    .option('--yes', 'do it; without this several are only counted')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `
A mail that is on its way or has come to its end is not cancelled. Cancelling again changes nothing. ws01 mail retry
--state cancelled sends what was cancelled after all.

Examples:
  ws01 mail cancel 019aa0f2-6c1e-7b3a-9d51-1f2e3d4c5b6a
  ws01 mail cancel --state deferred --sender newsletter
  ws01 mail cancel --all --before 2026-11-21 --yes`,
    )
    .action((ids: string[], options: Options, command: Command) => {
      const { state, all, sender, to, before } = options;
      const byFilter = state !== undefined || all === true;
      if (ids.length > 0 === byFilter || (!byFilter && (sender ?? to ?? before) !== undefined)) {
        command.error('Name either the ids of mails, or --state or --all with what narrows them down.', {
          exitCode: 2,
        });
      }
      return withStore((store, { timeZone }) => {
        const until = beginningOf(before, 'before', { timeZone, now: Date.now });
        return byFilter
          ? cancelAll(store, { state, sender, receiverEmail: to, until }, options)
          : cancelEach(store, ids, options);
      });
    });
}

async function cancelEach(store: Store, ids: readonly string[], { json }: Options): Promise<void> {
  for (const id of ids) {
    await cancelMail(store, id, Date.now);
    if (!json) await print(`Cancelled ${id}.\n`);
  }
  if (json) await printJson({ cancelled: ids });
}

async function cancelAll(store: Store, filter: CancelFilter, { yes, json }: Options): Promise<void> {
  const { mails, senders } = await countCancellable(store, filter);
  if (!yes) {
    await (json ? printJson({ mails, senders, cancelled: 0 }) : print(`${mails} mails of ${senders} senders.\n`));
    return remark('Nothing was done. To cancel them, add --yes.');
  }
  const cancelled = await cancelMails(store, filter, Date.now);
  await (json ? printJson({ mails, senders, cancelled }) : print(`Cancelled ${cancelled} mails.\n`));
}

function readState(text: string): (typeof CANCELLED_FROM)[number] {
  const state = CANCELLED_FROM.find((candidate) => candidate === text.trim().toLowerCase());
  if (state === undefined) throw new InvalidArgumentError(`The states are ${CANCELLED_FROM.join(', ')}.`);
  return state;
}
