import { Command } from 'commander';
import { showMail } from '../../domain/mail/admin.ts';
import { print, printJson } from '../io/output.ts';
import { withStore } from '../io/session.ts';
import { table } from '../io/table.ts';
import { jsonOfMail } from './list.ts';

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
      withStore(async (store) => {
        const { body, ...mail } = await showMail(store, id);
        const shown = jsonOfMail(mail);
        if (json) {
          await printJson({ ...shown, body });
          return;
        }
        const head = Object.entries(shown).map(([name, value]) => [name, String(value ?? '-')]);
        // A body must not control the terminal.
        await print(`${table([], head)}\n${body.replace(/[^\P{Cc}\n\t]/gu, '\ufffd')}\n`);
      }),
    );
}
