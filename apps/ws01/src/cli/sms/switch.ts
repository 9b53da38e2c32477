import { Command } from 'commander';
import { smsOffSince, switchSms } from '../../domain/sms/switch.ts';
import { answering } from '../io/answering.ts';
import { jsonInstant, shownInstant } from '../io/output.ts';

const SAID = {
  off: 'Text messages are off: CreateVerifyCode answers SmsUnavailable, and what waits is cancelled.\n',
  on: 'Text messages are on.\n',
};

/** `ws01 sms off` and `ws01 sms on`. */
export function smsSwitchCommand(to: 'on' | 'off'): Command {
  const help = {
    off: `At once, on all nodes and without a restart: CreateVerifyCode answers SmsUnavailable, and messages that wait are
cancelled. For when somebody has messages sent at your expense; see docs/operations/sms.md. ws01 sms on ends it.

Examples:
  ws01 sms off`,
    on: `Examples:
  ws01 sms on`,
  };
  const description = {
    off: 'Stop sending text messages until ws01 sms on',
    on: 'Resume sending text messages',
  };
  return answering(new Command(to).description(description[to]), help[to], async ({ store }) => {
    const changed = await switchSms(store, to, Date.now());
    return { json: { sms: to, changed }, text: SAID[to] };
  });
}

/** `ws01 sms status`. */
export function smsStatusCommand(): Command {
  return answering(
    new Command('status').description(
      'Show whether text messages are sent, or since when they are off',
    ),
    'Examples:\n  ws01 sms status',
    async ({ store }) => {
      const since = await store.read(smsOffSince);
      if (since === undefined) return { json: { sms: 'on', offSince: null }, text: SAID.on };
      return {
        json: { sms: 'off', offSince: jsonInstant(since) },
        text: `Text messages are off since ${shownInstant(since)}.\n`,
      };
    },
  );
}
