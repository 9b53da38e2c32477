import type { Accept } from '../web/sockets/listen.ts';

/** The other processes of this node, as seen by one of them. */
export interface Peers<PeerMessage> {
  /**
   * Has the primary process accept connections for this one; absent in a process that serves alone.
   */
  readonly accept?: Accept;
  /**
   * Calls back when this process becomes the leader, which does the background work: at once,
   * later, or never. When a leader dies, another process becomes the leader.
   */
  onLead(begin: () => void): void;
  /**
   * Sends a message to all peers. Never waits and never fails; a process that is starting or ending
   * may miss it.
   */
  tell(news: PeerMessage): void;
  /** Calls back with each message of a peer. */
  hear(listen: (news: PeerMessage) => void): void;
}

/** A process that serves alone is always the leader, and has no peers. */
export function alone<PeerMessage>(): Peers<PeerMessage> {
  return { onLead: (begin) => begin(), tell: () => {}, hear: () => {} };
}
