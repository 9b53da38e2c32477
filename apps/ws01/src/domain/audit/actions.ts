import type { WordsIn } from '../../store/words.ts';

/** What is done to each kind of thing, as far as the audit trail has entries of it. */
const DEEDS = {
  admin:
    'add passkey passkey-remove password remove reset role sign-in sign-out sign-out-everywhere',
  advert: 'create edit hold purge reject release remove restore',
  article:
    'categorise create hold pend pin publish purge reject release remove replace restore trash',
  backup: 'download restore start verify',
  code: 'attempt create verify',
  data: 'copy import',
  database: 'accept-loss restore',
  files: 'adopt put-back sweep',
  image: 'create delete hold purge reject release remove replace restore update',
  link: 'create disable edit enable',
  mail: 'cancel retry send test uncancel',
  purge: 'trust-clock',
  report: 'create dismiss reopen',
  review: 'create hold purge reject release remove replace restore withdraw',
  setting: 'change',
  sms: 'cancel off on retry uncancel',
  suppression: 'add remove',
  token: 'bootstrap create edit first import revoke rotate',
  user: 'block edit erase export hold import phone putback register release takedown unblock update',
  webhook: 'add disable edit enable remove resend retry rotate',
} as const;

type DoneTo<Noun extends keyof typeof DEEDS> = `${Noun}.${WordsIn<(typeof DEEDS)[Noun]>}`;

/** What was done to what: `article.delete`, `token.revoke`. */
export type AuditAction = { [Noun in keyof typeof DEEDS]: DoneTo<Noun> }[keyof typeof DEEDS];

/** Everything that the audit trail has entries of. */
export const AUDIT_ACTIONS = Object.entries(DEEDS).flatMap(([noun, deeds]) =>
  deeds.split(' ').map((deed) => `${noun}.${deed}` as AuditAction),
);

/** Those about tokens. */
export type TokenAction = DoneTo<'token'>;
