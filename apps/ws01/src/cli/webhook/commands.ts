import { DAY_MS } from '@ws01/asmx/time';
import { Command } from 'commander';
import type { Kysely } from 'kysely';
import type { Config } from '../../config/config.ts';
import {
  addWebhook,
  disableWebhook,
  editWebhook,
  enableWebhook,
  removeWebhook,
  retryWebhook,
  rotateSecret,
  testWebhook,
} from '../../domain/webhooks/webhooks.ts';
import { WEBHOOKS } from '../../records/webhooks.ts';
import type { Instant, Tables } from '../../store/tables/tables.ts';
import { CommandFailure } from '../failure.ts';
import { answering, checkedUse } from '../io/answering.ts';
import { listCommand } from '../io/list.ts';

const ID = ['<id>', 'see ws01 webhook list'] as const;

export function webhookCommands(): readonly Command[] {
  return [
    addCommand(),
    editCommand(),
    webhookListCommand(),
    changeCommand('remove', 'Remove a webhook and its pending events', removeWebhook),
    changeCommand('disable', 'Stop sending events to a webhook', (tx, id, at, by) =>
      disableWebhook(tx, id, at, by),
    ),
    changeCommand('enable', 'Send events to a webhook again, from now on', enableWebhook),
    changeCommand('test', 'Have the running service send a test event', async (tx, id, at) =>
      (await testWebhook(tx, id, at)) ? true : undefined,
    ),
    changeCommand('retry', 'Retry the pending and the failed events now', retryOf),
    rotateCommand(),
  ];
}

function addCommand(): Command {
  return answering(
    new Command('add')
      .description('Send events to a server from now on; the secret is shown once')
      .argument('<url>', 'the URL to call, http or https')
      .option(
        '--types <types>',
        'the events to send, separated by commas: article.*, mail.bounced; default: all',
      )
      .option('--label <label>', 'a name for people', ''),
    `The secret alone goes to standard output, so that a script can take it. A server in a private network must be listed in
WEBHOOK_NETWORKS of the service.

Examples:
  ws01 webhook add https://hooks.example.com/ws01
  ws01 webhook add https://hooks.example.com/mail --types mail.bounced,mail.failed --label "bounces"`,
    async ({ store }, url: string, { types = '', label }: { types?: string; label: string }) => {
      const webhook = { url, label, types: typesIn(types) };
      const { id, secret } = await store.write((tx) =>
        addWebhook(tx, webhook, Date.now(), undefined),
      );
      const next = `Keep it: it is shown only now. To see whether calls arrive: ws01 webhook test ${id}`;
      return { json: { id, secret }, text: `${secret}\n`, remarks: [next] };
    },
  );
}

function editCommand(): Command {
  const command = new Command('edit')
    .description('Change where a webhook is called, of what, or its label; its secret stays')
    .argument(...ID)
    .option('--url <url>', 'the new URL, http or https; what waits goes there, too')
    .option('--types <types>', 'the new types of events, separated by commas; * for all')
    .option('--label <label>', 'a name for people');
  return answering(
    checkedUse<EditOptions>(
      command,
      'Give what to change: --url, --types or --label.',
      ({ url, types, label }) => (url ?? types ?? label) !== undefined,
    ),
    'Examples:\n  ws01 webhook edit 019aa0f2-6c1e-7b3a-9d51-1f2e3d4c5b6a --types article.*,mail.bounced',
    async ({ store }, id: string, { url, types, label }: EditOptions) => {
      const edit = { url, label, types: types === undefined ? undefined : typesIn(types) };
      const changed = await store.write((tx) => editWebhook(tx, id, edit, Date.now(), undefined));
      if (changed === undefined) throw unknown(id);
      const said = changed ? 'done' : 'nothing to change';
      return { json: { id, changed }, text: `edit ${id}: ${said}.\n` };
    },
  );
}

interface EditOptions {
  readonly url?: string;
  readonly types?: string;
  readonly label?: string;
}

/** The types of an option, separated by commas. */
const typesIn = (text: string): string[] =>
  text
    .split(',')
    .map((type) => type.trim())
    .filter((type) => type !== '');

function webhookListCommand(): Command {
  return listCommand({
    record: WEBHOOKS,
    description: 'List the webhooks and the state of their deliveries',
    help: `Examples:
  ws01 webhook list
  ws01 webhook list --json`,
    columns: [
      ['ID', 'id'],
      ['STATE', 'state'],
      ['WAITING', 'waiting'],
      ['FAILED', 'failed'],
      ['TYPES', 'types'],
      ['URL', 'url'],
      ['LABEL', 'label'],
    ],
    none: () => 'There are no webhooks. To add one: ws01 webhook add <url>',
    sort: 'created',
  });
}

const retryOf: Change = (tx, id, at, by, { webhookRetryDays }) =>
  retryWebhook(tx, id, at, by, webhookRetryDays * DAY_MS);

function rotateCommand(): Command {
  return answering(
    new Command('rotate')
      .description('Create a new secret, shown once; the old one keeps signing for a day')
      .argument(...ID),
    'Examples:\n  ws01 webhook rotate 019aa0f2-6c1e-7b3a-9d51-1f2e3d4c5b6a',
    async ({ store }, id: string) => {
      const secret = await store.write((tx) => rotateSecret(tx, id, Date.now(), undefined));
      if (secret === undefined) throw unknown(id);
      return { json: { id, secret }, text: `${secret}\n` };
    },
  );
}

/** Changes a webhook, for an operator; returns `undefined` if there is none of that id. */
type Change = (
  tx: Kysely<Tables>,
  id: string,
  at: Instant,
  by: undefined,
  config: Config,
) => Promise<boolean | number | undefined>;

/** Creates a command that changes one webhook. */
function changeCommand(name: string, description: string, change: Change): Command {
  return answering(
    new Command(name).description(description).argument(...ID),
    `Examples:\n  ws01 webhook ${name} 019aa0f2-6c1e-7b3a-9d51-1f2e3d4c5b6a`,
    async ({ store, config }, id: string) => {
      const changed = await store.write((tx) => change(tx, id, Date.now(), undefined, config));
      if (changed === undefined) throw unknown(id);
      const done = changed ? 'done' : 'nothing to change';
      const said = typeof changed === 'number' ? `${changed} events` : done;
      return { json: { id, changed }, text: `${name} ${id}: ${said}.\n` };
    },
  );
}

function unknown(id: string): CommandFailure {
  return new CommandFailure(`There is no webhook ${JSON.stringify(id)}; see ws01 webhook list.`);
}
