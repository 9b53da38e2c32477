import type { OutageState } from '../domain/outbox/outage.ts';
import type { OutboxKind } from '../store/tables/tables.ts';

/** What the processes of one service on one machine tell each other. */
export type PeerMessage =
  /** Has just started, and knows nothing yet. */
  | { readonly about: 'joined' }
  /** A message is there to be sent, by the process that leads. */
  | { readonly about: 'queued'; readonly kind: OutboxKind }
  /** From the process that leads: whether the SMS gateway can be reached. */
  | { readonly about: 'gateway'; readonly outage: OutageState };
