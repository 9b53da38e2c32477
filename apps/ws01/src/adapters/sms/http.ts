import type { SmsVerdict } from './gateway.ts';

/** How long an answer may take; ms. */
const PATIENCE = 15_000;

/** Bytes of an answer that are read. */
const ANSWER_MAX = 64 * 1024;

/** What a gateway answered over HTTP. */
export interface HttpAnswer {
  readonly status: number;
  /** The beginning of the body. */
  readonly body: string;
}

/**
 * Posts a body. Redirects are not followed: what is posted is not for somebody else.
 * @returns the answer, or the verdict when there is none.
 */
export async function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
): Promise<HttpAnswer | SmsVerdict> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]),
    });
    return { status: response.status, body: await beginningOf(response) };
  } catch (error) {
    const { name, message, cause } = error as Error;
    const reason = name === 'TimeoutError' ? 'No answer in time' : cause instanceof Error ? cause.message : message;
    return { kind: 'unreachable', reply: reason || name };
  }
}

async function beginningOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size >= ANSWER_MAX) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** What a status means where the answer says no more. 401, 403 and 404 refuse us: the settings are wrong, not the message. */
export function verdictOfStatus(status: number, reply: string): SmsVerdict {
  if (status >= 200 && status < 300) return { kind: 'accepted', reply };
  if (status === 401 || status === 403 || status === 404 || (status >= 300 && status < 400)) {
    return { kind: 'unreachable', reply };
  }
  if (status >= 500 || status === 408 || status === 409 || status === 425 || status === 429) {
    return { kind: 'deferred', reply };
  }
  return { kind: 'refused', reply };
}
