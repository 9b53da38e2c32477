import { Command } from 'commander';
import { beginningOf } from '../../contract/lexical.ts';
import {
  type BulkChange,
  cancelling,
  changeMails,
  countMails,
  uncancelling,
} from '../../domain/mail/bulk.ts';
import { cancelMail, uncancelMail } from '../../domain/mail/change.ts';
import { CANCELLED_FROM } from '../../domain/outbox/change.ts';
import type { Store } from '../../store/store.ts';
import { oneOf, withJson } from '../io/options.ts';
import { print, printJson, remark } from '../io/output.ts';
import { withStore } from '../io/session.ts';

interface Options {
  readonly state?: (typeof CANCELLED_FROM)[number];
  readonly all?: true;
  readonly sender?: string;
  readonly to?: string;
  readonly before?: string;
  readonly since?: string;
  readonly yes?: true;
  readonly json?: true;
}

/** What differs between cancelling and its undoing. */
interface Verb {
  readonly change: typeof cancelMail;
  /** What it does to many mails. @param when the instant of its option. */
  readonly bulk: (options: Options, when: number | undefined) => BulkChange;
  /** The option that takes an instant. */
  readonly when: 'before' | 'since';
  /** The member of the JSON that says what was changed. */
  readonly done: string;
  readonly one: (id: string) => string;
  readonly many: (count: number) => string;
  readonly missing: string;
  readonly toDoIt: string;
}

const CANCEL: Verb = {
  change: cancelMail,
  bulk: ({ state, sender, to }, until) => cancelling({ state, sender, receiverEmail: to, until }),
  when: 'before',
  done: 'cancelled',
  one: (id) => `Cancelled ${id}.`,
  many: (count) => `Cancelled ${count} mails.`,
  missing: 'Give the ids of mails, or --state or --all with optional filters.',
  toDoIt: 'To cancel them, add --yes.',
};

const UNCANCEL: Verb = {
  change: uncancelMail,
  bulk: ({ sender, to }, since) => uncancelling({ sender, receiverEmail: to, since }),
  when: 'since',
  done: 'uncancelled',
  one: (id) => `${id} is no longer cancelled.`,
  many: (count) => `${count} mails are no longer cancelled.`,
  missing: 'Give the ids of mails, or --all with optional filters.',
  toDoIt: 'To do it, add --yes.',
};

export function mailCancelCommand(): Command {
  return withJson(
    new Command('cancel')
      .description('Cancel mails that are kept, queued or deferred')
      .argument('[id...]', 'their ids, see ws01 mail list')
      .option(
        '--state <state>',
        `all in this state: ${CANCELLED_FROM.join(', ')}`,
        oneOf(CANCELLED_FROM),
      )
      .option('--all', 'all that wait, in any of these states')
      .option('--sender <user>', 'only mails of this user')
      .option('--to <address>', 'only mails to this address')
      .option('--before <when>', 'only mails created before a date or time')
      .option('--yes', 'cancel; without it, several mails are only counted'),
    `Mails that are being sent, were sent or failed are not cancelled. Cancelling twice changes nothing. To undo it: ws01 mail uncancel

Examples:
  ws01 mail cancel 019aa0f2-6c1e-7b3a-9d51-1f2e3d4c5b6a
  ws01 mail cancel --state deferred --sender newsletter
  ws01 mail cancel --all --before 2026-11-21 --yes`,
  ).action(changing(CANCEL));
}

export function mailUncancelCommand(): Command {
  return withJson(
    new Command('uncancel')
      .description('Undo the cancelling of mails')
      .argument('[id...]', 'their ids, see ws01 mail list --state cancelled')
      .option('--all', 'all cancelled mails')
      .option('--since <when>', 'only mails cancelled since a date or time')
      .option('--sender <user>', 'only mails of this user')
      .option('--to <address>', 'only mails to this address')
      .option('--yes', 'do it; without it, several mails are only counted'),
    `Each mail is again in the state that it was cancelled in. Those that were queued or deferred are sent by a running
service at once, or fail if their day is over; those that were kept are not sent. To send cancelled mails whatever they
were: ws01 mail retry --state cancelled

Examples:
  ws01 mail uncancel 019aa0f2-6c1e-7b3a-9d51-1f2e3d4c5b6a
  ws01 mail uncancel --all --since 2026-11-22T14:00 --sender newsletter --yes`,
  ).action(changing(UNCANCEL));
}

function changing(verb: Verb) {
  return (ids: readonly string[], options: Options, command: Command) => {
    const { state, all, sender, to } = options;
    const when = options[verb.when];
    const byFilter = state !== undefined || all === true;
    if (ids.length > 0 === byFilter || (!byFilter && (sender ?? to ?? when) !== undefined))
      command.error(verb.missing, { exitCode: 2 });
    return withStore((store, { timeZone }) => {
      const instant = beginningOf(when, verb.when, { timeZone, now: Date.now });
      return byFilter
        ? changeAll(store, verb.bulk(options, instant), verb, options)
        : changeEach(store, ids, verb, options);
    });
  };
}

async function changeEach(
  store: Store,
  ids: readonly string[],
  { change, one, done }: Verb,
  { json }: Options,
): Promise<void> {
  for (const id of ids) {
    await store.write((tx) => change(tx, { id, by: undefined, at: Date.now() }));
    if (!json) await print(`${one(id)}\n`);
  }
  if (json) await printJson({ [done]: ids });
}

async function changeAll(
  store: Store,
  bulk: BulkChange,
  { many, toDoIt, done }: Verb,
  { yes, json }: Options,
): Promise<void> {
  const counted = await countMails(store, bulk);
  const { mails, senders } = counted;
  const changed = yes ? await changeMails(store, bulk, Date.now) : 0;
  const text = yes ? many(changed) : `${mails} mails of ${senders} senders.`;
  await (json ? printJson({ ...counted, [done]: changed }) : print(`${text}\n`));
  if (!yes) remark(`Nothing was done. ${toDoIt}`);
}
