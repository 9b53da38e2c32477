import { Command } from 'commander';
import type { Kysely } from 'kysely';
import type { Config } from '../../config/config.ts';
import {
  addWebhook,
  disableWebhook,
  enableWebhook,
  listWebhooks,
  removeWebhook,
  retryWebhook,
  rotateSecret,
  testWebhook,
} from '../../domain/webhooks/webhooks.ts';
import type { Tables } from '../../store/tables/tables.ts';
import { CommandFailure } from '../failure.ts';
import { jsonInstant, print, printJson, remark } from '../io/output.ts';
import { withStore } from '../io/session.ts';
import { table } from '../io/table.ts';

const DAY_MS = 86_400_000;

interface Json {
  readonly json?: true;
}

export function webhookCommands(): readonly Command[] {
  return [
    addCommand(),
    listCommand(),
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
    .description('Tell a server of events from now on; its secret is shown once')
    .argument('<url>', 'what is called, http or https')
    .option(
      '--types <types>',
      'what it is told of, separated by commas: article.*, mail.bounced; everything without it',
    )
    .option('--label <label>', 'what people call it', '')
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
        const wanted = types.split(',').filter((type) => type.trim() !== '');
        const webhook = { url, label, types: wanted.map((type) => type.trim()) };
        const { id, secret } = await store.write((tx) => addWebhook(tx, webhook, Date.now(), undefined));
        if (json) return printJson({ id, secret });
        await print(`${secret}\n`);
        remark(`Keep it: it is shown only now. To see whether calls arrive: ws01 webhook test ${id}`);
      }),
    );
}

function listCommand(): Command {
  return withJson(new Command('list'))
    .description('Webhooks, and how far what they are told is')
    .addHelpText('after', '\nExamples:\n  ws01 webhook list\n  ws01 webhook list --json')
    .action(({ json }: Json) =>
      withStore(async (store) => {
        const webhooks = await store.read(listWebhooks);
        if (json) {
          const items = webhooks.map(({ created_at, disabled_at, disabled_reason, retried_at, ...webhook }) => ({
            ...webhook,
            createdAt: jsonInstant(created_at),
            disabledAt: jsonInstant(disabled_at ?? undefined),
            disabledReason: disabled_reason,
          }));
          return printJson({ webhooks: items });
        }
        const rows = webhooks.map(({ id, url, types, label, deliveries, disabled_at }) => {
          const count = (...states: string[]) =>
            String(states.reduce((sum, state) => sum + (deliveries[state] ?? 0), 0));
          const waiting = count('queued', 'deferred', 'sending');
          const state = disabled_at === null ? 'on' : 'disabled';
          return [id, state, waiting, count('sent'), count('failed', 'bounced'), types.join(','), url, label];
        });
        await print(table(['ID', 'STATE', 'WAITING', 'TOLD', 'FAILED', 'TYPES', 'URL', 'LABEL'], rows));
      }),
    );
}

function removeCommand(): Command {
  return changeCommand('remove', 'Remove a webhook, and what is on its way to it', (tx, id) =>
    removeWebhook(tx, id, Date.now(), undefined),
  );
}

function disableCommand(): Command {
  return changeCommand('disable', 'Tell a webhook of nothing any more', (tx, id) =>
    disableWebhook(tx, id, Date.now(), undefined),
  );
}

function enableCommand(): Command {
  return changeCommand('enable', 'Tell a webhook of events again, from now on', (tx, id) =>
    enableWebhook(tx, id, Date.now(), undefined),
  );
}

function testCommand(): Command {
  return changeCommand('test', 'Have a running service send it an event that tells of nothing', async (tx, id) =>
    (await testWebhook(tx, id, Date.now())) ? true : undefined,
  );
}

function retryCommand(): Command {
  return changeCommand('retry', 'Send the events that wait, and those that were given up, at once', (tx, id, config) =>
    retryWebhook(tx, id, Date.now(), undefined, config.webhookRetryDays * DAY_MS),
  );
}

function rotateCommand(): Command {
  return withJson(new Command('rotate'))
    .description('Give it another secret, shown once; the one before signs as well for a day')
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

/** A command that changes one webhook. @param change `undefined` where there is none. */
function changeCommand(
  name: string,
  description: string,
  change: (tx: Kysely<Tables>, id: string, config: Config) => Promise<boolean | number | undefined>,
): Command {
  return withJson(new Command(name))
    .description(description)
    .argument('<id>', 'see ws01 webhook list')
    .addHelpText('after', `\nExamples:\n  ws01 webhook ${name} 019aa0f2-6c1e-7b3a-9d51-1f2e3d4c5b6a`)
    .action((id: string, { json }: Json) =>
      withStore(async (store, config) => {
        const changed = await store.write((tx) => change(tx, id, config));
        if (changed === undefined) throw unknown(id);
        if (json) return printJson({ id, changed });
        const said = typeof changed === 'number' ? `${changed} events` : changed ? 'done' : 'nothing to change';
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
