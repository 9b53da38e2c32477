import type { OnSmtpLine } from '../adapters/mail/smtp-session.ts';
import type { MailTrial } from '../api/mail-server-routes.ts';
import type { Config } from '../config/config.ts';
import { newKey } from '../domain/values/keys.ts';
import { DependencyError, isFailureOf } from '../failure/dependency-error.ts';
import { dkimOf, domainOf, mailboxOf } from './message-workers.ts';

/** Shorter timeouts than for a delivery, because a person is waiting; ms. */
const TIMEOUTS = { connect: 10_000, command: 20_000, message: 60_000 };

/**
 * Sends a test mail by the mail server of the settings. A failure of the server is in what it
 * returns.
 */
export async function sendTestMail(
  config: Config,
  baseUrl: string,
  to: string,
): Promise<MailTrial> {
  const dialogue: string[] = [];
  const onLine: OnSmtpLine = (side, line) =>
    dialogue.push(`${side === 'client' ? '>' : '<'} ${line}`);
  try {
    const reply = await tryMailServer(config, baseUrl, to, onLine);
    return { isSent: true, reply, dialogue };
  } catch (error) {
    if (!isFailureOf('mail', error)) throw error;
    return { isSent: false, reply: error.message, dialogue };
  }
}

/**
 * Tests the mail server of the settings: connects, starts TLS, signs in and, with a recipient,
 * sends a mail.
 * @param to an e-mail address; `undefined` sends nothing.
 * @param onLine gets each line of the dialogue, with credentials masked.
 * @returns the server's last reply.
 * @throws {DependencyError} of `mail`.
 */
export async function tryMailServer(
  config: Config,
  baseUrl: string,
  to: string | undefined,
  onLine: OnSmtpLine,
): Promise<string> {
  const { smtpServer, serviceName } = config;
  if (smtpServer === undefined)
    throw new DependencyError('mail', 'misconfigured', 'SMTP_URL is not set.');
  const { SmtpSession } = await import('../adapters/mail/smtp-session.ts');
  const from = mailboxOf(config, baseUrl);
  const domain = domainOf(from.address);
  const signal = new AbortController().signal;
  let last = '';
  const session = await SmtpSession.open(smtpServer, TIMEOUTS, signal, (side, line) => {
    if (side === 'server') last = line;
    onLine(side, line);
  });
  try {
    if (to === undefined) return last;
    const { createComposer } = await import('../adapters/mail/message.ts');
    const message = await createComposer(dkimOf(config, domain))(
      {
        messageId: `<${newKey()}@${domain}>`,
        date: Date.now(),
        from,
        to: { name: '', address: to },
        replyTo: undefined,
        subject: `${serviceName}: test mail`,
        body: `Somebody tried whether mails of ${serviceName} arrive: this one did.\n`,
      },
      session.smtpUtf8,
    );
    return await session.send({ from: from.address, to, message }, signal, () => true);
  } finally {
    session.quit();
  }
}
