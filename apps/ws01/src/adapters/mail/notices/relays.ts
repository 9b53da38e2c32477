import { createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto';
import { refusesMailbox } from '../smtp-failure.ts';
import type { MailNotice } from './notice.ts';
import { isSignedBySns, type SnsKeyAt, snsAddress } from './sns.ts';

/** A relay that reports by calling the service, with what shows that it is the relay. */
export type RelaySource =
  /**
   * The password of the address that it calls; for SES the calls come from SNS, which signs them
   * besides.
   */
  | { readonly kind: 'postmark' | 'ses'; readonly secret: string }
  /** The signing key of the account. */
  | { readonly kind: 'mailgun'; readonly key: string }
  /** The public key of the signed event webhook: SPKI in base64. */
  | { readonly kind: 'sendgrid'; readonly key: string };

/** A call of a relay. */
export interface RelayCall {
  readonly header: (name: string) => string | undefined;
  readonly body: Buffer;
}

/** What a relay reported. */
export interface RelayReport {
  readonly notices: readonly MailNotice[];
  /** The address that SNS asks to be visited before it reports anything. */
  readonly confirmAt?: string | undefined;
}

/** Loosely typed JSON; only its texts are used. */
type Json = { readonly [name: string]: Json } | readonly Json[] | string | number | boolean | null;

/**
 * Reads the calls of a relay.
 * @param snsKeyAt returns the key of a certificate of SNS; by default it is fetched there.
 * @returns a function that returns `undefined` for a call that does not come from the relay.
 * @throws {SyntaxError} from that function when the body is not JSON; any other error where the
 *   signature of SNS cannot be checked now.
 */
export function createRelayReader(
  source: RelaySource,
  snsKeyAt?: SnsKeyAt,
): (call: RelayCall) => Promise<RelayReport | undefined> {
  const { isAuthentic, read } = RELAYS[source.kind](source as never, snsKeyAt);
  return async (call) =>
    (await isAuthentic(call)) ? read(JSON.parse(call.body.toString()) as Json) : undefined;
}

interface Relay {
  readonly isAuthentic: (call: RelayCall) => boolean | Promise<boolean>;
  readonly read: (body: Json) => RelayReport;
}

const RELAYS = {
  postmark: ({ secret }: { secret: string }): Relay => ({
    isAuthentic: (call) => hasPassword(call, secret),
    read: (body) => ({ notices: ofPostmark(body) }),
  }),
  // Any customer of Amazon can have a topic whose messages it signs; nobody else knows the secret.
  ses: ({ secret }: { secret: string }, keyAt?: SnsKeyAt): Relay => ({
    isAuthentic: async (call) =>
      hasPassword(call, secret) && isSignedBySns(objectOf(JSON.parse(call.body.toString())), keyAt),
    read: ofSns,
  }),
  mailgun: ({ key }: { key: string }): Relay => ({
    isAuthentic: ({ body }) => isSignedByMailgun(body, key),
    read: (body) => ({ notices: ofMailgun(body) }),
  }),
  sendgrid: ({ key }: { key: string }): Relay => {
    const publicKey = createPublicKey({
      key: Buffer.from(key, 'base64'),
      format: 'der',
      type: 'spki',
    });
    return {
      isAuthentic({ header, body }) {
        const signature = header('x-twilio-email-event-webhook-signature') ?? '';
        const at = header('x-twilio-email-event-webhook-timestamp') ?? '';
        const signed = Buffer.concat([Buffer.from(at), body]);
        return verify('sha256', signed, publicKey, Buffer.from(signature, 'base64'));
      },
      read: (body) => ({ notices: listOf(body).flatMap(ofSendGrid) }),
    };
  },
};

function hasPassword({ header }: RelayCall, secret: string): boolean {
  const [scheme = '', value = ''] = (header('authorization') ?? '').split(' ');
  if (scheme.toLowerCase() !== 'basic') return false;
  return isEqual(/^[^:]*:(.*)$/s.exec(Buffer.from(value, 'base64').toString())?.[1] ?? '', secret);
}

function isSignedByMailgun(body: Buffer, key: string): boolean {
  const { signature } = objectOf(JSON.parse(body.toString()) as Json);
  const [timestamp, token, given] = ['timestamp', 'token', 'signature'].map((name) =>
    textAt(signature, name),
  );
  const right = createHmac('sha256', key).update(`${timestamp}${token}`).digest('hex');
  return isEqual(given!, right);
}

/** Compares without telling by the time how much is equal. */
function isEqual(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => createHmac('sha256', 'equal').update(text).digest());
  return timingSafeEqual(a!, b!);
}

/** Types of Postmark after which a mail is not delivered any more. */
const POSTMARK_FAILED = [
  'SoftBounce',
  'Blocked',
  'DnsError',
  'SpamNotification',
  'VirusNotification',
  'DMARCPolicy',
  'Undeliverable',
];
const POSTMARK_FOR_GOOD = ['HardBounce', 'BadEmailAddress'];

