import { Networks, PrivateNetworkError, Upstream, UpstreamError } from '../outgoing-http.ts';

/** How long an answer may take; ms. */
const PATIENCE = 15_000;

/** Bytes of an answer that are read; nothing is made of them. */
const ANSWER_MAX = 16 * 1024;

/** What became of a call: the status, or `undefined` and why there was none. */
export interface WebhookAnswer {
  readonly status: number | undefined;
  readonly reply: string;
}

/** Calls webhooks: addresses are checked when they are connected to, and redirects are not followed. */
export class WebhookClient {
  readonly #networks: Networks;

  /** @param networks private ones that webhooks may lead to. */
  constructor(networks: readonly string[]) {
    this.#networks = new Networks(networks);
  }

  /** Never rejects. @param signal gives the call up. */
  async post(
    address: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
  ): Promise<WebhookAnswer> {
    const url = new URL(address);
    const limits = { timeoutMs: PATIENCE, answerBytes: ANSWER_MAX, longAnswer: 'beginning' } as const;
    const upstream = new Upstream({ url, networks: this.#networks, ...limits });
    const asked = {
      method: 'POST',
      target: url.pathname + url.search,
      headers: Object.entries(headers).flat(),
      signal,
    };
    try {
      const { status } = await upstream.ask({ ...asked, body: Buffer.from(body, 'utf8') });
      return { status, reply: `HTTP ${status}` };
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      const { message, cause } = error;
      const remedy = cause instanceof PrivateNetworkError ? ' WEBHOOK_NETWORKS is where to list it.' : '';
      return { status: undefined, reply: message + remedy };
    } finally {
      upstream.close();
    }
  }
}
