import type { OutageState } from '../domain/outbox/outage.ts';
import type { OutboxKind } from '../store/tables/tables.ts';

/** What the processes of one service on one machine tell each other. */
export type PeerMessage =
  /** Has just started, and knows nothing yet. */
  | { readonly about: 'joined' }
  /** A message is there to be sent, by the process that leads. */
  | { readonly about: 'queued'; readonly kind: OutboxKind }
  /** From the process that leads: whether the SMS gateway can be reached. */
  | { readonly about: 'gateway'; readonly outage: OutageState }
  /** Every other one answers. */
  | { readonly about: 'question'; readonly id: string; readonly question: PeerQuestion }
  /** Only the one that asked heeds it. */
  | { readonly about: 'answer'; readonly id: string; readonly answer: unknown };

/** What a process asks the others, since each sees only its own calls. */
export type PeerQuestion =
  /** What was counted in the last hour. */
  | { readonly what: 'counts' }
  /** The calls with a request id. */
  | { readonly what: 'calls'; readonly requestId: string };
