/** The processes that serve together on this machine, as one of them sees the others. */
export interface Peers<News> {
  /**
   * Calls back when what one process does for all falls to this one: at once, later, or never. When a leader dies,
   * another one begins.
   */
  onLead(begin: () => void): void;
  /** Tells all the others. Never waits and never fails; one that is just ending or starting may miss it. */
  tell(news: News): void;
  /** Calls back with what any of the others tells. */
  hear(listen: (news: News) => void): void;
}

/** A process that serves alone leads from the start and has nobody to talk to. */
export function alone<News>(): Peers<News> {
  return { onLead: (begin) => begin(), tell: () => {}, hear: () => {} };
}
