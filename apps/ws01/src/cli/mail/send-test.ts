import { Command } from 'commander';
import { sendTestMail } from '../../app/mail-trial.ts';
import { publicAddresses } from '../../config/config.ts';
import { recordAudit } from '../../domain/audit/audit.ts';
import { parseAddress } from '../../domain/values/email-address.ts';
import { CommandFailure } from '../failure.ts';
import { print, printJson } from '../io/output.ts';
import { withStore } from '../io/session.ts';

export function mailTestCommand(): Command {
  return new Command('test')
    .description('Send a test mail without the queue, and show the dialogue with the mail server')
    .argument('<address>', 'the recipient')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `
The mail is from MAIL_FROM and signed as all are. > is what we say, < what the server says; credentials are masked.

Examples:
  ws01 mail test me@example.com`,
    )
    .action((address: string, { json }: { json?: true }) =>
      withStore(async (store, config) => {
        const parsed = parseAddress(address);
        if (parsed.kind !== 'address')
          throw new CommandFailure(`${address} is not an e-mail address.`, { exitCode: 2 });
        if (config.smtpServer === undefined)
          throw new CommandFailure('No mail server is configured; set SMTP_URL.');
        const { baseUrl } = publicAddresses(config, config.port);
        const trial = await sendTestMail(config, baseUrl, parsed.address);
        const { isSent: sent, reply, dialogue } = trial;
        await store.write((tx) =>
          recordAudit(tx, {
            at: Date.now(),
            tokenId: undefined,
            action: 'mail.test',
            target: { kind: 'mail', key: undefined },
            address: undefined,
            details: { sent },
          }),
        );
        await (json
          ? printJson({ sent, reply, dialogue })
          : print(dialogue.map((line) => `${line}\n`).join('')));
        if (!sent) throw new CommandFailure(`The mail server refused the mail: ${reply}`);
      }),
    );
}
