import { Command } from 'commander';
import { sendTestMail } from '../../app/mail-trial.ts';
import { publicAddresses } from '../../config/config.ts';
import { auditAct } from '../../domain/audit/audit.ts';
import { toldOfTrial } from '../../domain/mail/trial.ts';
import { parseAddress } from '../../domain/values/email-address.ts';
import { isCertificateProblem } from '../../failure/certificate.ts';
import { CommandFailure, UsageFailure } from '../failure.ts';
import { answering } from '../io/answering.ts';

export function mailTestCommand(): Command {
  return answering(
    new Command('test')
      .description('Send a test mail without the queue, and show the dialogue with the mail server')
      .argument('<address>', 'the recipient'),
    `The mail is from MAIL_FROM and signed as all are. > is what we say, < what the server says; credentials are masked.

Examples:
  ws01 mail test me@example.com`,
    async ({ store, config }, address: string) => {
      const parsed = parseAddress(address);
      if (parsed.kind !== 'address') throw new UsageFailure(`${address} is not an e-mail address.`);
      if (config.smtpServer === undefined)
        throw new CommandFailure('No mail server is configured; set SMTP_URL.');
      const { host, port } = config.smtpServer;
      const { baseUrl } = publicAddresses(config, config.port);
      const trial = await sendTestMail(config, baseUrl, parsed.address);
      const { isSent: sent, reply, dialogue } = trial;
      await store.write((tx) =>
        auditAct(
          tx,
          'mail.test',
          undefined,
          Date.now(),
          undefined,
          toldOfTrial(trial, parsed.address),
        ),
      );
      return {
        json: { sent, reply, dialogue },
        text: dialogue.map((line) => `${line}\n`).join(''),
        failure: sent ? undefined : new CommandFailure(whyNot(reply, dialogue, `${host}:${port}`)),
      };
    },
  );
}

function whyNot(reply: string, dialogue: readonly string[], server: string): string {
  if (isCertificateProblem(reply)) return `The mail was not sent over ${server}: ${reply}.`;
  return dialogue.some((line) => line.startsWith('<'))
    ? `The mail server refused the mail: ${reply}`
    : `No mail server answers at ${server}: ${reply}; check SMTP_URL and the firewall.`;
}
