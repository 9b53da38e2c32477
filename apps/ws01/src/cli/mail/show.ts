import { Command } from 'commander';
import { MAILS } from '../../records/mails.ts';
import { cellOf, readItem } from '../io/list.ts';
import { print, printJson } from '../io/output.ts';
import { withStore } from '../io/session.ts';
import { table } from '../io/table.ts';

export function mailShowCommand(): Command {
  return new Command('show')
    .description('Show one mail with its body')
    .argument('<id>', 'its id, see ws01 mail list')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `
Examples:
  ws01 mail show 019aa0f2-6c1e-7b3a-9d51-1f2e3d4c5b6a`,
    )
    .action((id: string, { json }: { json?: true }) =>
      withStore(async (store, config) => {
        const mail = await readItem(store, config, MAILS, id);
        if (json) return printJson(mail);
        const { body, ...head } = mail;
        const shown = Object.entries(head).map(([name, value]) => [name, cellOf(value)]);
        // A body must not control the terminal.
        await print(`${table([], shown)}\n${String(body).replace(/[^\P{Cc}\n\t]/gu, '\ufffd')}\n`);
      }),
    );
}
