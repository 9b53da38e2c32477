import { Command } from 'commander';
import { findSuppression, suppress } from '../../../domain/mail/suppressions.ts';
import { SUPPRESSIONS } from '../../../records/mails.ts';
import { readItem } from '../../io/list.ts';
import { print, printJson } from '../../io/output.ts';
import { withStore } from '../../io/session.ts';

export function mailSuppressAddCommand(): Command {
  return new Command('add')
    .description('Send no more mail to an address')
    .argument('<address>', 'one e-mail address')
    .option('--note <text>', 'the reason, shown in reports', '')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `
Mails to it, those that are queued included, end as suppressed. Adding it again changes nothing.

Examples:
  ws01 mail suppress add grace@example.com --note "asked us to"`,
    )
    .action((address: string, { note, json }: { note: string; json?: true }) =>
      withStore(async (store, config) => {
        const suppression = await store.write(async (tx) => {
          await suppress(tx, { address, note, by: undefined, at: Date.now() });
          return (await findSuppression(tx, address))!;
        });
        await (json
          ? printJson(await readItem(store, config, SUPPRESSIONS, suppression.address))
          : print(`No more mail is sent to ${suppression.address}.\n`));
      }),
    );
}
