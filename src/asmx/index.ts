/**
 * ASP.NET's `.asmx` wire as a library: a contract as data and its handlers in, one request function out that speaks
 * SOAP 1.1, SOAP 1.2, HTTP GET, HTTP POST and JSON and describes itself (WSDL, disco, pages, OpenAPI).
 *
 * This is the whole public surface; everything else under `asmx/` may change without notice.
 */

export { type BinarySink, type CreateBinarySink, memorySink } from './binary.ts';
export { type Answered, type Call, createEndpoint, type Endpoint, type EndpointOptions } from './endpoint.ts';
export { type ErrorKind, type ErrorParts, type ErrorTable, PROTOCOL_ERRORS, ServiceError } from './errors.ts';
export type { Exchange } from './exchange.ts';
export { bytesBody, type WireBody, type WireRequest, type WireResponse } from './http.ts';
export { DEFAULT_LIMITS, defineLimits, type Limits } from './limits.ts';
export { type NodeListener, nodeListener } from './node/listener.ts';
export { type OrdinaryConnections, takeOrdinaryRequests } from './node/ordinary/take-ordinary-requests.ts';
export {
  defineService,
  type Handler,
  type Handlers,
  type Operation,
  type OperationName,
  type OperationOf,
  type Parameter,
  type ParamsOf,
  type Refusal,
  type ResultOf,
  type ResultType,
  type Service,
  type ValueOf,
  type XsdType,
} from './service.ts';
export { formatInstant } from './xsd.ts';
