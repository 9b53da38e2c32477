import type { IgnoredMembers } from '../message/ignored-members.ts';
import type { Input } from '../values/input.ts';
import type { CompiledOperation } from './compiled.ts';
import type { SoapVersion } from './soap-version.ts';

/** The WS-Addressing headers of a request that its answer needs. */
export interface Addressed {
  /** The version that it speaks, by its namespace. */
  readonly namespace: string;
  readonly messageId: string | undefined;
}

/** The part of a call that was understood; needed for the answer of an error and for the log. */
export interface PartialCall {
  /**
   * The name in logs and metrics: `soap11`, `soap12`, `get`, `post`, `json`, or the name of another
   * binding; `describe` for a description, `none` if nothing is called.
   */
  readonly protocol: string;
  /** The version that a SOAP message is answered in; `undefined` for every other protocol. */
  readonly version: SoapVersion | undefined;
  readonly operation: CompiledOperation | undefined;
  /** Its parameters, as the binding found them; absent where it could not be read. */
  readonly input?: Input;
  /** Its WS-Addressing headers, if the service supports them. */
  readonly addressed?: Addressed | undefined;
  /**
   * Warnings from reading the request, for the client (`X-Warning`) and the log. One line of ASCII
   * each.
   */
  readonly warnings?: readonly string[];
  /**
   * What nothing in the contract has, for client and log; over JSON all of it when the values are
   * converted.
   */
  readonly ignored?: IgnoredMembers | undefined;
}

/** A call as a binding has read it. Nothing changes it afterwards. */
export interface Call extends PartialCall {
  readonly operation: CompiledOperation;
  readonly input: Input;
  /** The SOAP headers that the service reads, by property. */
  readonly headers?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Thrown by a binding's `read`: the error in `cause`, with the part of the call that was
 * understood.
 */
export class FailedCall extends Error {
  readonly call: PartialCall;

  constructor(call: PartialCall, cause: unknown) {
    super('The call could not be read.', { cause });
    this.name = 'FailedCall';
    this.call = call;
  }
}

/**
 * @returns the error with the part of the call that was understood; a `FailedCall` is returned
 *   unchanged.
 */
export function failedCall(call: PartialCall, error: unknown): FailedCall {
  return error instanceof FailedCall ? error : new FailedCall(call, error);
}

/** The call of a request that matches no binding. */
export const NO_CALL: PartialCall = { protocol: 'none', version: undefined, operation: undefined };
