import { Command } from 'commander';
import { removeAdmin } from '../../domain/admins/admins.ts';
import { print, printJson } from '../io/output.ts';
import { withStore } from '../io/session.ts';

export function adminRemoveCommand(): Command {
  return new Command('remove')
    .description('Remove a person from the console, and end their sessions')
    .argument('<name>', 'the name to sign in with')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `
What the person did stays in the audit trail.

Examples:
  ws01 admin remove bob`,
    )
    .action((name: string, { json }: { json?: true }) =>
      withStore(async (store) => {
        const admin = await removeAdmin(store, name, Date.now);
        await (json
          ? printJson({ ...admin, removed: true })
          : print(`Removed ${admin.name}, ${admin.role}.\n`));
      }),
    );
}
