import { DependencyError } from '../../failure/dependency-error.ts';

/** A text message to send. */
export interface OutgoingSms {
  /** The same on each attempt, so that a gateway can recognise a repeat. */
  readonly id: string;
  /** E.164 with its plus sign, or national digits. */
  readonly to: string;
  readonly text: string;
  /** When the message expires: ms since 1970-01-01T00:00:00Z. */
  readonly expiresAt: number;
  /** Time until it expires, by the service's clock, which may differ from the machine's; ms. */
  readonly leftMs: number;
  /** The request id and trace of the call; sent to HTTP gateways. */
  readonly requestId?: string | undefined;
  readonly traceparent?: string | undefined;
}

/** Returns the headers with the request id and the trace of a message. */
export function tracingHeaders({ requestId, traceparent }: OutgoingSms): Record<string, string> {
  return {
    ...(requestId === undefined ? {} : { 'X-Request-Id': requestId }),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}

/**
 * Returns the error of a gateway: `refused`: it will never accept this message; `busy`: not now;
 * `unavailable`: it cannot be reached or refuses this client.
 * @param reply its answer, or why there was none.
 */
export function smsError(
  kind: 'refused' | 'busy' | 'unavailable',
  reply: string,
  cause?: unknown,
): DependencyError {
  return new DependencyError('sms', kind, reply, { cause });
}

/** Sends text messages to a gateway. */
export interface SmsGateway {
  /** Number of messages that can be sent at once. */
  readonly connections: number;
  /**
   * Sends a message.
   * @param signal cancels, as `unavailable`.
   * @returns the gateway's reply when it has accepted the message.
   * @throws {DependencyError} as of {@link smsError}.
   */
  send(sms: OutgoingSms, signal: AbortSignal): Promise<string>;
  /** Closes connections. Further calls have no effect. */
  close(): Promise<void>;
}

/** Returns the remaining validity of a message; whole seconds, at least one. */
export function secondsLeft({ leftMs }: OutgoingSms): number {
  return Math.max(1, Math.floor(leftMs / 1000));
}
