/** Limits of the HTTP API, named as the settings are. */
export interface ApiLimits {
  /** Longest body of a request; bytes. */
  readonly apiBodyBytes: number;
  /** Items of a page at most. */
  readonly apiPageItems: number;
  /** Longest text that a list is searched for; code points. */
  readonly apiSearchChars: number;
  /** Rows that are looked at for one page of a list, where a condition has no index. */
  readonly apiRowsRead: number;
}
