import { Command } from 'commander';
import { resetAdmin } from '../../domain/admins/admins.ts';
import { withStore } from '../io/session.ts';
import { showLink } from './link.ts';

export function adminResetCommand(): Command {
  return new Command('reset')
    .description(
      'Remove the passkeys and the password of a person, end their sessions, and print a new link',
    )
    .argument('<name>', 'the name to sign in with')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `
For who has lost a device or a password, or left one behind. The role stays.

Examples:
  ws01 admin reset ada`,
    )
    .action((name: string, { json }: { json?: true }) =>
      withStore(async (store, config) =>
        showLink(config, name, await resetAdmin(store, name, Date.now), json === true),
      ),
    );
}
