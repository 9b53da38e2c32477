/** A body as it is kept: as text where it is text. */
export type KeptBody =
  | { readonly text: string }
  | { readonly base64: string }
  /** It was not kept, and why. */
  | { readonly omitted: string };

/** One request with its answer, as recordings hold it. */
export interface RecordedExchange {
  /** RFC 3339; empty when not known. */
  readonly at: string;
  /** Whole ms; 0 when not known. */
  readonly durationMs: number;
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** `''` when the request does not show it. */
  readonly operation: string;
  /** Names of what was taken out of the request. */
  readonly redacted: readonly string[];
  readonly request: { readonly headers: Readonly<Record<string, string>>; readonly body: KeptBody };
  /** `undefined` when it is not known. */
  readonly answer:
    | {
        readonly status: number;
        readonly headers: Readonly<Record<string, string>>;
        readonly body: KeptBody | undefined;
        /** Names of what was taken out of the answer; recordings of 0.2 have none. */
        readonly redacted?: readonly string[];
      }
    | undefined;
}

/** The only headers that are kept: no other can hold a credential. */
export const KEPT_REQUEST_HEADERS = new Set(['content-type', 'soapaction', 'accept', 'user-agent']);
export const KEPT_ANSWER_HEADERS = new Set([
  'content-type',
  'jsonerror',
  'location',
  'allow',
  'retry-after',
]);
