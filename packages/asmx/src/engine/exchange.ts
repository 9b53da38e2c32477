import type { BinarySink } from '../contract/binary.ts';
import type { CompiledOperation, CompiledService, OperationResult } from '../contract/compiled.ts';
import type { ContentType, WireRequest, WireResponse } from '../message/http.ts';
import type { ServiceError } from './errors.ts';
import type { Intake } from './intake/intake.ts';

/** One request's life, filled in as it is understood; what the access log reads at the end. */
export interface Exchange {
  readonly request: WireRequest;
  readonly service: CompiledService;
  readonly requestId: string;
  /** The client's address, trusted proxies taken into account. */
  address: string;
  readonly contentType: ContentType;
  /** What follows `/WS01.asmx` in the path, undecoded: `''` or `/…`. */
  readonly pathInfo: string;
  /** The query without `?`, undecoded. */
  readonly query: string;
  /** The binding as logs and metrics name it; SOAP's version is known once the envelope is. */
  protocol: 'soap11' | 'soap12' | 'get' | 'post' | 'json' | 'describe' | 'none';
  operation: CompiledOperation | undefined;
  /** What was opened for this request: the sinks of files and what waits for them. Released when it is answered. */
  readonly held: { release(): void | Promise<void> }[];
  /** What the request may cost until its credential is judged. */
  readonly intake: Intake;
  /** Makes the sink of a file; who writes to it sees to its release. */
  readonly createSink: () => BinarySink<unknown>;
}

/**
 * Values by parameter position: the text as it was on the wire, the sink's result for base64Binary, or a value that
 * the binding has converted already; an `UnreadableValue` for what could not be read; `undefined` for absent and nil.
 */
export type RawValues = readonly unknown[];

/** What a binding makes of a request. */
export interface ReadCall {
  readonly operation: CompiledOperation;
  readonly values: RawValues;
}

/** One way to reach the operations. Each folder beside this one's `bindings/` holds one, in the same four files. */
export interface Binding {
  /** Whether a request at the service's path is this binding's. */
  match(exchange: Exchange): boolean;
  /** Reads operation and values. @throws {ServiceError} */
  read(exchange: Exchange): ReadCall | Promise<ReadCall>;
  writeResult(exchange: Exchange, operation: CompiledOperation, result: OperationResult): WireResponse;
  writeError(exchange: Exchange, error: ServiceError): WireResponse;
}
