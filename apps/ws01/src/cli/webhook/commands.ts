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
import type { Tables } from '../../store/tables/tables.ts';
import { CommandFailure } from '../failure.ts';
import { listCommand } from '../io/list.ts';
import { print, printJson, remark } from '../io/output.ts';
import { withStore } from '../io/session.ts';

const DAY_MS = 86_400_000;

interface Json {
  readonly json?: true;
}

export function webhookCommands(): readonly Command[] {
  return [
    addCommand(),
    editCommand(),
    webhookListCommand(),
    removeCommand(),
    disableCommand(),
    enableCommand(),
    testCommand(),
    retryCommand(),
    rotateCommand(),
  ];
}

function addCommand(): Command {
  return withJson(new Command('add'))
    .description('Send events to a server from now on; the secret is shown once')
    .argument('<url>', 'the URL to call, http or https')
    .option(
      '--types <types>',
      'the events to send, separated by commas: article.*, mail.bounced; default: all',
    )
    .option('--label <label>', 'a name for people', '')
    .addHelpText(
      'after',
      `
The secret alone goes to standard output, so that a script can take it. A server in a private network must be listed in
WEBHOOK_NETWORKS of the service.

Examples:
  ws01 webhook add https://hooks.example.com/ws01
  ws01 webhook add https://hooks.example.com/mail --types mail.bounced,mail.failed --label "bounces"`,
    )
    .action((url: string, { types = '', label, json }: Json & { types?: string; label: string }) =>
      withStore(async (store) => {
        const webhook = { url, label, types: typesIn(types) };
        const { id, secret } = await store.write((tx) =>
          addWebhook(tx, webhook, Date.now(), undefined),
        );
        if (json) return printJson({ id, secret });
        await print(`${secret}\n`);
        remark(
          `Keep it: it is shown only now. To see whether calls arrive: ws01 webhook test ${id}`,
        );
      }),
    );
}

function editCommand(): Command {
  return withJson(new Command('edit'))
    .description('Change where a webhook is called, of what, or its label; its secret stays')
    .argument('<id>', 'see ws01 webhook list')
    .option('--url <url>', 'the new URL, http or https; what waits goes there, too')
    .option('--types <types>', 'the new types of events, separated by commas; * for all')
    .option('--label <label>', 'a name for people')
    .addHelpText(
      'after',
      '\nExamples:\n  ws01 webhook edit 019aa0f2-6c1e-7b3a-9d51-1f2e3d4c5b6a --types article.*,mail.bounced',
    )
    .action((id: string, { url, types, label, json }: EditOptions, command: Command) => {
      if (url === undefined && types === undefined && label === undefined)
        command.error('Give what to change: --url, --types or --label.', { exitCode: 2 });
      const edit = { url, label, types: types === undefined ? undefined : typesIn(types) };
      return withStore(async (store) => {
        const changed = await store.write((tx) => editWebhook(tx, id, edit, Date.now(), undefined));
        if (changed === undefined) throw unknown(id);
        const said = changed ? 'done' : 'nothing to change';
        await (json ? printJson({ id, changed }) : print(`edit ${id}: ${said}.\n`));
      });
    });
}

interface EditOptions extends Json {
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

function removeCommand(): Command {
  return changeCommand('remove', 'Remove a webhook and its pending events', (tx, id) =>
    removeWebhook(tx, id, Date.now(), undefined),
  );
}

function disableCommand(): Command {
  return changeCommand('disable', 'Stop sending events to a webhook', (tx, id) =>
    disableWebhook(tx, id, Date.now(), undefined),
  );
}

function enableCommand(): Command {
  return changeCommand('enable', 'Send events to a webhook again, from now on', (tx, id) =>
    enableWebhook(tx, id, Date.now(), undefined),
  );
}

function testCommand(): Command {
  return changeCommand('test', 'Have the running service send a test event', async (tx, id) =>
    (await testWebhook(tx, id, Date.now())) ? true : undefined,
  );
}

function retryCommand(): Command {
  return changeCommand('retry', 'Retry the pending and the failed events now', (tx, id, config) =>
    retryWebhook(tx, id, Date.now(), undefined, config.webhookRetryDays * DAY_MS),
  );
}

function rotateCommand(): Command {
  return withJson(new Command('rotate'))
    .description('Create a new secret, shown once; the old one keeps signing for a day')
    .argument('<id>', 'see ws01 webhook list')
    .addHelpText('after', '\nExamples:\n  ws01 webhook rotate 019aa0f2-6c1e-7b3a-9d51-1f2e3d4c5b6a')
    .action((id: string, { json }: Json) =>
      withStore(async (store) => {
        const secret = await store.write((tx) => rotateSecret(tx, id, Date.now(), undefined));
        if (secret === undefined) throw unknown(id);
        await (json ? printJson({ id, secret }) : print(`${secret}\n`));
      }),
    );
}

/**
 * Creates a command that changes one webhook.
 * @param change returns `undefined` if there is no such webhook.
 */
function changeCommand(
  name: string,
  description: string,
  change: (tx: Kysely<Tables>, id: string, config: Config) => Promise<boolean | number | undefined>,
): Command {
  return withJson(new Command(name))
    .description(description)
    .argument('<id>', 'see ws01 webhook list')
    .addHelpText(
      'after',
      `\nExamples:\n  ws01 webhook ${name} 019aa0f2-6c1e-7b3a-9d51-1f2e3d4c5b6a`,
    )
    .action((id: string, { json }: Json) =>
      withStore(async (store, config) => {
        const changed = await store.write((tx) => change(tx, id, config));
        if (changed === undefined) throw unknown(id);
        if (json) return printJson({ id, changed });
        const said =
          typeof changed === 'number'
            ? `${changed} events`
            : changed
              ? 'done'
              : 'nothing to change';
        await print(`${name} ${id}: ${said}.\n`);
      }),
    );
}

function unknown(id: string): CommandFailure {
  return new CommandFailure(`There is no webhook ${JSON.stringify(id)}; see ws01 webhook list.`);
}

function withJson(command: Command): Command {
  return command.option('--json', 'print one JSON object');
}
