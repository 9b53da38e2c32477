import { Command } from 'commander';
import { unsuppress } from '../../../domain/mail/suppressions.ts';
import { CommandFailure } from '../../failure.ts';
import { print, printJson } from '../../io/output.ts';
import { withStore } from '../../io/session.ts';

export function mailSuppressRemoveCommand(): Command {
  return new Command('remove')
    .description('Send mail to an address again')
    .argument('<address>', 'one e-mail address')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `
Mails that were suppressed meanwhile stay so; ws01 mail retry sends them.

Examples:
  ws01 mail suppress remove grace@example.com`,
    )
    .action((address: string, { json }: { json?: true }) =>
      withStore(async (store) => {
        if (
          !(await store.write((tx) => unsuppress(tx, { address, by: undefined, at: Date.now() })))
        ) {
          throw new CommandFailure('The suppression list does not have that address.');
        }
        await (json
          ? printJson({ removed: address })
          : print(`Mail to ${address} is sent again.\n`));
      }),
    );
}
