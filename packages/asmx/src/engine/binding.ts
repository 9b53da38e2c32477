import type { OperationResult } from '../contract/compiled.ts';
import type { BindingName } from '../contract/service.ts';
import type { BindingForm } from '../lexical/index.ts';
import type { WireResponse } from '../message/http.ts';
import type { Call, PartialCall } from './call.ts';
import type { ServiceError } from './errors.ts';
import type { Exchange } from './exchange.ts';
import type { Reply } from './reply.ts';

/** One way to reach the operations: a folder in `bindings/` with a file for each of these functions. */
export interface Binding {
  /** What switches it on in a contract: any of these. */
  readonly names: readonly BindingName[];
  /** How its values are written. */
  readonly form: BindingForm;
  /** Whether a request at the service's path is this binding's. */
  match(exchange: Exchange): boolean;
  /** Reads which operation is called with which values. @throws {FailedCall} and nothing else. */
  read(exchange: Exchange): Promise<Call>;
  /** Writes the answer of an operation that did its work. */
  writeResult(exchange: Exchange, call: Call, result: OperationResult, reply?: Reply): WireResponse;
  /** Writes the answer of an error. @param call as much as was understood of the call. */
  writeError(exchange: Exchange, call: PartialCall, error: ServiceError): WireResponse;
}
