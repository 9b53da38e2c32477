import { ERRORS, type ErrorCode, Ws01Error } from '../contract/errors.ts';

/** How problems are answered (RFC 9457). */
const PROBLEM_TYPE = 'application/problem+json';

/** How long to wait before trying again; seconds, as the endpoint says. */
const RETRY_AFTER = '5';

/** The answer to what failed: its code, what would be right, and the id that finds it in the log. */
export function problemOf(error: Ws01Error, requestId: string): Response {
  const { code, message, parameter, retryAfter } = error;
  const status = statusOf(code);
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
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
  };
  if (status === 401) headers['WWW-Authenticate'] = 'Bearer realm="ws01"';
  if (status === 503 || retryAfter !== undefined) headers['Retry-After'] = String(retryAfter ?? RETRY_AFTER);
  return new Response(`${JSON.stringify(body)}\n`, { status, headers });
}

/** The contract answers 403 where there is no usable credential; HTTP has 401 for it. */
export function statusOf(code: ErrorCode): number {
  return code === 'Unauthenticated' ? 401 : ERRORS[code].status;
}

/** A parameter that cannot be used. */
export function invalid(parameter: string, message: string): Ws01Error {
  return new Ws01Error('InvalidParameter', message, { parameter });
}
