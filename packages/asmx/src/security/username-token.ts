import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../contract/errors.ts';
import type { HeaderContract } from '../values/header-contract.ts';
import { NonceCache, type NonceStore } from './nonce-cache.ts';

export const WSSE =
  'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd';
export const WSU =
  'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd';

/**
 * What the SOAP header has (Web Services Security UsernameToken Profile 1.0, section 3), each as
 * often as it was sent.
 */
interface SecurityHeader {
  readonly UsernameToken?: readonly {
    readonly Username?: readonly string[];
    readonly Password?: readonly { readonly value?: string; readonly Type?: string }[];
    readonly Nonce?: readonly { readonly value?: Uint8Array }[];
    readonly Created?: readonly string[];
  }[];
}

const ANY_NUMBER = { max: 'unbounded' } as const;
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
      content: [{ name: 'UsernameToken', type: { ref: 'UsernameToken' }, ...ANY_NUMBER }],
    },
    UsernameToken: {
      kind: 'object',
      name: 'UsernameTokenType',
      namespace: WSSE,
      content: [
        { name: 'Username', type: 'string', ...ANY_NUMBER },
        { name: 'Password', type: { ref: 'Password' }, ...ANY_NUMBER },
        { name: 'Nonce', type: { ref: 'Nonce' }, ...ANY_NUMBER },
        { name: 'Created', type: 'string', namespace: WSU, ...ANY_NUMBER },
      ],
    },
    Password: {
      ...TEXT_WITH_ATTRIBUTES,
      name: 'PasswordString',
      text: 'string',
      attributes: [{ name: 'Type', type: 'string' }],
    },
    Nonce: {
      ...TEXT_WITH_ATTRIBUTES,
      name: 'EncodedString',
      text: 'base64Binary',
      attributes: [{ name: 'EncodingType', type: 'string' }],
    },
  },
};

