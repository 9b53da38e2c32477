import { Command, InvalidArgumentError } from 'commander';
import { beginningOf } from '../../contract/lexical.ts';
import { type CancelFilter, cancelAllMatching, countCancellable } from '../../domain/mail/bulk.ts';
import { cancelMail } from '../../domain/mail/change.ts';
import { CANCELLED_FROM } from '../../domain/outbox/change.ts';
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
    .description('Cancel mails that are kept, queued or deferred')
    .argument('[id...]', 'their ids, see ws01 mail list')
    .option('--state <state>', `all in this state: ${CANCELLED_FROM.join(', ')}`, readState)
    .option('--all', 'all that wait, in any of these states')
    .option('--sender <user>', 'only mails of this user')
    .option('--to <address>', 'only mails to this address')
    .option('--before <when>', 'only mails created before a date or time')
    .option('--yes', 'cancel; without it, several mails are only counted')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `
Mails that are being sent, were sent or failed are not cancelled. Cancelling twice changes nothing. To undo it: ws01 mail uncancel

Examples:
  ws01 mail cancel 019aa0f2-6c1e-7b3a-9d51-1f2e3d4c5b6a
  ws01 mail cancel --state deferred --sender newsletter
  ws01 mail cancel --all --before 2026-11-21 --yes`,
    )
    .action((ids: string[], options: Options, command: Command) => {
      const { state, all, sender, to, before } = options;
      const byFilter = state !== undefined || all === true;
      if (ids.length > 0 === byFilter || (!byFilter && (sender ?? to ?? before) !== undefined)) {
        command.error('Give the ids of mails, or --state or --all with optional filters.', {
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
    await store.write((tx) => cancelMail(tx, { id, by: undefined, at: Date.now() }));
    if (!json) await print(`Cancelled ${id}.\n`);
  }
  if (json) await printJson({ cancelled: ids });
}

async function cancelAll(
  store: Store,
  filter: CancelFilter,
  { yes, json }: Options,
): Promise<void> {
  const { mails, senders } = await countCancellable(store, filter);
  if (!yes) {
    await (json
      ? printJson({ mails, senders, cancelled: 0 })
      : print(`${mails} mails of ${senders} senders.\n`));
    return remark('Nothing was done. To cancel them, add --yes.');
  }
  const cancelled = await cancelAllMatching(store, filter, Date.now);
  await (json
    ? printJson({ mails, senders, cancelled })
    : print(`Cancelled ${cancelled} mails.\n`));
}

function readState(text: string): (typeof CANCELLED_FROM)[number] {
  const state = CANCELLED_FROM.find((candidate) => candidate === text.trim().toLowerCase());
  if (state === undefined)
    throw new InvalidArgumentError(`The states are ${CANCELLED_FROM.join(', ')}.`);
  return state;
}
