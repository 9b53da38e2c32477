import { ERRORS, type ErrorCode, Ws01Error } from '../contract/errors.ts';
import type { Sentence } from '../contract/sentence.ts';
import { retryHeader, UNCACHED } from '../failure/answer-headers.ts';

/** The media type of errors (RFC 9457). */
const PROBLEM_TYPE = 'application/problem+json';

/**
 * Returns the response to an error: its code, its message, and the request id that finds it in the
 * log.
 */
export function problemOf(error: Ws01Error, requestId: string): Response {
  const { code, message, parameter, retryAfter } = error;
  // RFC 9110, 13.1.1: a condition of the request is not met.
  const status = parameter === 'If-Match' ? 412 : statusOf(code);
  const body = {
    type: 'about:blank',
    title: ERRORS[code].meaning,
    status,
    detail: message,
    code,
    ...(parameter === undefined ? {} : { parameter }),
    requestId,
  };
  const headers: Record<string, string> = {
    'Content-Type': PROBLEM_TYPE,
    ...UNCACHED,
    ...retryHeader(status, retryAfter),
    'X-Request-Id': requestId,
  };
  if (status === 401) headers['WWW-Authenticate'] = 'Bearer realm="ws01"';
  return new Response(`${JSON.stringify(body)}\n`, { status, headers });
}

/**
 * Returns the HTTP status of an error code. The contract answers 403 without a valid credential;
 * HTTP defines 401 for that.
 */
export function statusOf(code: ErrorCode): number {
  return code === 'Unauthenticated' ? 401 : ERRORS[code].status;
}

/** Returns the error for an invalid parameter. */
export function invalid(parameter: string, message: string | Sentence): Ws01Error {
  return new Ws01Error('InvalidParameter', message, { parameter });
}
