import { Command, Option } from 'commander';
import { ROLES, type Role } from '../../contract/roles.ts';
import { addAdmin } from '../../domain/admins/admins.ts';
import { withStore } from '../io/session.ts';
import { showLink } from './link.ts';

interface Options {
  readonly role: Role;
  readonly json?: true;
}

export function adminAddCommand(): Command {
  return new Command('add')
    .description(
      'Give a person access to the console, and print a link to set up a passkey or a password',
    )
    .argument('<name>', 'the name to sign in with')
    .addOption(
      new Option('--role <role>', 'what the person may do')
        .choices([...ROLES])
        .default('moderator'),
    )
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `
An owner may do everything; a moderator everything but tokens, settings and the data of persons; a reader only looks.
The link works once, and for a day.

Examples:
  ws01 admin add ada --role owner
  ws01 admin add bob`,
    )
    .action((name: string, { role, json }: Options) =>
      withStore(async (store, config) =>
        showLink(config, name, await addAdmin(store, { name, role }, Date.now), json === true),
      ),
    );
}
