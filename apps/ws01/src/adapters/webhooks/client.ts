import { within } from '@ws01/asmx/time';
import { certificateProblem } from '../../failure/certificate.ts';
import { Networks, PrivateNetworkError, Upstream, UpstreamError } from '../outgoing-http.ts';

/** Timeout of an answer; ms. */
const TIMEOUT_MS = 15_000;

/** How long a name is looked up for somebody who waits to be told; ms. */
const LOOK_UP_MS = 2_000;

/** Maximum length of an answer that is read; bytes. */
const MAX_ANSWER_BYTES = 16 * 1024;

/** So much of it people may see; bytes. */
const SHOWN_BYTES = 2_000;

/** The result of a call: the status, or `undefined` and the reason why there was none. */
export interface WebhookAnswer {
  readonly status: number | undefined;
  readonly reply: string;
  /** The beginning of the answer's body; empty without one. */
  readonly answer: string;
}

/** Calls webhooks. It checks an address when it connects, and follows no redirects. */
export class WebhookClient {
  readonly #networks: Networks;

  /** @param networks private networks that webhooks may use. */
  constructor(networks: readonly string[]) {
    this.#networks = new Networks(networks);
  }

  /**
   * Whether nothing is sent to a URL, because its host is in a private network that is not listed.
   * Of a name that is not found in time, or of what is no URL, nobody knows: `false`. Never
   * rejects.
   */
  async refuses(address: string): Promise<boolean> {
    const host = URL.parse(address)?.hostname.replace(/^\[(.*)\]$/, '$1') ?? '';
    if (host === '') return false;
    const found = new Promise<void>((resolve, reject) => {
      this.#networks.assertHost(host);
      this.#networks.lookup(host, {}, (error) => (error === null ? resolve() : reject(error)));
    });
    try {
      await within(LOOK_UP_MS, found);
      return false;
    } catch (error) {
      return error instanceof PrivateNetworkError;
    }
  }

  /**
   * Sends a request. Never rejects.
   * @param signal cancels the call.
   */
  async post(
    address: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
  ): Promise<WebhookAnswer> {
    const url = new URL(address);
    const limits = {
      timeoutMs: TIMEOUT_MS,
      answerBytes: MAX_ANSWER_BYTES,
      partAnswer: 'beginning',
    } as const;
    const upstream = new Upstream({ url, networks: this.#networks, ...limits });
    const asked = {
      method: 'POST',
      target: url.pathname + url.search,
      headers: Object.entries(headers).flat(),
      signal,
    };
    try {
      const answer = await upstream.ask({ ...asked, body: Buffer.from(body, 'utf8') });
      const { status } = answer;
      return { status, reply: `HTTP ${status}`, answer: textOf(answer.body) };
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      const isPrivate = error.cause instanceof PrivateNetworkError;
      const reply = isPrivate
        ? `Not sent, because ${url.hostname} is in a private network; to allow it, list the network in WEBHOOK_NETWORKS.`
        : (certificateProblem(error.cause ?? error) ?? error.message);
      return { status: undefined, reply, answer: '' };
    } finally {
      upstream.close();
    }
  }
}

const textOf = (body: Uint8Array): string =>
  Buffer.from(body.subarray(0, SHOWN_BYTES)).toString('utf8');
