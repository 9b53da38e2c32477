import { createHash } from 'node:crypto';
import { mailboxOf } from '../values/email-address.ts';
import { UNSEEN } from '../values/unseen.ts';

/** The parts of a mail that its fingerprints depend on. */
interface SeenMail {
  readonly subject: string;
  readonly body: string;
  readonly receiverName: string;
  /** A canonical address. */
  readonly receiverEmail: string;
}

/**
 * Fingerprints of mails with the same visible text (semantics 5.7): comments, tags, invisible
 * characters, blanks and case are ignored. Each mail has a fingerprint of its whole text and, if it
 * contains the receiver's name, a second one without the name, so that "Dear Ada" and "Dear Bob"
 * are the same text.
 * @returns one or two, each 43 characters of base64url.
 */
export async function fingerprintsOf(mail: SeenMail): Promise<readonly string[]> {
  const body = mail.body.includes('<') ? await seenBody(mail.body) : mail.body;
  const seen = [bare(mail.subject), bare(body)];
  const ownWords = [mail.receiverName, mail.receiverEmail, mailboxOf(mail.receiverEmail)].map(bare);
  const anonymous = seen.map((text) => ownWords.reduce(without, text));
  return [...new Set([seen, anonymous].map(hash))];
}

/** The visible text of a body. The HTML library is loaded with the first body that may be HTML. */
async function seenBody(body: string): Promise<string> {
  const { isHtml, seenTextOf } = await import('../../adapters/mail/html.ts');
  return isHtml(body) ? seenTextOf(body) : body;
}

/**
 * The visible characters of a text, in lower case. Not NFKC, which expands U+FDFA to eighteen
 * characters.
 */
function bare(text: string): string {
  return text.normalize('NFC').replace(UNSEEN, '').toLowerCase();
}

function without(text: string, word: string): string {
  return word === '' ? text : text.replaceAll(word, '');
}

function hash(texts: readonly string[]): string {
  return createHash('sha256').update(texts.join('\n')).digest('base64url');
}
