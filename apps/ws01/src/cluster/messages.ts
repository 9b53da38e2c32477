/** The peer messages between the primary process and its workers, over the channel of node:cluster. */

/** The addresses of the service, and the state that a worker found at its start. */
export interface Listening {
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** The credential made on the very first start, told by the one worker that made it. */
  readonly firstToken: string | undefined;
}

export type FromWorker =
  /** It serves. */
  | ({ readonly kind: 'listening' } & Listening)
  /** It cannot serve and ends; `reason` is for a person. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** What it has measured: asked for, or the last it says. */
  | { readonly kind: 'report'; readonly report: unknown }
  /** It goes on; said every {@link BEAT_MS}. */
  | { readonly kind: 'beat' }
  /** To be passed on to all the others. */
  | { readonly kind: 'news'; readonly news: unknown };

export type ToWorker =
  /** Finish what is in flight, and end. `replaced`: another one serves in its place, and nobody needs to be told before. */
  | { readonly kind: 'stop'; readonly replaced?: true }
  /** Do from now on what one process does for all. */
  | { readonly kind: 'lead' }
  /** Say what has been measured. */
  | { readonly kind: 'report' }
  | { readonly kind: 'news'; readonly news: unknown };

/** Interval of a worker's heartbeat; ms. */
export const BEAT_MS = 1_000;

/** Ignores a message that could not be sent: the end of the process is noticed anyway. */
export function ignoreUnsent(): void {}
