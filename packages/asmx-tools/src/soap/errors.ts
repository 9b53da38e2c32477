/** The server refused a call: the fault that it answered (SOAP 1.1, 4.4; SOAP 1.2 part 1, 5.4). */
export class SoapFault extends Error {
  override readonly name = 'SoapFault';
  /**
   * The local name of its code: `Client`, `Server`, `Sender`, `Receiver`, or one of the server's
   * own.
   */
  readonly code: string;
  /** Of SOAP 1.2, the further codes, the outermost first, as `{namespace}name`. */
  readonly subcodes: readonly string[];
  /** Who on the way it comes from, if it says that: actor, or role. */
  readonly actor: string | undefined;
  /** Its name in the contract; `undefined` for one that the operation does not declare. */
  readonly fault: string | undefined;
  /** What it carries, by the contract. */
  readonly detail: unknown;
  /** All that its detail holds, as XML. */
  readonly detailXml: string | undefined;
  /** The status of HTTP. */
  readonly status: number;
  /** The headers of HTTP. */
  readonly headers: Headers;

  constructor(
    reason: string,
    facts: Pick<
      SoapFault,
      'code' | 'subcodes' | 'actor' | 'fault' | 'detail' | 'detailXml' | 'status' | 'headers'
    >,
  ) {
    super(reason);
    this.code = facts.code;
    this.subcodes = facts.subcodes;
    this.actor = facts.actor;
    this.fault = facts.fault;
    this.detail = facts.detail;
    this.detailXml = facts.detailXml;
    this.status = facts.status;
    this.headers = facts.headers;
  }
}

/**
 * Why a call has no answer:
 * - `connection`: the server cannot be reached, or the connection ended before the answer did;
 * - `timeout`: the answer was not there in time;
 * - `status`: HTTP says that it failed, and there is no fault;
 * - `redirect`: the server sends elsewhere, where the call is not sent;
 * - `answer`: what came is no answer of SOAP to this call;
 * - `limit`: it is over a limit;
 * - `value`: a value in it is none of its type.
 */
export type SoapCallErrorKind =
  | 'connection'
  | 'timeout'
  | 'status'
  | 'redirect'
  | 'answer'
  | 'limit'
  | 'value';

/**
 * A call that has no answer. Whether the server carried it out is not known, but for a refused
 * connection.
 */
export class SoapCallError extends Error {
  override readonly name = 'SoapCallError';
  readonly kind: SoapCallErrorKind;
  /** The status of HTTP; `undefined` where none came. */
  readonly status: number | undefined;
  /** How long the server asks to wait before another try; seconds. */
  readonly retryAfter: number | undefined;

  constructor(
    kind: SoapCallErrorKind,
    message: string,
    {
      status,
      retryAfter,
      cause,
    }: { readonly status?: number; readonly retryAfter?: number; readonly cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.status = status;
    this.retryAfter = retryAfter;
  }
}
