import { RequestError } from '@hono/node-server';
import type { Logger } from 'pino';
import { ERRORS } from '../contract/errors.ts';
import { asWs01Error } from '../failure/translate.ts';

/** What was asked for when something failed. */
interface FailedRequest {
  readonly method: string;
  /** Without the query, which may hold anything. */
  readonly path: string;
  /** As the answer has it. */
  readonly requestId: string;
}

/** How long to wait before trying again; seconds, as the endpoint says. */
const RETRY_AFTER = '5';

/**
 * Translates every error of the web room to an answer, and logs the reason with the request id of the answer (semantics 4). The answer is one sentence, without stack, path and internal details.
 *
 * @returns 503 with `Retry-After` when the database or the disk cannot be used, 400 for a request that no URL can be
 *   made of, otherwise 500.
 */
export function createFailureAnswers(log: Logger): (error: unknown, request: FailedRequest) => Response {
  return (error, request) => {
    if (error instanceof RequestError) return plain(400, 'The request has no usable Host header or path.', {});
    const { code, message, cause, retryAfter } = asWs01Error(error);
    const { status } = ERRORS[code];
    if (status >= 500) log.error({ ...request, status, error: code, err: cause }, 'failed');
    return plain(status, message, {
      'X-Error-Code': code,
      'X-Request-Id': request.requestId,
      ...(status === 503 || retryAfter !== undefined ? { 'Retry-After': String(retryAfter ?? RETRY_AFTER) } : {}),
    });
  };
}

function plain(status: number, sentence: string, headers: Record<string, string>): Response {
  return new Response(`${sentence}\n`, {
    status,
    headers: {
      'Content-Type': 'text/plain; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      ...headers,
    },
  });
}
