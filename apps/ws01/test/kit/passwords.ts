import { argon2Sync } from 'node:crypto';

/**
 * A hash of a password as cheap as can be; one as cautious as ours takes twice the processor time of a service's
 * start.
 */
export function cheapHash(message: string, salted = 1): string {
  const [memory, passes, parallelism] = [8, 1, 1];
  const nonce = Buffer.alloc(16, salted);
  const parameters = { memory, passes, parallelism, nonce, tagLength: 32, message };
  const [salt, tag] = [nonce, argon2Sync('argon2id', parameters)].map((bytes) =>
    bytes.toString('base64').replaceAll('=', ''),
  );
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${salt}$${tag}`;
}
