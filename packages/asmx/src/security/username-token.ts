import { createHash, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../engine/errors.ts';
import type { HeaderContract } from '../values/header-contract.ts';
import { NonceCache } from './nonce-cache.ts';

const WSSE = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd';
const WSU = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd';

/** What the SOAP header has (Web Services Security UsernameToken Profile 1.0, section 3). */
interface SecurityHeader {
  readonly UsernameToken?: {
    readonly Username?: string;
    readonly Password?: { readonly value?: string; readonly Type?: string };
    readonly Nonce?: { readonly value?: Uint8Array };
    readonly Created?: string;
  };
}

const TEXT_WITH_ATTRIBUTES = { kind: 'object', namespace: WSSE } as const;

/** `wsse:Security` as a SOAP header that a service reads: for the option `understands`. */
export const SECURITY_HEADER: HeaderContract = {
  namespace: WSSE,
  header: { name: 'Security', namespace: WSSE, type: { ref: 'Security' } },
  types: {
    Security: {
      kind: 'object',
      name: 'SecurityHeaderType',
      namespace: WSSE,
      content: [{ name: 'UsernameToken', type: { ref: 'UsernameToken' } }],
    },
    UsernameToken: {
      kind: 'object',
      name: 'UsernameTokenType',
      namespace: WSSE,
      content: [
        { name: 'Username', type: 'string' },
        { name: 'Password', type: { ref: 'Password' } },
        { name: 'Nonce', type: { ref: 'Nonce' } },
        { name: 'Created', type: 'string', namespace: WSU },
      ],
    },
    Password: {
      ...TEXT_WITH_ATTRIBUTES,
      name: 'PasswordString',
      text: 'string',
      attributes: [{ name: 'Type', type: 'string' }],
    },
    Nonce: { ...TEXT_WITH_ATTRIBUTES, name: 'EncodedString', text: 'base64Binary' },
  },
};

export interface UsernameTokenOptions {
  /** The password of a user; `undefined` for an unknown user. */
  readonly password: (user: string) => string | undefined | Promise<string | undefined>;
  /** The accepted kinds of passwords; default both. A plain text is only as safe as the connection. */
  readonly kinds?: readonly ('text' | 'digest')[];
  /** How old `Created` may be, and how far ahead; ms, 5 minutes by default. */
  readonly maxAgeMs?: number;
  /** How many nonces are kept at most, half of them of one user; beyond, calls are answered Busy. 100,000 by default. */
  readonly maxNonces?: number;
  /** ms since 1970; the system's clock by default. */
  readonly now?: () => number;
}

/** Checks the credential of a call. */
export interface UsernameTokens {
  /** For the option `understands`. */
  readonly header: HeaderContract;
  /**
   * Returns the user of a call.
   * @param call with the SOAP headers, as `authorize` receives it.
   * @throws {ServiceError} Unauthorized; Busy when too many nonces are kept.
   */
  verify(call: { readonly headers: Readonly<Record<string, unknown>> }): Promise<string>;
}

/** How many bytes a nonce has: a shorter one is soon used twice by chance, a longer one says no more. */
const SHORTEST_NONCE = 8;
const LONGEST_NONCE = 256;

/**
 * WS-Security's UsernameToken, with the password as text, or as a digest with nonce and time. A nonce is accepted once;
 * passwords are compared in constant time, also for unknown users.
 */
export function usernameToken(options: UsernameTokenOptions): UsernameTokens {
  const { password, kinds = ['text', 'digest'], maxAgeMs = 300_000, maxNonces = 100_000, now = Date.now } = options;
  const nonces = new NonceCache(maxNonces);

  const verify: UsernameTokens['verify'] = async ({ headers }) => {
    const token = (headers.Security as SecurityHeader | undefined)?.UsernameToken;
    const given = token?.Password?.value;
    if (token?.Username === undefined || given === undefined)
      throw refused('send a wsse:UsernameToken with user and password');
    const isDigest = token.Password?.Type?.endsWith('#PasswordDigest') === true;
    if (!kinds.includes(isDigest ? 'digest' : 'text')) throw refused(`send the password as a ${kinds.join(' or ')}`);
    const known = await password(token.Username);
    // One that nobody has: so that the time does not tell who is known.
    const expected = known ?? '\0';
    const { Created: created = '', Nonce } = token;
    const nonce = Nonce?.value ?? new Uint8Array(0);
    if (nonce.length > LONGEST_NONCE || (isDigest && nonce.length < SHORTEST_NONCE))
      throw refused(`the nonce must have ${SHORTEST_NONCE} to ${LONGEST_NONCE} bytes`);
    const right = isDigest ? digestOf(nonce, created, expected) : expected;
    const isRight = equals(given, right) && known !== undefined;
    if (!isRight) throw refused('the user or the password is wrong');
    if (isDigest || created !== '') checkAge(created, now(), maxAgeMs);
    // Only what is right is remembered, or anybody could fill the memory.
    if (nonce.length > 0) nonces.use(token.Username, nonce, now(), now() + 2 * maxAgeMs);
    return token.Username;
  };
  return { header: SECURITY_HEADER, verify };
}

/** Base64 of SHA-1 of nonce, time and password (UsernameToken Profile 1.0, section 3.1). */
function digestOf(nonce: Uint8Array, created: string, password: string): string {
  return createHash('sha1').update(nonce).update(created, 'utf8').update(password, 'utf8').digest('base64');
}

/** Compares texts in a time that depends on neither. */
function equals(given: string, expected: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text, 'utf8').digest();
  return timingSafeEqual(hash(given), hash(expected));
}

function checkAge(created: string, now: number, maxAgeMs: number): void {
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/.test(created.trim())
    ? Date.parse(created.trim())
    : Number.NaN;
  if (Number.isNaN(at)) throw refused('wsu:Created must be a time with a zone, like 2024-02-29T12:00:00Z');
  if (Math.abs(now - at) > maxAgeMs)
    throw refused(`wsu:Created is more than ${maxAgeMs / 1000} s away from the server's time`);
}

function refused(reason: string): ServiceError {
  return new ServiceError('Unauthorized', `The call is not authorized: ${reason}.`);
}
