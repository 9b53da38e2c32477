import { Upstream, UpstreamError } from '../outgoing-http.ts';
import { secretsOf, withoutSecrets } from '../told-back.ts';
import { smsError } from './gateway.ts';

/** Timeout of an answer; ms. */
const TIMEOUT_MS = 15_000;

/** Maximum length of an answer that is read; bytes. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** An HTTP gateway's answer. */
export interface HttpAnswer {
  readonly status: number;
  /** The beginning of the body. */
  readonly body: string;
}

/**
 * A URL that receives text messages by POST, in any network: the operator names it. Redirects are
 * not followed, because messages must not reach another server.
 */
export class GatewayUrl {
  readonly #upstream: Upstream;
  readonly #target: string;
  readonly #secrets: readonly string[];

  /**
   * @param url only its origin, path and query.
   * @param secrets what the requests have that no answer is shown with.
   */
  constructor(url: URL, secrets: readonly string[]) {
    const limits = {
      timeoutMs: TIMEOUT_MS,
      answerBytes: MAX_ANSWER_BYTES,
      partAnswer: 'beginning',
    } as const;
    this.#upstream = new Upstream({ url, networks: undefined, ...limits });
    this.#target = url.pathname + url.search;
    this.#secrets = [...secrets, ...secretsOf(url)];
  }

  /**
   * Sends a request.
   * @throws {DependencyError} `unavailable` when there is no answer.
   */
  async post(
    headers: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
  ): Promise<HttpAnswer> {
    const asked = {
      method: 'POST',
      target: this.#target,
      headers: Object.entries(headers).flat(),
      signal,
    };
    try {
      const answer = await this.#upstream.ask({ ...asked, body: Buffer.from(body, 'utf8') });
      const said = Buffer.from(answer.body).toString('utf8');
      return { status: answer.status, body: withoutSecrets(said, this.#secrets) };
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      throw smsError('unavailable', error.message, error);
    }
  }

  close(): void {
    this.#upstream.close();
  }
}

/** Statuses that refuse this client, and those that are over after a time, as every 5xx is. */
const MISDIRECTED: ReadonlySet<number> = new Set([401, 403, 404]);
const PASSING: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/**
 * Evaluates an answer by its status alone. 401, 403 and 404 refuse this client: the settings are
 * wrong, not the message.
 * @returns the reply of a gateway that accepted the message.
 * @throws {DependencyError} otherwise.
 */
export function evaluateStatus(status: number, reply: string): string {
  if (status >= 200 && status < 300) return reply;
  const isRedirect = status >= 300 && status < 400;
  if (isRedirect || MISDIRECTED.has(status)) throw smsError('unavailable', reply);
  throw smsError(status >= 500 || PASSING.has(status) ? 'busy' : 'refused', reply);
}
