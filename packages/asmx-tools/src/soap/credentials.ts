import { randomBytes } from 'node:crypto';
import { digestOf, WSSE, WSU } from '@ws01/asmx/internal/security/username-token';
import { escapeText } from '@ws01/asmx/internal/xml/writer';
import type { UsernameToken } from './options.ts';

const PROFILE =
  'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0';
const BASE64 =
  'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-soap-message-security-1.0#Base64Binary';
const FIVE_MINUTES = 300_000;

/**
 * `wsse:Security` with a user and password (UsernameToken Profile 1.0, section 3). The prefix
 * `soap` is declared around it.
 */
export function securityHeader({
  user,
  password,
  kind = 'text',
  timestamp = false,
}: UsernameToken): string {
  const now = Date.now();
  const written = (ms: number) => new Date(ms).toISOString();
  const created = written(now);
  const nonce = randomBytes(16);
  const [type, secret] =
    kind === 'digest'
      ? ['PasswordDigest', digestOf(nonce, created, password)]
      : ['PasswordText', password];
  const expires = `<wsu:Expires>${written(now + FIVE_MINUTES)}</wsu:Expires>`;
  const time = timestamp
    ? `<wsu:Timestamp><wsu:Created>${created}</wsu:Created>${expires}</wsu:Timestamp>`
    : '';
  const token =
    `<wsse:Username>${escapeText(user)}</wsse:Username>` +
    `<wsse:Password Type="${PROFILE}#${type}">${escapeText(secret)}</wsse:Password>` +
    `<wsse:Nonce EncodingType="${BASE64}">${nonce.toString('base64')}</wsse:Nonce>` +
    `<wsu:Created>${created}</wsu:Created>`;
  const open = `<wsse:Security xmlns:wsse="${WSSE}" xmlns:wsu="${WSU}" soap:mustUnderstand="1">`;
  return `${open}${time}<wsse:UsernameToken>${token}</wsse:UsernameToken></wsse:Security>`;
}

/** The value of `Authorization` (RFC 7617). @throws {TypeError} for a user with a colon. */
export function basicCredential({
  user,
  password,
}: {
  readonly user: string;
  readonly password: string;
}): string {
  if (user.includes(':')) throw new TypeError('basic.user: it must not hold a colon.');
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}
