import {
  type OutgoingSms,
  type SmsGateway,
  secondsLeft,
  smsError,
  tracingHeaders,
} from './gateway.ts';
import { evaluateStatus, GatewayUrl, type HttpAnswer } from './http.ts';

interface TwilioAccount {
  readonly account: string;
  /** The account id, or the id of an API key. */
  readonly user: string;
  readonly password: string;
  /** A number, a sender's name, or the id of a messaging service. */
  readonly from: string;
  /** Without a trailing slash. */
  readonly api: string;
}

/** Twilio's minimum validity period; s. */
const SHORTEST_VALIDITY = 5;

/** Twilio's REST API: Messages, version 2010-04-01. */
export class TwilioGateway implements SmsGateway {
  readonly connections = 10;
  readonly #url: GatewayUrl;
  readonly #authorization: string;
  readonly #sender: Readonly<Record<string, string>>;

  constructor({ account, user, password, from, api }: TwilioAccount) {
    const url = new URL(`${api}/2010-04-01/Accounts/${encodeURIComponent(account)}/Messages.json`);
    const login = `${user}:${password}`;
    this.#url = new GatewayUrl(url, [login, password]);
    this.#authorization = `Basic ${Buffer.from(login).toString('base64')}`;
    this.#sender = /^MG[0-9A-Fa-f]{32}$/.test(from)
      ? { MessagingServiceSid: from }
      : { From: from };
  }

  async send(sms: OutgoingSms, signal: AbortSignal): Promise<string> {
    const seconds = secondsLeft(sms);
    if (seconds < SHORTEST_VALIDITY)
      throw smsError('refused', 'Too little time is left to deliver it');
    const form = new URLSearchParams({
      To: sms.to,
      ...this.#sender,
      Body: sms.text,
      ValidityPeriod: String(seconds),
    });
    const headers = {
      Authorization: this.#authorization,
      'Content-Type': 'application/x-www-form-urlencoded',
      ...tracingHeaders(sms),
    };
    const answer = await this.#url.post(headers, form.toString(), signal);
    return evaluateStatus(answer.status, replyOf(answer));
  }

  async close(): Promise<void> {
    this.#url.close();
  }
}

/**
 * Returns the text of an answer: `{"sid","status",…}` for an accepted message,
 * `{"code","message","status"}` otherwise.
 */
function replyOf({ status, body }: HttpAnswer): string {
  const answer = readObject(body);
  const isTaken = status >= 200 && status < 300;
  const [first, second] = isTaken ? [answer.status, answer.sid] : [answer.code, answer.message];
  return `${status} ${textOf(first)} ${textOf(second)}`.trim();
}

function readObject(body: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
