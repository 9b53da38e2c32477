import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { MINUTE_MS } from '@ws01/asmx/time';
import type { Context } from 'hono';
import { raw } from 'hono/html';
import { consolePath } from './forms.ts';
import type { Content } from './layout.ts';
import type { ConsoleDeps, ConsoleEnv } from './visit.ts';

type C = Context<ConsoleEnv>;
type Deps = Pick<ConsoleDeps, 'challengeKeys' | 'clock'>;

/** The parameter of a page's address that has what was done. */
export const TOLD = 'told';

/** How long an address tells what was done; ms. */
const TOLD_MS = 2 * MINUTE_MS;

/** Longest sealed message in an address; characters. Proxies take 8 KB of it. */
const SEALED_CHARS = 6_000;

const [CIPHER, IV_BYTES, TAG_BYTES] = ['aes-256-gcm', 12, 16] as const;

/**
 * Answers a form that did something: the browser goes on to a page that tells it, so that a reload does nothing again.
 * The message is in the address, sealed, for this admin and for two minutes; the script of the page removes it there.
 * @returns `undefined` if the message is too long for an address.
 */
export async function goOnTelling(
  deps: Deps,
  c: C,
  path: string,
  message: Content,
): Promise<Response | undefined> {
  const at = deps.clock();
  const text = JSON.stringify([c.get('admin').id, at, String(await message)]);
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(
    CIPHER,
    await keyOf((await deps.challengeKeys.current(at)).bytes),
    iv,
  );
  const body = Buffer.concat([cipher.update(deflateRawSync(text)), cipher.final()]);
  const time = Buffer.alloc(8);
  time.writeBigInt64BE(BigInt(at));
  const sealed = Buffer.concat([time, iv, cipher.getAuthTag(), body]).toString('base64url');
  if (sealed.length > SEALED_CHARS) return undefined;
  const url = new URL(consolePath(path), 'http://console');
  url.searchParams.set(TOLD, sealed);
  return c.redirect(url.pathname + url.search, 303);
}

/** Returns what the address of a page tells; empty if nothing, or nothing any more. */
export async function toldTo(deps: Deps, c: C): Promise<Content> {
  const bytes = Buffer.from(c.req.query(TOLD) ?? '', 'base64url');
  if (bytes.length <= 8 + IV_BYTES + TAG_BYTES) return '';
  const at = Number(bytes.readBigInt64BE());
  const key = Math.abs(deps.clock() - at) < TOLD_MS ? await deps.challengeKeys.at(at) : undefined;
  if (key === undefined) return '';
  try {
    const [iv, tag] = [
      bytes.subarray(8, 8 + IV_BYTES),
      bytes.subarray(8 + IV_BYTES, 8 + IV_BYTES + TAG_BYTES),
    ];
    const cipher = createDecipheriv(CIPHER, await keyOf(key.bytes), iv);
    cipher.setAuthTag(tag);
    const packed = Buffer.concat([
      cipher.update(bytes.subarray(8 + IV_BYTES + TAG_BYTES)),
      cipher.final(),
    ]);
    const [admin, sealedAt, message] = JSON.parse(inflateRawSync(packed).toString()) as [
      string,
      number,
      string,
    ];
    // The template that was sealed had escaped what was not ours.
    return admin === c.get('admin').id && sealedAt === at ? raw(message) : '';
  } catch {
    return '';
  }
}

/** Separates this use of the keys from others. */
const keyOf = async (bytes: Uint8Array) =>
  hash('sha256', Buffer.concat([Buffer.from('ws01 told once'), bytes]), 'buffer');
