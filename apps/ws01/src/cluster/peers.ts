/** The other processes of this node, as seen by one of them. */
export interface Peers<PeerMessage> {
  /**
   * Calls back when what one process does for all falls to this one: at once, later, or never. When a leader dies,
   * another one begins.
   */
  onLead(begin: () => void): void;
  /** Tells all the others. Never waits and never fails; one that is just ending or starting may miss it. */
  tell(news: PeerMessage): void;
  /** Calls back with what any of the others tells. */
  hear(listen: (news: PeerMessage) => void): void;
}

/** A process that serves alone is always the leader, and has no peers. */
export function alone<PeerMessage>(): Peers<PeerMessage> {
  return { onLead: (begin) => begin(), tell: () => {}, hear: () => {} };
}
