import type { OutageState } from '../domain/outbox/outage.ts';
import type { OutboxKind } from '../store/tables/tables.ts';

/** The messages between the processes of one node. */
export type PeerMessage =
  /** A process has started and needs the current state. */
  | { readonly about: 'joined' }
  /** A message was queued; the leader sends it. */
  | { readonly about: 'queued'; readonly kind: OutboxKind }
  /** Settings were changed. */
  | { readonly about: 'settings' }
  /** Events were committed; the leader numbers them. */
  | { readonly about: 'events' }
  /** From the leader: events were numbered; streams read them. */
  | { readonly about: 'numbered' }
  /** From the leader: whether the SMS gateway is reachable. */
  | { readonly about: 'gateway'; readonly outage: OutageState }
  /** A question; every other process answers it. */
  | { readonly about: 'question'; readonly id: string; readonly question: PeerQuestion }
  /** An answer, for the process that asked. */
  | { readonly about: 'answer'; readonly id: string; readonly answer: unknown };

/** What a process asks its peers, because each process keeps its own calls. */
export type PeerQuestion =
  /** The calls with a request id. */
  | { readonly what: 'calls'; readonly requestId: string }
  /** How calls reached the proxy. */
  | { readonly what: 'transports' };
