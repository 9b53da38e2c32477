import { type Argon2Parameters, randomBytes, timingSafeEqual } from 'node:crypto';
import { RETRY_AFTER_S, Ws01Error } from '../../contract/errors.ts';
import { type Sentence, say } from '../../contract/sentence.ts';
import { Turns } from '../../turns/turns.ts';
import { siteNetworkOf } from '../values/internet-address.ts';
import { argon2id } from './hash-thread.ts';

/**
 * Minimum and maximum length of a password, in code points (NIST SP 800-63B-4, 3.1.1.2: 15 for
 * passwords alone).
 */
export const PASSWORD_CHARS = { least: 15, most: 256 };

/** Argon2id with OWASP's minimum: 19 MiB, two passes, one lane. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 };
const TAG_BYTES = 32;
const NONCE_BYTES = 16;

/**
 * Maximum number of waiting hashes; those of one account and network have half at most. One runs at
 * a time: so guessing takes one thread and 19 MiB, however many guess.
 */
const MAX_WAITING = 100;

/** @throws {Ws01Error} `InvalidParameter` for a password that the console does not accept. */
export function checkPassword(password: string, name: string): void {
  const chars = [...password.normalize('NFC')].length;
  if (chars < PASSWORD_CHARS.least || chars > PASSWORD_CHARS.most) {
    throw wrong(
      say`The password must have ${{ least: PASSWORD_CHARS.least }} to ${{ most: PASSWORD_CHARS.most }} characters; a sentence is a good one.`,
    );
  }
  const plain = password.toLowerCase();
  if (
    new Set(plain).size < 5 ||
    plain.replaceAll(name.toLowerCase(), '').length < PASSWORD_CHARS.least / 2
  ) {
    throw wrong('The password is too easy to guess: it repeats itself or your name.');
  }
}

/**
 * Hashes a password.
 * @returns Argon2id in PHC form.
 * @throws {Ws01Error} `RateLimited` when too many wait.
 */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(NONCE_BYTES);
  const tag = await turns.take(() => tagOf(password, { ...COST, nonce, tagLength: TAG_BYTES }));
  const { memory, passes, parallelism } = COST;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(nonce)}$${unpadded(tag)}`;
}

/**
 * Whether a password matches a hash. Without a hash it takes the same time and returns false.
 * @param address of who signs in: those who guess an account's password from one network take turns
 *   with its owner elsewhere.
 * @throws {Ws01Error} `RateLimited` when too many wait.
 */
export async function matchesPassword(
  password: string,
  stored: string | null | undefined,
  address: string,
): Promise<boolean> {
  const found = PHC.exec(stored ?? NOBODYS)!;
  const [memory, passes, parallelism] = found.slice(1, 4).map(Number) as [number, number, number];
  const [nonce, tag] = found.slice(4).map((part) => Buffer.from(part, 'base64')) as [
    Buffer,
    Buffer,
  ];
  const parameters = { memory, passes, parallelism, nonce, tagLength: tag.length };
  const whose = `${siteNetworkOf(address)} ${stored ?? NOBODYS}`;
  const own = await turns.take(() => tagOf(password, parameters), { whose });
  return timingSafeEqual(own, tag) && stored != null;
}

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/;
const NOBODYS = `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${'A'.repeat(22)}$${'A'.repeat(43)}`;

function tagOf(password: string, parameters: Omit<Argon2Parameters, 'message'>): Promise<Buffer> {
  const message = [...password].length > PASSWORD_CHARS.most ? '' : password.normalize('NFC');
  return argon2id({ ...parameters, message });
}

const turns = new Turns(1, {
  waiting: MAX_WAITING,
  refusal: () =>
    new Ws01Error('RateLimited', 'Too many people sign in at this moment; try again.', {
      retryAfter: RETRY_AFTER_S,
    }),
});

const unpadded = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replace(/=+$/, '');

function wrong(message: string | Sentence): Ws01Error {
  return new Ws01Error('InvalidParameter', message, { parameter: 'password' });
}
