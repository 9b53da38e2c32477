import { SoapCallError } from './errors.ts';

export interface Posted {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  readonly signal: AbortSignal;
  readonly fetch: typeof fetch;
  /** Told of each answer, those that send elsewhere too. */
  readonly came: (response: Response, url: URL) => void;
}

const MOST_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 307, 308]);

/**
 * Sends a message. Where the server sends it elsewhere on the same host, it goes there as it is:
 * what a body holds must not get to another server.
 * @throws {SoapCallError} `connection`, `redirect`.
 */
export async function post({ fetch, came, ...posted }: Posted): Promise<Response> {
  let { url } = posted;
  for (let redirects = 0; ; redirects++) {
    const { headers, body, signal } = posted;
    let response: Response;
    try {
      response = await fetch(url, {
        method: 'POST',
        headers,
        body: body as string,
        redirect: 'manual',
        signal,
      });
    } catch (error) {
      throw unreachable(error, url, signal);
    }
    came(response, url);
    const { status } = response;
    if (!REDIRECTS.has(status)) return response;
    await response.body?.cancel();
    const to = URL.parse(response.headers.get('location') ?? '', url);
    const isEncrypted = url.protocol === 'http:' && to?.protocol === 'https:';
    const isThere = to !== null && to.hostname === url.hostname;
    const isSafe = isThere && (to.origin === url.origin || isEncrypted);
    if (isSafe && redirects < MOST_REDIRECTS) {
      url = to;
      continue;
    }
    const where = to === null ? 'nowhere' : `to ${to.origin}${to.pathname}`;
    const why = isSafe
      ? `It is the ${MOST_REDIRECTS + 1}th time.`
      : 'If that is right, make it the url.';
    throw new SoapCallError(
      'redirect',
      `${url.host} answers ${status} and sends ${where}. ${why}`,
      { status },
    );
  }
}

/** What a `fetch` throws, with the reason that it hides. */
export function unreachable(error: unknown, url: URL, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  const { cause, message } = error as Error;
  const reason = cause instanceof Error && cause.message !== '' ? cause.message : message;
  return new SoapCallError('connection', `${url.host} gives no answer: ${reason}.`, {
    cause: error,
  });
}
