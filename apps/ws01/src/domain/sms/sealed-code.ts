import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { CodeKey } from '../phone/code-keys.ts';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts a code while it waits (AES-256-GCM, with a key derived from the one that codes are
 * hashed with). If `CODE_SECRET` is set, a copy of the database alone reveals no code.
 * @param id the verification id; a code sealed for one id cannot be opened for another.
 * @returns nonce, code and tag.
 */
export function sealCode(key: CodeKey, id: string, code: string): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', sealingKey(key), nonce).setAAD(Buffer.from(id));
  return Buffer.concat([nonce, cipher.update(code, 'utf8'), cipher.final(), cipher.getAuthTag()]);
}

/** Decrypts a code. @throws {Error} when it was sealed with another key or for another id. */
export function openCode(key: CodeKey, id: string, sealed: Uint8Array): string {
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const tag = sealed.subarray(-TAG_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', sealingKey(key), nonce)
    .setAAD(Buffer.from(id))
    .setAuthTag(tag);
  return (
    decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') +
    decipher.final('utf8')
  );
}

function sealingKey({ bytes }: CodeKey): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', bytes, '', 'sms', 32));
}
