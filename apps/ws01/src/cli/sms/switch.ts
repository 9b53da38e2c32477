import { Command } from 'commander';
import { smsOffSince, switchSms } from '../../domain/sms/switch.ts';
import { jsonInstant, print, printJson, shownInstant } from '../io/output.ts';
import { withStore } from '../io/session.ts';

const SAID = {
  off: 'Text messages are off: CreateVerifyCode answers SmsUnavailable, and what waits is cancelled.\n',
  on: 'Text messages are on.\n',
};

/** `ws01 sms off` and `ws01 sms on`. */
export function smsSwitchCommand(to: 'on' | 'off'): Command {
  const help = {
    off: `
At once, on all nodes and without a restart: CreateVerifyCode answers SmsUnavailable, and messages that wait are
cancelled. For when somebody has messages sent at your expense; see docs/operations/sms.md. ws01 sms on ends it.

Examples:
  ws01 sms off`,
    on: `
Examples:
  ws01 sms on`,
  };
  return new Command(to)
    .description(
      to === 'off'
        ? 'Stop sending text messages until ws01 sms on'
        : 'Resume sending text messages',
    )
    .option('--json', 'print one JSON object')
    .addHelpText('after', help[to])
    .action(({ json }: { json?: true }) =>
      withStore(async (store) => {
        const changed = await switchSms(store, to, Date.now());
        await (json ? printJson({ sms: to, changed }) : print(SAID[to]));
      }),
    );
}

/** `ws01 sms status`. */
export function smsStatusCommand(): Command {
  return new Command('status')
    .description('Show whether text messages are sent, or since when they are off')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `
Examples:
  ws01 sms status`,
    )
    .action(({ json }: { json?: true }) =>
      withStore(async (store) => {
        const since = await store.read(smsOffSince);
        if (json)
          await printJson({
            sms: since === undefined ? 'on' : 'off',
            offSince: jsonInstant(since ?? null),
          });
        else
          await print(
            since === undefined ? SAID.on : `Text messages are off since ${shownInstant(since)}.\n`,
          );
      }),
    );
}
