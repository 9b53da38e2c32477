/** The errors of the protocol itself, and the form in which a contract adds its own. */

import type { Operation } from './service.ts';

/** How a code is answered. */
export interface ErrorKind {
  /** Status over GET, POST and JSON, and over SOAP when `soapStatus` does not say otherwise. */
  readonly status: number;
  /** Whose fault it is: `soap:Client`/`Sender` or `soap:Server`/`Receiver`. */
  readonly side: 'client' | 'server';
  /** One sentence for the documentation. */
  readonly meaning: string;
}

/** Errors by their codes. */
export type ErrorTable = Readonly<Record<string, ErrorKind>>;

/** An error of the client, by its HTTP status; and one of the server. */
const client = (status: number, meaning: string) => ({ status, side: 'client', meaning }) as const;
const server = (status: number, meaning: string) => ({ status, side: 'server', meaning }) as const;

/** The errors of the protocol, for every contract. */
export const PROTOCOL_ERRORS = {
  MissingParameter: client(400, 'A required value is absent.'),
  InvalidParameter: client(400, 'A value has the wrong form, range or length.'),
  TooLarge: client(413, 'The request or one of its fields is over its limit.'),
  MalformedRequest: client(400, 'The request could not be read.'),
  UnknownOperation: client(404, 'The service has no such operation.'),
  MethodNotAllowed: client(405, 'The HTTP method is not served at this path.'),
  UnsupportedMediaType: client(415, 'The content type is not one of the bindings.'),
  VersionMismatch: client(500, 'The envelope is in an unknown SOAP version.'),
  MustUnderstand: client(500, 'A mandatory SOAP header was not understood.'),
  NotImplemented: server(501, 'The operation is not built yet.'),
  Busy: server(503, 'Nothing was done; try again.'),
  Internal: server(500, 'A defect; the request id finds it in the log.'),
} as const satisfies ErrorTable;

export type ProtocolErrorCode = keyof typeof PROTOCOL_ERRORS;

/** Codes of every service with typed handlers: what `authorize` throws. */
export const ACCESS_ERRORS = {
  Unauthorized: client(401, 'The credential is absent, unknown or wrong.'),
  Forbidden: client(403, 'The credential does not allow the operation.'),
} as const satisfies ErrorTable;

/** The codes that a contract declares as faults; a service may give them another status. */
export function faultErrors(operations: readonly Pick<Operation, 'faults'>[]): ErrorTable {
  const faults = operations.flatMap(({ faults = [] }) => faults);
  return Object.fromEntries(
    faults.map(({ name, element }) => [
      name,
      server(500, `The operation failed; over SOAP the detail is ${element.name}.`),
    ]),
  );
}

/** The `Retry-After` of temporary errors that do not say their own; seconds. */
export const RETRY_AFTER_S = 5;

/** Parts of an error that only some errors have. */
export interface ErrorExtras {
  /** The parameter that was wrong. */
  readonly parameter?: string;
  /** The limit that the request was over, where the code does not say that it was one; logged. */
  readonly limit?: string;
  /** Seconds until a retry makes sense, an integer; sent as `Retry-After`. */
  readonly retryAfter?: number;
  /** What failed underneath; logged, never answered. */
  readonly cause?: unknown;
  /**
   * For `UnknownOperation`: the requested name, or how long it is if it looks like none. Not sent
   * in the answer.
   */
  readonly requested?: string;
  /**
   * The detail of the SOAP fault: a value of the type that the operation's contract has for this
   * code.
   */
  readonly detail?: unknown;
}

/**
 * An error for the caller. It may be thrown anywhere; the binding that read the request writes it
 * as a SOAP fault, an `<error>` document or problem details.
 */
export class ServiceError<Code extends string = string> extends Error {
  readonly code: Code;
  readonly parameter: string | undefined;
  readonly limit: string | undefined;
  readonly retryAfter: number | undefined;
  readonly detail: unknown;
  readonly requested: string | undefined;

  /**
   * @param code a code of {@link PROTOCOL_ERRORS} or of the contract's table.
   * @param message an English sentence that says what is wrong and how to fix it; without secrets,
   *   SQL and stack traces.
   */
  constructor(code: Code, message: string, parts: ErrorExtras = {}) {
    super(message, parts.cause === undefined ? undefined : { cause: parts.cause });
    this.name = 'ServiceError';
    this.code = code;
    this.parameter = parts.parameter;
    this.limit = parts.limit;
    this.retryAfter = parts.retryAfter;
    this.detail = parts.detail;
    this.requested = parts.requested;
  }
}

/**
 * Further parts of an error's answer: headers, and a SOAP fault in the form that clients of ASP.NET
 * expect.
 */
interface AnswerForm {
  /**
   * HTTP status over SOAP where ASP.NET is recorded with another one; default 500, with which SOAP
   * 1.1 sends every fault (section 6.2): JAX-WS, Axis and WCF show the text of no other.
   */
  readonly status?: number;
  /** HTTP status over GET, POST and JSON, where it is not that of the code. */
  readonly plainStatus?: number;
  /** `faultstring`, if it is ASP.NET's wording instead of the message. */
  readonly faultstring?: string;
  /** The `Allow` header of MethodNotAllowed. */
  readonly allow?: string;
}

/** An error of the protocol, with the SOAP form ASP.NET gives it. */
export class ProtocolError extends ServiceError<ProtocolErrorCode> {
  readonly form: AnswerForm;

  constructor(
    code: ProtocolErrorCode,
    message: string,
    form: AnswerForm = {},
    parts: ErrorExtras = {},
  ) {
    super(code, message, parts);
    this.name = 'ProtocolError';
    this.form = form;
  }
}
