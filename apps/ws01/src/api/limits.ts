/** Limits of the HTTP API; their values stand in config/fixed.ts. */
export interface ApiLimits {
  /** Maximum length of a request body; bytes. */
  readonly apiBodyBytes: number;
  /** Maximum page size; items. */
  readonly apiPageItems: number;
  /** Maximum length of a search text; code points. */
  readonly apiSearchChars: number;
  /** Maximum number of rows scanned for one page when a condition has no index. */
  readonly apiRowsRead: number;
  /** How long such a scan goes on; ms. */
  readonly apiReadMs: number;
}
