import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import {
  ARTICLE,
  begunInChunks,
  FORM,
  GZIP,
  IMAGE,
  MTOM,
  post,
  SERVICE,
  SOAP,
  soapHead,
} from '../../apps/ws01/test/security/kit/requests.ts';
import type { Target } from '../../apps/ws01/test/security/kit/target.ts';

const SENT = 600_000;
const DECLARED = 2_000_000;
const MIB = 1024 ** 2;
/** Looked at so long after all has been sent, or refused; ms. */
const LOOKS_MS = [500, 2_000];

const file = randomBytes(SENT);
const part = Buffer.from('--b\r\nContent-ID: <f>\r\n\r\n');

/** Requests that have begun and do not go on. */
export const STALLED: Readonly<Record<string, Buffer>> = {
  'a file before the credential, form': post(
    IMAGE,
    FORM,
    `FileImg=${file.toString('base64')}`,
    DECLARED,
  ),
  'the same, 20 kB of it': post(
    IMAGE,
    FORM,
    `FileImg=${file.subarray(0, 20_000).toString('base64')}`,
    DECLARED,
  ),
  'a part before the envelope, MTOM': post(SERVICE, MTOM, Buffer.concat([part, file]), DECLARED),
  'the same, 30 kB of it': post(
    SERVICE,
    MTOM,
    Buffer.concat([part, file.subarray(0, 30_000)]),
    DECLARED,
  ),
  'a value of 600 kB, form': post(ARTICLE, FORM, `content=${'x'.repeat(SENT)}`, DECLARED),
  'a value of 15 kB, form': post(ARTICLE, FORM, `content=${'x'.repeat(15_000)}`, 15_100),
  'a value of 15 kB, SOAP': post(
    SERVICE,
    SOAP,
    `${soapHead('InsertArticle')}<content>${'x'.repeat(15_000)}`,
    DECLARED,
  ),
  'the first bytes of gzip': begunInChunks(
    ARTICLE,
    { ...FORM, ...GZIP },
    Buffer.from([0x1f, 0x8b, 8]),
  ),
  'a head of 15 kB': Buffer.from(
    `POST ${ARTICLE} HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(15_000)}`,
  ),
};

/** Opens connections that all send the same. @returns the most that they held together; MiB. */
export async function heldBy(target: Target, begun: Buffer, connections: number): Promise<number> {
  const before = await target.figures(true);
  const sockets: Socket[] = [];
  let most = 0;
  try {
    for (let at = 0; at < connections; at++) {
      const socket = await target.connect();
      socket.resume();
      socket.write(begun);
      sockets.push(socket);
    }
    while (sockets.some(({ destroyed, writableLength }) => !destroyed && writableLength > 0))
      await pause(20);
    for (const ms of LOOKS_MS) {
      await pause(ms);
      most = Math.max(most, (await target.figures(true)).held - before.held);
    }
  } finally {
    for (const socket of sockets) socket.destroy();
  }
  return most / MIB;
}
