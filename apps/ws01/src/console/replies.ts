import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Content } from './layout.ts';
import { withSettings } from './setting-links.ts';
import type { TextKey } from './texts/en.ts';
import { reasonInChinese } from './texts/zh-reasons.ts';
import type { ConsoleEnv } from './visit.ts';

/**
 * What replies of mail servers, and failures to reach one, mean for people. The status of RFC 3463
 * comes before the words, which every server has its own of.
 */
const MEANINGS: readonly (readonly [form: RegExp, meaning: TextKey])[] = [
  [/\b(?:ENOTFOUND|EAI_AGAIN)\b/, 'reply.noHost'],
  [/\bECONNREFUSED\b/, 'reply.nobodyListens'],
  [/\b(?:ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)\b|timed? ?out/i, 'reply.noAnswer'],
  [/certificate .*expired/, 'reply.certificateExpired'],
  [/certificate .*not (?:yet valid|valid yet)/, 'reply.certificateEarly'],
  [
    /certificate .*signed by nobody|self.signed|unable to (?:get|verify)/i,
    'reply.certificateUnknown',
  ],
  [/certificate|altname/i, 'reply.certificate'],
  [/wrong version number|SSL routines|STARTTLS/i, 'reply.encryption'],
  [/\b5\.7\.8\b|^53[0458]\b|\bEAUTH\b|invalid login/i, 'reply.login'],
  [/\b[45]\.1\.[12360]\b|^55[013] .*(?:user|mailbox|recipient|address)/i, 'reply.noMailbox'],
  [/\b[45]\.2\.2\b|^[45]52\b/, 'reply.full'],
  [/\b5\.3\.4\b|too (?:large|big)/i, 'reply.tooLarge'],
  [/\b5\.7\.\d+\b|spam|blocked|blacklist/i, 'reply.policy'],
  [/gr[ae]y.?list|^4[25][01]\b/i, 'reply.later'],
];

/** What a reply means, if it is one of those that people can do something about. */
export function meaningOfReply(reply: string): TextKey | undefined {
  return MEANINGS.find(([form]) => form.test(reply))?.[1];
}

/** What a fault of a test mail means, and what to do; why one mail is refused only its reply says. */
export function meaningOfTrial(reply: string): TextKey | undefined {
  const meaning = meaningOfReply(reply);
  return meaning === 'reply.policy' ? undefined : meaning;
}

/** Why a test mail was not sent: in words, or as the server said it. */
export function notSentPart(c: Context<ConsoleEnv>, reply: string): Content {
  const { translate } = c.get('visit');
  const meaning = meaningOfTrial(reply);
  return meaning === undefined
    ? html`${translate('mailServer.notSent')} ${replyPart(c, reply)}`
    : translate('mailServer.notSentFor', { why: translate(meaning) });
}

/** What a mail server, or a gateway, said, and what that means where people can do something about it. */
export function replyPart(c: Context<ConsoleEnv>, reply: string): Content {
  const { translate, language } = c.get('visit');
  const inChinese = language === 'zh' ? reasonInChinese(reply) : undefined;
  const meaning = meaningOfReply(reply);
  const said =
    inChinese === undefined
      ? html`<q lang="en">${withSettings(c, reply)}</q>`
      : html`<q>${withSettings(c, inChinese)}</q>`;
  return html`${said}${meaning === undefined ? '' : html` <strong>${translate(meaning)}</strong>`}`;
}
