import { hash, randomBytes } from 'node:crypto';
import { canonicalKey, NIL_GUID } from '../values/keys.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX = 'ws1_';
const BODY_CHARS = 32;
const CHECKSUM_CHARS = 6;

/** Lengths of a token text, in UTF-16 code units (semantics 3); the shortest need `allowWeak`. */
const MINIMUM_CHARS = 8;
const WEAKEST_CHARS = 4;
const MAXIMUM_CHARS = 255;

/** A shorter token can be guessed in time; UTF-16 code units. */
const LONG_ENOUGH_CHARS = 16;

const OWN_FORM = /^ws1_[0-9A-Za-z]{38}$/;

/** Whether a text has the form of those that {@link newTokenText} makes, which nobody guesses. */
export const isOwnForm = (text: string): boolean => OWN_FORM.test(text);

/**
 * Returns a new token text: `ws1_`, 32 characters of base62 (190 bits from the system's generator,
 * evenly distributed) and their checksum.
 */
export function newTokenText(): string {
  const body = randomBase62(BODY_CHARS);
  return `${PREFIX}${body}${checksum(body)}`;
}

/**
 * Skips bytes from the largest multiple of 62 on, so that no character is more likely than another.
 */
function randomBase62(length: number): string {
  const fair = 256 - (256 % ALPHABET.length);
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(2 * length)) {
      if (byte < fair && text.length < length) {
        text += ALPHABET[byte % ALPHABET.length];
      }
    }
  }
  return text;
}

/**
 * Returns six characters of base62 from the body's SHA-256. A wrong text passes once in 57,000
 * million times.
 */
function checksum(body: string): string {
  let rest = hash('sha256', PREFIX + body, 'buffer').readUIntBE(0, 6);
  let text = '';
  for (let count = 0; count < CHECKSUM_CHARS; count += 1) {
    text += ALPHABET[rest % ALPHABET.length];
    rest = Math.floor(rest / ALPHABET.length);
  }
  return text;
}

/**
 * Returns the form of a token text that is hashed and compared. Surrounding blanks are removed. A
 * GUID in any of .NET's forms becomes form D in lower case, because an application may write any of
 * them.
 * @param allowWeak whether 4 to 7 characters are allowed.
 * @throws {TokenTextError} when the text cannot be a token.
 */
export function canonicalTokenText(text: string, allowWeak = false): string {
  const canonical = canonicalKey(text);
  assertTokenText(canonical, allowWeak);
  return canonical;
}

/** Whether a token text that this service did not generate is short enough to be guessed. */
export function isShortToken(canonicalText: string): boolean {
  return canonicalText.length < LONG_ENOUGH_CHARS;
}

/**
 * Refuses what cannot be a token: not 8 (or 4) to 255 characters, control characters, the all-zero
 * GUID, or mistyped (the checksum is wrong).
 * @throws {TokenTextError}
 */
export function assertTokenText(canonicalText: string, allowWeak: boolean): void {
  const minimum = allowWeak ? WEAKEST_CHARS : MINIMUM_CHARS;
  if (canonicalText.length < minimum || canonicalText.length > MAXIMUM_CHARS) {
    throw new TokenTextError(`must have ${minimum} to ${MAXIMUM_CHARS} characters`);
  }
  if (/\p{Cc}/u.test(canonicalText) || !canonicalText.isWellFormed()) {
    throw new TokenTextError('must have printable characters only');
  }
  if (canonicalText === NIL_GUID) {
    throw new TokenTextError('must not be the all-zero GUID, which means "not given"');
  }
  if (isMistyped(canonicalText)) {
    throw new TokenTextError('has the form of a ws1_ token with a wrong checksum: copy it again');
  }
}

/**
 * A text cannot be a token. The message ends a sentence that names the token, and never contains
 * it.
 */
export class TokenTextError extends Error {
  override readonly name = 'TokenTextError';
}

/** Hashes of secrets that an old site may have, by the bytes of one. */
export const OLD_HASHES = { md5: 16, sha1: 20, sha256: 32 } as const;

/**
 * What an old site may have stored of a secret: each hash of its text as it is sent, in UTF-8 and
 * in the UTF-16 of SQL Server's `nvarchar`. `token import` takes them for what they are; the first
 * use stores {@link hashToken} instead.
 */
export function oldHashesOf(text: string): readonly Buffer[] {
  return ['utf8', 'utf16le'].flatMap((charset) => {
    const bytes = Buffer.from(text, charset as BufferEncoding);
    return Object.keys(OLD_HASHES).map((kind) => hash(kind, bytes, 'buffer'));
  });
}

/** Returns the SHA-256 of a token's canonical text, 32 bytes, which is stored. */
export function hashToken(canonicalText: string): Buffer {
  return hash('sha256', canonicalText, 'buffer');
}

function isMistyped(text: string): boolean {
  return (
    OWN_FORM.test(text) &&
    checksum(text.slice(PREFIX.length, -CHECKSUM_CHARS)) !== text.slice(-CHECKSUM_CHARS)
  );
}
