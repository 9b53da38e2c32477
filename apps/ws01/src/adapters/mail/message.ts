import { createHash } from 'node:crypto';
import nodemailer from 'nodemailer';
import { encodeWord } from 'nodemailer/lib/mime-funcs';
import { isHtml, textOf } from './html.ts';
import type { Mailbox, OutgoingMail } from './transport.ts';

/** What mails are signed with, so that receivers can tell that they are ours (RFC 6376). */
export interface DkimKey {
  readonly domain: string;
  readonly selector: string;
  /** RSA, PEM. */
  readonly privateKey: string;
}

/** Turns a mail into the bytes that travel. The same mail becomes the same message each time, but for the signature. */
export type ComposeMessage = (mail: OutgoingMail, smtpUtf8: boolean) => Promise<Uint8Array>;

export function createComposer(dkim: DkimKey | undefined): ComposeMessage {
  const composer = nodemailer.createTransport(
    { streamTransport: true, buffer: true, newline: 'windows' },
    {
      // What a body names is never fetched.
      disableFileAccess: true,
      disableUrlAccess: true,
      xMailer: false,
      ...(dkim === undefined
        ? {}
        : { dkim: { domainName: dkim.domain, keySelector: dkim.selector, privateKey: dkim.privateKey } }),
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

function headersOf({ messageId, date, from, to, replyTo, subject, requestId }: OutgoingMail, smtpUtf8: boolean) {
  // An address that only new servers understand must not spoil a mail that does not need them otherwise.
  const answerable = replyTo !== undefined && (smtpUtf8 || isAscii(replyTo.address)) ? replyTo : undefined;
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
    },
    baseBoundary: createHash('sha256').update(messageId).digest('hex').slice(0, 24),
  };
}

/** Whether a text has what an encoded word begins with, and would be shown decoded instead of as it is (RFC 2047). */
function looksEncoded(text: string): boolean {
  return text.includes('=?');
}

/**
 * A mailbox for the library, which quotes or encodes the name. Readers decode encoded words even within quotes, so one
 * that somebody wrote into a name is broken with a mark that is not seen.
 */
function plain({ name, address }: Mailbox): { name: string; address: string } {
  return { name: name.trim().replaceAll('=?', '=\u2060?'), address };
}

export function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false;
  return true;
}
