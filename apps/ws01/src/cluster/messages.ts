import type { BoundAddress, ListenAddress } from '../web/sockets/listen.ts';

/**
 * The peer messages between the primary process and its workers, over the channel of node:cluster.
 */

/** The addresses of the service, and the state that a worker found at its start. */
export interface Listening {
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** The token of a new installation, from the one worker that created it. */
  readonly firstToken: string | undefined;
}

export type FromWorker =
  /** The worker needs the connections of an address; the answer is `bound`. */
  | { readonly kind: 'accept'; readonly address: ListenAddress }
  /** The worker has the connection that came last from this acceptor. */
  | { readonly kind: 'took'; readonly acceptor: number }
  /** The worker got a signal, and waits for `stop`. */
  | { readonly kind: 'leaving' }
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
  /** The acceptor of an address, or the error with the properties that `describeError` reads. */
  | { readonly kind: 'bound'; readonly acceptor: number; readonly bound: BoundAddress }
  | { readonly kind: 'unbound'; readonly message: string; readonly error: Record<string, unknown> }
  /** With a connection. */
  | { readonly kind: 'connection'; readonly acceptor: number }
  /** Have `/readyz` say 503, and serve on; more connections may come. */
  | { readonly kind: 'drain' }
  /**
   * Finish calls in flight and exit; no further connections come. `drained`: proxies have been
   * given time to notice.
   */
  | { readonly kind: 'stop'; readonly drained: boolean }
  /** Do the background work of this machine from now on. */
  | { readonly kind: 'lead' }
  /** Send the metrics. */
  | { readonly kind: 'report' }
  | { readonly kind: 'news'; readonly news: unknown };

/** Interval of a worker's heartbeat; ms. */
export const HEARTBEAT_MS = 1_000;

/** Ignores a message that could not be sent: the end of the process is noticed anyway. */
export function ignoreUnsent(): void {}
