/** The peer messages between the primary process and its workers, over the channel of node:cluster. */

/** The addresses of the service, and the state that a worker found at its start. */
export interface Listening {
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** The token of a new installation, from the one worker that created it. */
  readonly firstToken: string | undefined;
}

export type FromWorker =
  /** The worker serves. */
  | ({ readonly kind: 'listening' } & Listening)
  /** The worker cannot serve and exits; `reason` is for a person. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** The worker's metrics: on request, and the last ones at its end. */
  | { readonly kind: 'report'; readonly report: unknown }
  /** The heartbeat, every {@link HEARTBEAT_MS}. */
  | { readonly kind: 'beat' }
  /** A peer message for all other workers. */
  | { readonly kind: 'news'; readonly news: unknown };

export type ToWorker =
  /** Finish calls in flight and exit. `replaced`: another worker already serves in its place, so no drain is needed. */
  | { readonly kind: 'stop'; readonly replaced?: true }
  /** Do the background work of this machine from now on. */
  | { readonly kind: 'lead' }
  /** Send the metrics. */
  | { readonly kind: 'report' }
  | { readonly kind: 'news'; readonly news: unknown };

/** Interval of a worker's heartbeat; ms. */
export const HEARTBEAT_MS = 1_000;

/** Ignores a message that could not be sent: the end of the process is noticed anyway. */
export function ignoreUnsent(): void {}
