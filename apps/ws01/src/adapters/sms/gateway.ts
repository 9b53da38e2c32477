import { DependencyError } from '../../failure/dependency-error.ts';

/** A text message to send. */
export interface OutgoingSms {
  /** The same each time the message is sent, so that a gateway can tell a repeat. */
  readonly id: string;
  /** E.164 with its plus sign, or national digits. */
  readonly to: string;
  readonly text: string;
  /** Not to be delivered from then on: ms since 1970-01-01T00:00:00Z. */
  readonly expiresAt: number;
  /** How long that is from now, by the time of the service, which the clock of the machine need not share; ms. */
  readonly leftMs: number;
  /** What the call that asked for it was known by, and the trace that it belongs to; told to gateways over HTTP. */
  readonly requestId?: string | undefined;
  readonly traceparent?: string | undefined;
}

/** Headers that say what a message belongs to. */
export function tracingHeaders({ requestId, traceparent }: OutgoingSms): Record<string, string> {
  return {
    ...(requestId === undefined ? {} : { 'X-Request-Id': requestId }),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}

/**
 * A gateway did not take a message: `refused` never, as it is; `busy` not now; `unavailable` it cannot be reached or will
 * not talk with us, nothing that the message has done.
 * @param reply what it said, or why it said nothing.
 */
export function smsError(kind: 'refused' | 'busy' | 'unavailable', reply: string, cause?: unknown): DependencyError {
  return new DependencyError('sms', kind, reply, { cause });
}

/** Hands text messages over to whoever delivers them. */
export interface SmsGateway {
  /** Messages that can be handed over at once. */
  readonly connections: number;
  /**
   * @param signal ends the attempt, as `unavailable`.
   * @returns what the gateway said, once it has taken the message over.
   * @throws {DependencyError} as of {@link smsError}.
   */
  send(sms: OutgoingSms, signal: AbortSignal): Promise<string>;
  /** Takes leave of the gateway. Harmless when repeated. */
  close(): Promise<void>;
}

/** How long a message may still be on its way; whole seconds, at least one. */
export function secondsLeft({ leftMs }: OutgoingSms): number {
  return Math.max(1, Math.floor(leftMs / 1000));
}
