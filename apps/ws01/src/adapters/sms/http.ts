import { smsError } from './gateway.ts';

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
 * @throws {DependencyError} `unavailable` when there is no answer.
 */
export async function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
): Promise<HttpAnswer> {
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
    throw smsError('unavailable', reason || name, error);
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

/**
 * Judges an answer by its status, where it says no more. 401, 403 and 404 refuse us: the settings are wrong, not the message.
 * @returns the reply of a gateway that took the message.
 * @throws {DependencyError} of one that did not.
 */
export function judgeStatus(status: number, reply: string): string {
  if (status >= 200 && status < 300) return reply;
  if (status === 401 || status === 403 || status === 404 || (status >= 300 && status < 400)) {
    throw smsError('unavailable', reply);
  }
  const passes = status >= 500 || status === 408 || status === 409 || status === 425 || status === 429;
  throw smsError(passes ? 'busy' : 'refused', reply);
}
