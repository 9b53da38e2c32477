import PostalMime, { type Attachment } from 'postal-mime';
import { refusesMailbox } from '../smtp-failure.ts';
import type { MailNotice } from './notice.ts';

/** Parts with the headers of the mail that a report is about; `global` ones are of RFC 6533. */
const ORIGINAL = [
  ...['message/rfc822', 'text/rfc822-headers', 'message/rfc822-headers'],
  ...['message/global', 'message/global-headers'],
];
const STATUS = ['message/delivery-status', 'message/global-delivery-status'];

/**
 * Reports of mail servers to the owner of a domain, which no reader has made, and of what is no
 * spam (RFC 5965, 6591).
 */
const NO_COMPLAINTS = ['', 'not-spam', 'auth-failure', 'dmarc', 'virus'];

/** The header `REFERENCE_HEADER`, which may be folded. */
const REFERENCE = /^X-Mail-Reference:[ \t\r\n]{0,8}(\S{1,100})/im;

/**
 * Reads a message of a mailbox as a report of one mail: of its delivery (RFC 3464, or a text with
 * the copy of the mail as qmail and older servers write it), or of a complaint (RFC 5965).
 * @param raw the message, or its beginning.
 * @returns `undefined` for any other message, for a delay, and for a report that does not have the
 *   mail's headers.
 */
export async function readReturnedMessage(raw: Uint8Array): Promise<MailNotice | undefined> {
  const { headers, attachments, text, from } = await PostalMime.parse(raw, {
    forceRfc822Attachments: true,
  });
  const header = (name: string) => headers.find(({ key }) => key === name)?.value ?? '';
  if (!/^\s*multipart\/report\b/i.test(header('content-type'))) {
    const isOfServer = SERVER.test(from?.address ?? '') || header('x-failed-recipients') !== '';
    return isOfServer ? plainBounceOf(text ?? '') : undefined;
  }
  const original = attachments.filter(({ mimeType }) => ORIGINAL.includes(mimeType));
  const reference = original.map((part) => REFERENCE.exec(headOf(part))?.[1]).find(Boolean);
  if (reference === undefined) return undefined;
  const textOfType = (...mimeTypes: readonly string[]) => {
    const part = attachments.find(({ mimeType }) => mimeTypes.includes(mimeType));
    return part && textOf(part);
  };
  const status = textOfType(...STATUS);
  if (status !== undefined) return bounceOf(status, reference);
  const feedback = textOfType('message/feedback-report');
  return feedback === undefined ? undefined : complaintOf(feedback, reference);
}

/** The enhanced status in what a server said (RFC 3463). */
const SAID = /\b(5\.\d{1,3}\.\d{1,3})\b/;

/** Senders of mails that no person has written. */
const SERVER = /^(?:mailer-daemon|postmaster)@/i;

/** What a server said of a mail: a line that begins with a reply of 5xx (RFC 5321). */
const REPLY = /^[ \t]{0,20}(?:[^\n]{0,200}[ :])?(5\d\d[ -][^\n]{1,500})/m;

/** A bounce whose text has what the server said, and below it the mail. */
function plainBounceOf(text: string): MailNotice | undefined {
  const at = text.search(REFERENCE);
  const [, reference] = REFERENCE.exec(text) ?? [];
  const detail = REPLY.exec(text.slice(0, Math.max(at, 0)))?.[1]?.trim();
  if (reference === undefined || detail === undefined) return undefined;
  const [, status = ''] = SAID.exec(detail) ?? [];
  return { kind: 'bounce', isForGood: refusesMailbox(status), reference, detail };
}

function bounceOf(text: string, reference: string): MailNotice | undefined {
  const failed = groupsOf(text).find((group) => /^failed\b/i.test(group.get('action') ?? ''));
  if (failed === undefined) return undefined;
  const diagnosis = (failed.get('diagnostic-code') ?? '').replace(/^[^;]*;\s*/, '');
  const told = /^\s*([245]\.\d{1,3}\.\d{1,3})/.exec(failed.get('status') ?? '')?.[1] ?? '';
  // Exim tells 5.0.0 of every failure, others 5.5.0, and what the server said beside it.
  const said = SAID.exec(diagnosis)?.[1];
  const status = told === '' || told.endsWith('.0') ? (said ?? told) : told;
  const detail = diagnosis === '' ? `Returned with the status ${status}.` : diagnosis;
  return { kind: 'bounce', isForGood: refusesMailbox(status), reference, detail };
}

function complaintOf(text: string, reference: string): MailNotice | undefined {
  const type = groupsOf(text)[0]?.get('feedback-type')?.toLowerCase() ?? '';
  if (NO_COMPLAINTS.includes(type)) return undefined;
  return { kind: 'complaint', isForGood: true, reference, detail: `Reported as ${type}.` };
}

/** The groups of fields of a machine-readable part, by their names in lower case, unfolded. */
function groupsOf(text: string): readonly ReadonlyMap<string, string>[] {
  const unfolded = text.replaceAll(/\r\n?/g, '\n').replaceAll(/\n[ \t]+/g, ' ');
  return unfolded.split(/\n{2,}/).map((group) => {
    const fields = group.split('\n').map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()] as const;
    });
    return new Map(fields);
  });
}

/** The headers of a returned mail, without its body. */
function headOf(part: Attachment): string {
  return textOf(part).split(/\r?\n\r?\n/, 1)[0]!;
}

function textOf({ content }: Attachment): string {
  return typeof content === 'string' ? content : Buffer.from(content as ArrayBuffer).toString();
}
