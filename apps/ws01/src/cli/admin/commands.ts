import { HOUR_MS } from '@ws01/asmx/time';
import { Command, Option } from 'commander';
import type { Item } from '../../api/kind.ts';
import { type Config, consoleUrl } from '../../config/config.ts';
import { commandName } from '../../config/environment.ts';
import { ROLES, type Role } from '../../contract/roles.ts';
import { addAdmin, LINK_MS, removeAdmin, resetAdmin } from '../../domain/admins/admins.ts';
import { ADMINS } from '../../records/admins.ts';
import { answering } from '../io/answering.ts';
import { cellOf, listCommand } from '../io/list.ts';
import { jsonInstant } from '../io/output.ts';
import { notedConsole } from '../serve/console-address.ts';

const NAME = ['<name>', 'the name to sign in with'] as const;

export function adminCommands(): readonly Command[] {
  return [addCommand(), adminListCommand(), resetCommand(), removeCommand()];
}

function addCommand(): Command {
  const command = new Command('add')
    .description(
      'Give a person access to the console, and print a link to set up a passkey or a password',
    )
    .argument(...NAME)
    .addOption(
      new Option('--role <role>', 'what the person may do')
        .choices([...ROLES])
        .default(undefined, 'owner for the first person, then moderator'),
    );
  return answering(
    command,
    `The first person is an owner, if you do not say otherwise. An owner may do everything; a moderator everything but tokens, settings and the data of persons; a reader only looks.
The link works once, and for a day.

Examples:
  ws01 admin add ada --role owner
  ws01 admin add bob`,
    async ({ store, config }, name: string, { role }: { role?: Role }) =>
      linkTo(config, name, await addAdmin(store, { name, role }, Date.now)),
  );
}

function adminListCommand(): Command {
  return listCommand({
    record: ADMINS,
    description: 'List who may use the console',
    help: `Examples:
  ws01 admin list
  ws01 admin list --json`,
    columns: [
      ['NAME', 'name'],
      ['ROLE', 'role'],
      ['SIGNS IN BY', waysOf],
      ['SESSIONS', 'sessions'],
      ['LAST SIGN-IN', 'signedInAt'],
      ['LINK UNTIL', 'linkUntil'],
      ['ADDED', 'createdAt'],
    ],
    none: () =>
      `Nobody has access to the console yet. To add yourself: ${commandName()} admin add NAME --role owner`,
  });
}

function resetCommand(): Command {
  return answering(
    new Command('reset')
      .description(
        'Remove the passkeys and the password of a person, end their sessions, and print a new link',
      )
      .argument(...NAME),
    `For who has lost a device or a password, or left one behind. The role stays.

Examples:
  ws01 admin reset ada`,
    async ({ store, config }, name: string) =>
      linkTo(config, name, await resetAdmin(store, name, Date.now)),
  );
}

function removeCommand(): Command {
  return answering(
    new Command('remove')
      .description('Remove a person from the console, and end their sessions')
      .argument(...NAME),
    `What the person did stays in the audit trail.

Examples:
  ws01 admin remove bob`,
    async ({ store }, given: string) => {
      const admin = await removeAdmin(store, given, Date.now);
      return { json: { ...admin, removed: true }, text: `Removed ${admin.name}, ${admin.role}.\n` };
    },
  );
}

/**
 * The link with which an admin sets up a password or passkey. Standard output gets only the link.
 * @param secret of the link.
 */
async function linkTo(config: Config, name: string, secret: string) {
  const at = (await notedConsole(config.dataDir)) ?? consoleUrl(config, config.port);
  const link = `${at}/set-up/${secret}`;
  const open = `Open it within ${LINK_MS / HOUR_MS} hours to choose a passkey or a password; it works once.`;
  const off = 'CONSOLE is off: the service serves no console until you set it to on.';
  return {
    json: { name, link, expiresAt: jsonInstant(Date.now() + LINK_MS) },
    text: `${link}\n`,
    remarks: config.console ? [open] : [open, off],
  };
}

function waysOf({ passkeys, hasPassword }: Item): string {
  return cellOf(
    [
      ...(Number(passkeys) > 0 ? ['passkey'] : []),
      ...(hasPassword === true ? ['password'] : []),
    ].join(', '),
  );
}
