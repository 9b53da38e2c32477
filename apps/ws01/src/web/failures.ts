import type { Logger } from 'pino';
import { ERRORS } from '../contract/errors.ts';
import { retryHeader, UNCACHED } from '../failure/answer-headers.ts';
import { reportedError } from '../failure/translate.ts';

/** The request that failed. */
interface FailedRequest {
  readonly method: string;
  /** Without the query, which may contain anything. */
  readonly path: string;
  /** The request id in the answer. */
  readonly requestId: string;
}

/** An answer of one sentence. */
export interface FailureAnswer {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The answer to a request whose Host header and path make no URL. */
export const NO_URL: FailureAnswer = plain(
  400,
  'The request has no usable Host header or path.',
  {},
);

/**
 * Creates the function that answers errors of the web room and logs them with the request id
 * (semantics 4). The answer is one sentence without stack, paths and internal details.
 *
 * @returns 503 with `Retry-After` when the database or the disk fails, otherwise 500.
 */
export function createFailureAnswers(
  log: Logger,
): (error: unknown, request: FailedRequest) => FailureAnswer {
  return (error, request) => {
    const { code, message, retryAfter } = reportedError(log, error, { ...request });
    const { status } = ERRORS[code];
    return plain(status, message, {
      'x-error-code': code,
      'x-request-id': request.requestId,
      ...retryHeader(status, retryAfter),
    });
  };
}

function plain(status: number, sentence: string, headers: Record<string, string>): FailureAnswer {
  return {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', ...UNCACHED, ...headers },
    body: `${sentence}\n`,
  };
}
