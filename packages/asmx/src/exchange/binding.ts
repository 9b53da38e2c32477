import type { ServiceError } from '../contract/errors.ts';
import type { BindingName } from '../contract/service.ts';
import type { WireResponse } from '../message/http.ts';
import type { Call, PartialCall } from './call.ts';
import type { Exchange } from './exchange.ts';
import type { Reply } from './result.ts';

/**
 * A protocol to call operations with: a folder in `bindings/` with a file for each of these
 * functions.
 */
export interface Binding {
  /** The keys of a contract's `bindings` that enable it: any one of them is enough. */
  readonly names: readonly BindingName[];
  /** Whether a request at the service's path belongs to this binding. */
  match(exchange: Exchange): boolean;
  /**
   * Reads the operation and its values from a request; at once where it can.
   * @throws {FailedCall} and nothing else.
   */
  read(exchange: Exchange): Call | Promise<Call>;
  /** Writes the answer of an operation that succeeded. */
  writeResult(exchange: Exchange, call: Call, result: unknown, reply?: Reply): WireResponse;
  /** Writes the answer of an error. @param call the part of the call that was understood. */
  writeError(exchange: Exchange, call: PartialCall, error: ServiceError): WireResponse;
}
