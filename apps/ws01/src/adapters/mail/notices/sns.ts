import { type KeyObject, verify, X509Certificate } from 'node:crypto';
import { recentlyUsed } from '../../../turns/memory.ts';
import { Networks, Upstream } from '../../outgoing-http.ts';

/** Hosts of SNS, which alone are visited: for its certificates, and to confirm a subscription. */
const HOST = /^sns\.[a-z0-9-]{1,40}\.amazonaws\.com(?:\.cn)?$/;
const CERTIFICATE = /^\/SimpleNotificationService-[0-9A-Za-z]{1,80}\.pem$/;

const LIMITS = { timeoutMs: 15_000, answerBytes: 16 * 1024, partAnswer: 'beginning' } as const;

/**
 * Returns the public key of the certificate at an address of SNS.
 * @throws when it cannot be had.
 */
export type SnsKeyAt = (certificate: string) => Promise<KeyObject>;

/** A message of SNS: its texts by their names. */
export type SnsMessage = Readonly<Record<string, unknown>>;

/**
 * What is signed, in this order (Amazon SNS Developer Guide, "Verifying the signatures of Amazon
 * SNS messages").
 */
const SIGNED = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: [
    ...['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
  ],
} as const;

const ALGORITHMS: ReadonlyMap<unknown, string> = new Map([
  ['1', 'sha1'],
  ['2', 'sha256'],
]);

/** Returns an address of SNS; `undefined` for any other. */
export function snsAddress(text: unknown): URL | undefined {
  const url = URL.parse(String(text));
  const isSns = url?.protocol === 'https:' && HOST.test(url.host) && url.username === '';
  return isSns ? url : undefined;
}

/**
 * Whether SNS has signed a message, by either version of its signature.
 * @throws what `keyAt` throws.
 */
export async function isSignedBySns(
  message: SnsMessage,
  keyAt: SnsKeyAt = certificateKeyAt,
): Promise<boolean> {
  const names = Object.entries(SIGNED).find(([type]) => type === message.Type)?.[1];
  const algorithm = ALGORITHMS.get(message.SignatureVersion);
  const address = snsAddress(message.SigningCertURL);
  if (names === undefined || algorithm === undefined || address === undefined) return false;
  if (!CERTIFICATE.test(address.pathname) || address.search !== '') return false;
  const lines = names.filter((name) => typeof message[name] === 'string');
  const text = lines.map((name) => `${name}\n${message[name]}\n`).join('');
  const signature = Buffer.from(String(message.Signature), 'base64');
  return verify(algorithm, Buffer.from(text), await keyAt(address.href), signature);
}

const keys = recentlyUsed<Promise<KeyObject>>(4);

/**
 * Returns the key of a certificate of SNS, which is fetched once; a new one has another address.
 */
function certificateKeyAt(address: string): Promise<KeyObject> {
  const known = keys.get(address);
  if (known !== undefined) return known;
  const key = visit(address).then(({ status, body }) => {
    if (status !== 200) throw new Error(`SNS answered ${status} when its certificate was fetched.`);
    return new X509Certificate(body).publicKey;
  });
  keys.set(address, key);
  key.catch(() => keys.delete(address));
  return key;
}

/** Visits an address of SNS. @throws {UpstreamError} when there is no answer. */
export async function visit(address: string) {
  const url = new URL(address);
  const upstream = new Upstream({ url, networks: new Networks([]), ...LIMITS });
  try {
    const target = url.pathname + url.search;
    return await upstream.ask({ method: 'GET', target, headers: [], body: undefined });
  } finally {
    upstream.close();
  }
}
