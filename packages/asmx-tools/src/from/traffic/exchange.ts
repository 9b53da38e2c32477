/** A body as it is kept: as text where it is text. */
export type KeptBody =
  | { readonly text: string }
  | { readonly base64: string }
  /** It was not kept, and why. */
  | { readonly omitted: string };

/** The bytes of a body; none where it was not kept. */
export function bytesOf(body: KeptBody | undefined): Buffer {
  if (body === undefined || 'omitted' in body) return Buffer.alloc(0);
  return 'text' in body ? Buffer.from(body.text) : Buffer.from(body.base64, 'base64');
}

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

/** Whether a value is an exchange: anybody may have written the recording. */
export function isExchange(value: unknown): value is RecordedExchange {
  const { method, target, operation, redacted, request, answer } = membersOf(value);
  const { headers, body } = membersOf(request);
  const isNamed = [method, target, operation].every((text) => typeof text === 'string');
  const isAnswered = answer === undefined || isAnswer(membersOf(answer));
  return isNamed && areTexts(redacted) && isTextOfEach(headers) && isBody(body) && isAnswered;
}

function isAnswer({ status, headers, body, redacted = [] }: Record<string, unknown>): boolean {
  const isWritten = isTextOfEach(headers) && (body === undefined || isBody(body));
  return Number.isInteger(status) && isWritten && areTexts(redacted);
}

const isBody = (body: unknown): boolean => {
  const { text, base64, omitted } = membersOf(body);
  return [text, base64, omitted].some((one) => typeof one === 'string');
};

const isTextOfEach = (headers: unknown): boolean =>
  typeof headers === 'object' && headers !== null && areTexts(Object.values(headers));

const areTexts = (values: unknown): boolean =>
  Array.isArray(values) && values.every((one) => typeof one === 'string');

const membersOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/** The only headers that are kept: no other can hold a credential. */
export const KEPT_REQUEST_HEADERS = new Set(['content-type', 'soapaction', 'accept', 'user-agent']);
export const KEPT_ANSWER_HEADERS = new Set([
  'content-type',
  'jsonerror',
  'location',
  'allow',
  'retry-after',
]);
