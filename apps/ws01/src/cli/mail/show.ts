import { Command } from 'commander';
import { MAILS } from '../../records/mails.ts';
import { answering } from '../io/answering.ts';
import { cellOf, readItem } from '../io/list.ts';
import { table } from '../io/table.ts';

export function mailShowCommand(): Command {
  return answering(
    new Command('show')
      .description('Show one mail with its body')
      .argument('<id>', 'its id, see ws01 mail list'),
    'Examples:\n  ws01 mail show 019aa0f2-6c1e-7b3a-9d51-1f2e3d4c5b6a',
    async ({ store, config }, id: string) => {
      const mail = await readItem(store, config, MAILS, id);
      const { body, ...head } = mail;
      const shown = Object.entries(head).map(([name, value]) => [name, cellOf(value)]);
      // A body must not control the terminal.
      const harmless = String(body).replace(/[^\P{Cc}\n\t]/gu, '\ufffd');
      return { json: mail, text: `${table([], shown)}\n${harmless}\n` };
    },
  );
}
