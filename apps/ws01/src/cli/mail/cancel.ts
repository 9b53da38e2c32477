import { Command } from 'commander';
import { cancelMail } from '../../domain/mail/admin.ts';
import { print, printJson } from '../io/output.ts';
import { withStore } from '../io/session.ts';

export function mailCancelCommand(): Command {
  return new Command('cancel')
    .description('Take back mails that are kept, queued or deferred')
    .argument('<id...>', 'their ids, see ws01 mail list')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `
A mail that is on its way or has come to its end is not cancelled. Cancelling again changes nothing.

Examples:
  ws01 mail cancel 019aa0f2-6c1e-7b3a-9d51-1f2e3d4c5b6a`,
    )
    .action((ids: string[], { json }: { json?: true }) =>
      withStore(async (store) => {
        for (const id of ids) {
          await cancelMail(store, id, Date.now);
          if (!json) await print(`Cancelled ${id}.\n`);
        }
        if (json) await printJson({ cancelled: ids });
      }),
    );
}
