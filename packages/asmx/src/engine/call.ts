import type { Addressed } from '../bindings/soap/addressing.ts';
import type { SoapVersion } from '../bindings/soap/version.ts';
import type { CompiledOperation } from '../contract/compiled.ts';
import type { ValueError } from '../values/value-reading.ts';
import type { UnreadableValue } from './unreadable-value.ts';

/** As much of a call as was understood: what the answer of an error and the log need of it. */
export interface PartialCall {
  /**
   * As logs and metrics name it: `soap11`, `soap12`, `get`, `post`, `json`, and what further bindings are called;
   * `describe` for a description, `none` for what calls nothing.
   */
  readonly protocol: string;
  /** The version that a SOAP message is answered in; `undefined` for every other protocol. */
  readonly version: SoapVersion | undefined;
  readonly operation: CompiledOperation | undefined;
  /** What it says by WS-Addressing, where the service speaks that. */
  readonly addressed?: Addressed | undefined;
  /** What the client and the log are told of how it was read; sent as `X-Warning`. One line of ASCII each. */
  readonly warnings?: readonly string[];
}

/** A call as a binding has read it. Nothing changes it afterwards. */
export interface Call extends PartialCall {
  readonly operation: CompiledOperation;
  /** By parameter position. Of an operation whose messages have plans they are converted already. */
  readonly values: RawValues;
  /** The first value that was not what its type asks for, of such an operation. */
  readonly failure?: ValueError | undefined;
  /** The SOAP headers that the service reads, by property. */
  readonly headers?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Values by parameter position, not converted yet: a text as it was on the wire, with its place or without; for
 * base64Binary what the service's sink made of the bytes; `undefined` for absent and nil.
 */
export type RawValues = readonly (string | PlacedText | UnreadableValue | undefined | unknown)[];

/** A text with its place in the request, which the error says when the text cannot be converted. */
export class PlacedText {
  readonly text: string;
  /** The place as ASP.NET's faults write it, such as ` (1, 300)`. */
  readonly place: () => string;

  constructor(text: string, place: () => string) {
    this.text = text;
    this.place = place;
  }
}

/** What a binding's `read` throws: the error in `cause`, with as much of the call as was understood before it. */
export class FailedCall extends Error {
  readonly call: PartialCall;

  constructor(call: PartialCall, cause: unknown) {
    super('The call could not be read.', { cause });
    this.name = 'FailedCall';
    this.call = call;
  }
}

/** @returns the error with what was understood before it; who read more closely has said more already. */
export function failedCall(call: PartialCall, error: unknown): FailedCall {
  return error instanceof FailedCall ? error : new FailedCall(call, error);
}

/** What was understood of a request that no binding reads. */
export const NO_CALL: PartialCall = { protocol: 'none', version: undefined, operation: undefined };