function ofPostmark(body: Json): MailNotice[] {
  const text = (name: string) => textAt(body, name);
  const about = { address: text('Email'), relayId: text('MessageID') };
  if (text('RecordType') === 'SpamComplaint' || text('Type') === 'SpamComplaint')
    return [complaint('abuse', about)];
  const isForGood = POSTMARK_FOR_GOOD.includes(text('Type'));
  if (text('RecordType') !== 'Bounce' || !(isForGood || POSTMARK_FAILED.includes(text('Type'))))
    return [];
  return [bounce(isForGood, text('Details') || text('Description') || text('Type'), about)];
}

function ofSns(body: Json): RelayReport {
  if (textAt(body, 'Type') === 'SubscriptionConfirmation')
    return { notices: [], confirmAt: snsAddress(textAt(body, 'SubscribeURL'))?.href };
  return { notices: ofSes(JSON.parse(textAt(body, 'Message')) as Json) };
}

function ofSes(message: Json): MailNotice[] {
  const type = textAt(message, 'notificationType') || textAt(message, 'eventType');
  const { mail, bounce: bounced, complaint: complained } = objectOf(message);
  const ids = {
    relayId: textAt(mail, 'messageId'),
    messageId: textAt(objectOf(mail).commonHeaders, 'messageId') || undefined,
  };
  if (type === 'Bounce') {
    const isPermanent = textAt(bounced, 'bounceType') === 'Permanent';
    return listOf(objectOf(bounced).bouncedRecipients).map((recipient) => {
      const status = textAt(recipient, 'status');
      const detail =
        textAt(recipient, 'diagnosticCode').replace(/^smtp;\s*/, '') ||
        `${textAt(bounced, 'bounceType')}: ${textAt(bounced, 'bounceSubType')}`;
      const isForGood = isPermanent && (status === '' || refusesMailbox(status));
      return bounce(isForGood, detail, { ...ids, address: textAt(recipient, 'emailAddress') });
    });
  }
  const feedback = textAt(complained, 'complaintFeedbackType') || 'abuse';
  if (type !== 'Complaint' || feedback === 'not-spam') return [];
  return listOf(objectOf(complained).complainedRecipients).map((recipient) =>
    complaint(feedback, { ...ids, address: textAt(recipient, 'emailAddress') }),
  );
}

/** Reasons by which Mailgun does not even try an address. */
const MAILGUN_KNOWN = ['suppress-bounce', 'suppress-complaint', 'suppress-unsubscribe'];

function ofMailgun(body: Json): MailNotice[] {
  const event = objectOf(objectOf(body)['event-data']);
  const text = (name: string) => textAt(event, name);
  const id = textAt(objectOf(event.message).headers, 'message-id');
  const about = { address: text('recipient'), messageId: id === '' ? undefined : `<${id}>` };
  if (text('event') === 'complained') return [complaint('abuse', about)];
  if (text('event') === 'unsubscribed') return [unsubscribed(about)];
  if (text('event') !== 'failed' || text('severity') !== 'permanent') return [];
  const status = event['delivery-status'];
  const said = textAt(status, 'message') || textAt(status, 'description') || text('reason');
  const enhanced =
    textAt(status, 'enhanced-code') || /\b(5\.\d{1,3}\.\d{1,3})\b/.exec(said)?.[1] || '';
  const isForGood = refusesMailbox(enhanced) || MAILGUN_KNOWN.includes(text('reason'));
  return [bounce(isForGood, `${textAt(status, 'code')} ${said}`.trim(), about)];
}

function ofSendGrid(event: Json): MailNotice[] {
  const text = (name: string) => textAt(event, name);
  const id = text('smtp-id');
  const about = { address: text('email'), messageId: id === '' ? undefined : id };
  switch (text('event')) {
    case 'bounce': {
      const isForGood = text('type') === 'bounce' && refusesMailbox(text('status'));
      return [bounce(isForGood, text('reason') || text('status'), about)];
    }
    case 'dropped':
      return [bounce(text('reason') === 'Bounced Address', `Dropped: ${text('reason')}`, about)];
    case 'spamreport':
      return [complaint('abuse', about)];
    case 'unsubscribe':
      return [unsubscribed(about)];
    default:
      return [];
  }
}

type About = Pick<MailNotice, 'address' | 'messageId' | 'relayId'>;

const bounce = (isForGood: boolean, detail: string, about: About): MailNotice => ({
  kind: 'bounce',
  isForGood,
  detail,
  ...about,
});
const complaint = (type: string, about: About): MailNotice => ({
  kind: 'complaint',
  isForGood: true,
  detail: `Reported as ${type}.`,
  ...about,
});
const unsubscribed = (about: About): MailNotice => ({
  kind: 'unsubscribe',
  isForGood: true,
  detail: '',
  ...about,
});

function objectOf(json: Json | undefined): { readonly [name: string]: Json } {
  const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
  return isObject ? (json as { readonly [name: string]: Json }) : {};
}

function listOf(json: Json | undefined): readonly Json[] {
  return Array.isArray(json) ? json : [];
}

/** The text, or the number as a text, of a member; empty when it has none. */
function textAt(json: Json | undefined, name: string): string {
  const value = objectOf(json)[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
