import { createHmac } from 'node:crypto';
import { type OutgoingSms, type SmsGateway, tracingHeaders } from './gateway.ts';
import { evaluateStatus, GatewayUrl, type HttpAnswer } from './http.ts';
import { segment } from './segments.ts';

/**
 * The operator's own HTTP endpoint. Requests are signed as the Standard Webhooks specification
 * requires: `webhook-id`, `webhook-timestamp` (s) and `webhook-signature: v1,` with the base64 of
 * HMAC-SHA-256 over `id.timestamp.body`. The id stays the same when a message is sent again.
 */
export class WebhookGateway implements SmsGateway {
  readonly connections = 10;
  readonly #url: GatewayUrl;
  readonly #authorization: Readonly<Record<string, string>>;
  readonly #secret: string;

  /** @param url its user and password are sent as HTTP Basic. */
  constructor(url: string, secret: string) {
    const bare = new URL(url);
    const password = decodeURIComponent(bare.password);
    const login = `${decodeURIComponent(bare.username)}:${password}`;
    this.#authorization =
      login === ':'
        ? {}
        : { Authorization: `Basic ${Buffer.from(login, 'utf8').toString('base64')}` };
    bare.username = '';
    bare.password = '';
    this.#url = new GatewayUrl(bare, [login, password, secret]);
    this.#secret = secret;
  }

  async send(sms: OutgoingSms, signal: AbortSignal): Promise<string> {
    const { id, to, text, expiresAt } = sms;
    const { encoding, parts } = segment(text);
    const body = JSON.stringify({
      id,
      to,
      text,
      encoding,
      parts: parts.length,
      expiresAt: new Date(expiresAt).toISOString(),
    });
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signature = signWebhook(this.#secret, id, timestamp, body);
    const headers = {
      ...this.#authorization,
      ...tracingHeaders(sms),
      'Content-Type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signature,
    };
    const answer = await this.#url.post(headers, body, signal);
    return evaluateStatus(answer.status, replyOf(answer));
  }

  async close(): Promise<void> {
    this.#url.close();
  }
}

/**
 * What the gateway said: where it took the message the status is enough, where not its body says
 * why.
 */
function replyOf({ status, body }: HttpAnswer): string {
  const isTaken = status >= 200 && status < 300;
  return isTaken || body.trim() === '' ? `HTTP ${status}` : `HTTP ${status}: ${body.trim()}`;
}

/** Returns the value of `webhook-signature`. */
function signWebhook(secret: string, id: string, timestamp: string, body: string): string {
  return `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}
