import { Command } from 'commander';
import { cancelSms, retrySms } from '../../domain/sms/change.ts';
import { print, printJson } from '../io/output.ts';
import { withStore } from '../io/session.ts';

const VERBS = {
  retry: {
    change: retrySms,
    description: 'Retry text messages that failed, while their codes are valid',
    help: 'A running service sends them immediately. A code is valid for three minutes; after that the user must request another.',
    said: 'Queued',
  },
  cancel: {
    change: cancelSms,
    description: 'Cancel text messages that wait',
    help: 'The code itself stays valid. To stop all text messages: ws01 sms off.',
    said: 'Cancelled',
  },
} as const;

/** `ws01 sms retry` and `ws01 sms cancel`. */
export function smsChangeCommand(verb: keyof typeof VERBS): Command {
  const { change, description, help, said } = VERBS[verb];
  return new Command(verb)
    .description(description)
    .argument('<id...>', 'their ids, see ws01 sms list')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `\n${help}\n\nExamples:\n  ws01 sms ${verb} 019aa0f2-6c1e-7b3a-9d51-1f2e3d4c5b6a`,
    )
    .action((ids: string[], { json }: { json?: true }) =>
      withStore(async (store) => {
        for (const id of ids) {
          await store.write((tx) => change(tx, { id, by: undefined, at: Date.now() }));
          if (!json) await print(`${said} ${id}.\n`);
        }
        if (json) await printJson({ [said.toLowerCase()]: ids });
      }),
    );
}