/** Whose tokens are accepted, and for how long. */
export interface UsernameTokenOptions {
  /**
   * The password of a user; `undefined` for an unknown user. An empty one is none: nobody has it.
   */
  readonly password: (user: string) => string | undefined | Promise<string | undefined>;
  /**
   * The accepted kinds of passwords; default both. A plain text is only as safe as the connection.
   */
  readonly kinds?: readonly ('text' | 'digest')[];
  /** How old `Created` may be, and how far ahead; ms, 5 minutes by default. */
  readonly maxAgeMs?: number;
  /**
   * How many nonces are kept at most, half of them of one password; beyond, calls are answered
   * Busy. 100,000 by default. Not for a store of your own.
   */
  readonly maxNonces?: number;
  /**
   * Where used nonces are remembered; in the memory of this process by default. Several processes
   * at one address share one.
   */
  readonly nonces?: NonceStore;
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

/**
 * How many bytes a nonce has: a shorter one is soon used twice by chance, a longer one says no
 * more.
 */
const SHORTEST_NONCE = 8;
const LONGEST_NONCE = 256;
/** Bytes of the secret of a store. */
const SHORTEST_SECRET = 16;

/**
 * WS-Security's UsernameToken, with the password as text, or as a digest with nonce and time. A
 * nonce is accepted once; passwords are compared in constant time, also for unknown users. Without
 * a shared {@link NonceStore} each process keeps its own nonces: where several serve one address,
 * each accepts a nonce once.
 * @throws {TypeError} for a store whose secret is shorter than 16 bytes.
 */
export function usernameToken(options: UsernameTokenOptions): UsernameTokens {
  const {
    password,
    kinds = ['text', 'digest'],
    maxAgeMs = 300_000,
    maxNonces = 100_000,
    now = Date.now,
  } = options;
  const { nonces = new NonceCache(maxNonces) } = options;
  if (!(nonces.secret?.length >= SHORTEST_SECRET))
    throw new TypeError(`nonces.secret: it must have ${SHORTEST_SECRET} bytes or more.`);

  const verify: UsernameTokens['verify'] = async ({ headers }) => {
    const token = only(
      (headers.Security as SecurityHeader | undefined)?.UsernameToken,
      'UsernameToken',
    );
    const user = only(token?.Username, 'Username');
    const sent = only(token?.Password, 'Password');
    const Nonce = only(token?.Nonce, 'Nonce');
    const Created = only(token?.Created, 'Created');
    const given = sent?.value;
    if (user === undefined || given === undefined)
      throw refused('send a wsse:UsernameToken with user and password in a SOAP header');
    const kind = sent?.Type === undefined ? 'Text' : PASSWORD_TYPE.exec(sent.Type)?.[1];
    if (kind === undefined)
      throw refused('the Type of the password must be that of a PasswordText or a PasswordDigest');
    const isDigest = kind === 'Digest';
    if (!kinds.includes(isDigest ? 'digest' : 'text'))
      throw refused(`send the password as a ${kinds.join(' or ')}`);
    const known = (await password(user)) || undefined;
    // One that nobody has: so that the time does not tell who is known.
    const expected = known ?? '\0';
    // Blanks around a time mean nothing. In the digest, a nonce's last byte could be passed off as
    // one of them, and be new.
    const created = Created?.trim() ?? '';
    const nonce = Nonce?.value ?? new Uint8Array(0);
    if (nonce.length > LONGEST_NONCE || (isDigest && nonce.length < SHORTEST_NONCE))
      throw refused(`the nonce must have ${SHORTEST_NONCE} to ${LONGEST_NONCE} bytes`);
    const right = isDigest ? digestOf(nonce, created, expected) : expected;
    const isRight = equals(given, right) && known !== undefined;
    if (!isRight) throw refused('the user or the password is wrong');
    if (isDigest || created !== '') checkAge(created, now(), maxAgeMs);
    // Only what is right is remembered, or anybody could fill the memory.
    if (nonce.length > 0) await useNonce(nonces, expected, nonce, now(), 2 * maxAgeMs);
    return user;
  };
  return { header: SECURITY_HEADER, verify };
}

/**
 * A nonce belongs to a password, so that users with other passwords cannot use it up. It does not
 * belong to a name: no digest covers the name, and a service may take another spelling for the same
 * user.
 * @throws {ServiceError} Unauthorized for one that was used before; Busy when too many are kept.
 */
async function useNonce(
  store: NonceStore,
  password: string,
  nonce: Uint8Array,
  now: number,
  keptMs: number,
) {
  const hash = (...parts: readonly (string | Uint8Array)[]) =>
    parts
      .reduce((hmac, part) => hmac.update(part), createHmac('sha256', store.secret))
      .digest('base64');
  const owner = hash(password);
  const answer = await store.use({ key: hash(owner, nonce), owner, now, until: now + keptMs });
  if (answer === 'new') return;
  if (answer === 'used') throw refused('its nonce was used before');
  if (answer === 'full')
    throw new ServiceError(
      'Busy',
      'Too many calls were made in the last minutes; try again later.',
    );
  throw new TypeError(`nonces.use must answer new, used or full, not ${String(answer)}.`);
}

/** The kind of a password: a URI of the profile, or, as some clients write it, a name. */
const PASSWORD_TYPE = /(?:^|[#:])Password(Text|Digest)$/;

/**
 * What must not be there twice: each server on the way could take another one.
 * @throws {ServiceError}
 */
function only<T>(values: readonly T[] | undefined, name: string): T | undefined {
  if (values !== undefined && values.length > 1)
    throw refused(`there are ${values.length} elements ${name} where one may be`);
  return values?.[0];
}

/** Base64 of SHA-1 of nonce, time and password (UsernameToken Profile 1.0, section 3.1). */
export function digestOf(nonce: Uint8Array, created: string, password: string): string {
  return createHash('sha1')
    .update(nonce)
    .update(created, 'utf8')
    .update(password, 'utf8')
    .digest('base64');
}

/** Compares texts in a time that depends on neither. */
function equals(given: string, expected: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text, 'utf8').digest();
  return timingSafeEqual(hash(given), hash(expected));
}

const CREATED = /^(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

function checkAge(created: string, now: number, maxAgeMs: number): void {
  const [written, year, month, day] = CREATED.exec(created) ?? [];
  // The parser takes the 30th of February for the 1st of March.
  const isDay = Number(day) <= new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  const at = written !== undefined && isDay ? Date.parse(written) : Number.NaN;
  if (Number.isNaN(at))
    throw refused('wsu:Created must be a time with a zone, like 2024-02-29T12:00:00Z');
  if (Math.abs(now - at) > maxAgeMs)
    throw refused(`wsu:Created is more than ${maxAgeMs / 1000} s away from the server's time`);
}

function refused(reason: string): ServiceError {
  return new ServiceError('Unauthorized', `The call is not authorized: ${reason}.`);
}
