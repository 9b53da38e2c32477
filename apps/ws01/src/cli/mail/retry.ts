import { Command } from 'commander';
import { createMailWorker } from '../../app/message-workers.ts';
import { type Config, publicAddresses } from '../../config/config.ts';
import { retryAllInState } from '../../domain/mail/bulk.ts';
import { RETRIED_FROM, type RetriedState, retryMail } from '../../domain/mail/change.ts';
import { countStates } from '../../domain/outbox/rows.ts';
import type { OutboxWorker } from '../../domain/outbox/worker.ts';
import type { Store } from '../../store/store.ts';
import { CommandFailure } from '../failure.ts';
import { oneOf, withJson } from '../io/options.ts';
import { counted, printJson, remark } from '../io/output.ts';
import { createProgress } from '../io/progress.ts';
import { withStore } from '../io/session.ts';

/** Interval of progress messages; ms. */
const EVERY_MS = 500;

/** After the mail server was unreachable for this time, the rest is left to the service; ms. */
const TIMEOUT_MS = 30_000;

interface Options {
  readonly all?: true;
  readonly state?: RetriedState;
  readonly wait: boolean;
  readonly json?: true;
}

export function mailRetryCommand(): Command {
  return withJson(
    new Command('retry')
      .description('Send mails that were kept, or retry those that failed')
      .argument('[id...]', 'their ids, see ws01 mail list')
      .option('--all', 'all kept mails')
      .option(
        '--state <state>',
        `all in this state: ${RETRIED_FROM.join(', ')}`,
        oneOf(RETRIED_FROM),
      )
      .option('--no-wait', 'only queue the mails; a running service sends them'),
    `Sends the mails now, with the same Message-ID; those that fail are retried for another day. The command sends mails, too, and shows how many are left; after Ctrl-C the service sends the rest. SMTP_URL must be set.

Examples:
  ws01 mail retry 019aa0f2-6c1e-7b3a-9d51-1f2e3d4c5b6a
  ws01 mail retry --all
  ws01 mail retry --state failed --no-wait`,
  ).action((ids: string[], options: Options, command: Command) => {
    const { all, state } = options;
    if ([ids.length > 0, all === true, state !== undefined].filter(Boolean).length !== 1) {
      command.error('Give the ids of mails, --all or --state.', { exitCode: 2 });
    }
    return withStore((store, config) => retry(store, config, ids, options));
  });
}

async function retry(
  store: Store,
  config: Config,
  ids: readonly string[],
  options: Options,
): Promise<void> {
  const worker = await createMailWorker({
    config,
    store,
    clock: Date.now,
    baseUrl: () => publicAddresses(config, config.port).baseUrl,
    onEvent: (event) => {
      if (event.kind === 'unreachable') remark(`The mail server cannot be reached: ${event.reply}`);
    },
  });
  if (worker === undefined) {
    throw new CommandFailure(
      'No mail server is configured; set SMTP_URL, for this command and for the service.',
    );
  }
  const queued = await queue(store, ids, options);
  const left = options.wait ? await drain(store, worker) : undefined;
  if (options.json) {
    await printJson({ queued, ...left });
  } else {
    remark(queued === 0 ? 'There are no such mails.' : `Queued ${counted(queued, 'mail')} again.`);
  }
}

async function queue(store: Store, ids: readonly string[], { state }: Options): Promise<number> {
  for (const id of ids) {
    await store.write((tx) => retryMail(tx, { id, by: undefined, at: Date.now() }));
  }
  return ids.length > 0 ? ids.length : retryAllInState(store, state ?? 'kept', Date.now);
}

/** Sends the queued mails, alongside a running service, and reports progress. */
async function drain(store: Store, worker: OutboxWorker): Promise<Record<string, number>> {
  const progress = createProgress();
  const ahead = async () => {
    const counts = await store.read((db) => countStates(db, 'mail'));
    return { counts, left: (counts.get('queued') ?? 0) + (counts.get('sending') ?? 0) };
  };
  const first = await ahead();
  worker.start();
  try {
    for (let now = first; ; now = await ahead()) {
      progress.tell(first.left - now.left, first.left, 'mails');
      if (now.left === 0) {
        const deferred = now.counts.get('deferred') ?? 0;
        if (deferred > 0) remark(`${deferred} deferred; the service retries them.`);
        return Object.fromEntries(now.counts);
      }
      const { since, reply } = worker.outage;
      if (since !== undefined && Date.now() - since >= TIMEOUT_MS) {
        throw new CommandFailure(
          `The mail server cannot be reached: ${reply}. ${now.left} mails stay queued; the service sends them when it can.`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
  } finally {
    progress.end();
    await worker.stop();
  }
}
