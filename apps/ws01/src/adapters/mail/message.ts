import { createHash } from 'node:crypto';
import nodemailer from 'nodemailer';
import { encodeWord } from 'nodemailer/lib/mime-funcs';
import { isHtml, textOf } from './html.ts';
import { REFERENCE_HEADER } from './notices/notice.ts';
import type { Mailbox, OutgoingMail } from './transport.ts';

/** The key that signs mails, so that receivers can verify the sender (RFC 6376). */
export interface DkimKey {
  readonly domain: string;
  readonly selector: string;
  /** RSA, PEM. */
  readonly privateKey: string;
}

/**
 * Turns a mail into an RFC 5322 message. The same mail gives the same bytes each time, except for
 * the signature.
 */
export type ComposeMessage = (mail: OutgoingMail, smtpUtf8: boolean) => Promise<Uint8Array>;

export function createComposer(dkim: DkimKey | undefined): ComposeMessage {
  const composer = nodemailer.createTransport(
    { streamTransport: true, buffer: true, newline: 'windows' },
    {
      // URLs in a body are never fetched.
      disableFileAccess: true,
      disableUrlAccess: true,
      xMailer: false,
      ...(dkim === undefined
        ? {}
        : {
            dkim: {
              domainName: dkim.domain,
              keySelector: dkim.selector,
              privateKey: dkim.privateKey,
            },
          }),
    },
  );
  return async (mail, smtpUtf8) => {
    const { message } = await composer.sendMail({
      ...headersOf(mail, smtpUtf8),
      ...(isHtml(mail.body) ? { html: mail.body, text: textOf(mail.body) } : { text: mail.body }),
    });
    return message as Uint8Array;
  };
}

function headersOf(
  {
    messageId,
    date,
    from,
    to,
    replyTo,
    subject,
    requestId,
    reference,
    unsubscribeAt,
  }: OutgoingMail,
  smtpUtf8: boolean,
) {
  // An address that needs SMTPUTF8 must not affect mails that do not.
  const answerable =
    replyTo !== undefined && (smtpUtf8 || isAscii(replyTo.address)) ? replyTo : undefined;
  return {
    messageId,
    date: new Date(date),
    from: plain(from),
    to: plain(to),
    ...(answerable === undefined ? {} : { replyTo: plain(answerable) }),
    ...(looksEncoded(subject) ? {} : { subject }),
    headers: {
      ...(looksEncoded(subject)
        ? { Subject: { prepared: true, foldLines: true, value: encodeWord(subject, 'B', 52) } }
        : {}),
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      ...(requestId === undefined ? {} : { 'X-Request-Id': requestId }),
      ...(reference === undefined ? {} : { [REFERENCE_HEADER]: reference }),
      ...(unsubscribeAt === undefined
        ? {}
        : {
            'List-Unsubscribe': `<${unsubscribeAt}>`,
            'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
          }),
    },
    baseBoundary: createHash('sha256').update(messageId).digest('hex').slice(0, 24),
  };
}

/** Whether a text contains the start of an encoded word, which readers would decode (RFC 2047). */
function looksEncoded(text: string): boolean {
  return text.includes('=?');
}

/**
 * Returns a mailbox for the library, which quotes or encodes the name. Readers decode encoded words
 * even within quotes, so an invisible character breaks those that a user typed.
 */
function plain({ name, address }: Mailbox): { name: string; address: string } {
  return { name: name.trim().replaceAll('=?', '=\u2060?'), address };
}

export function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false;
  return true;
}
