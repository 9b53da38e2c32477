/** What the primary process and its workers say to each other, over the channel that node:cluster opens between them. */

/** Where the service can be reached, and what a worker found at its start. */
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

/** How often a worker that serves says that it goes on; ms. */
export const BEAT_MS = 1_000;

/** What is left to do when a message could not be sent: nothing, for the end of the process is heard of anyway. */
export function ignoreUnsent(): void {}
