/**
 * ASP.NET's `.asmx` wire as a library: a contract as data and its handlers in, one request function
 * out that speaks SOAP 1.1, SOAP 1.2, HTTP GET, HTTP POST and JSON and describes itself (WSDL,
 * disco, pages, OpenAPI).
 *
 * This and the other entries of package.json are the whole public surface; everything else may
 * change without notice.
 * @packageDocumentation
 */

export { type BinarySink, type CreateBinarySink, memorySink } from './contract/binary.ts';
export * from './contract/index.ts';
export { bodyBytesFor, DEFAULT_LIMITS, defineLimits, type Limits } from './contract/limits.ts';
export { mediaTypeOf, withMediaType } from './contract/media-type.ts';
export type { OriginalDocument } from './describe/original.ts';
export type { PageLanguage, PageLanguages } from './describe/page-language.ts';
export type { PageWord } from './describe/pages/words.ts';
export { importsOf, typescriptOf } from './describe/typescript.ts';
export { createEndpoint, defectLog } from './engine/endpoint.ts';
export type { Answered, Endpoint, EndpointOptions } from './engine/endpoint-options.ts';
export type { Call, PartialCall } from './exchange/call.ts';
export type { Exchange } from './exchange/exchange.ts';
export type {
  CallRequest,
  HandlerCall,
  IncomingCall,
  Input,
  Interceptor,
  OperationsOf,
  Result,
  ServiceHandlers,
} from './exchange/handler-call.ts';
export {
  formatInstant,
  LexicalError,
  parseDateText,
  parseDateTime,
  parseInt32,
} from './lexical/index.ts';
export { isLegacyCharset } from './message/charset.ts';
export { bytesBody, type WireBody, type WireRequest, type WireResponse } from './message/http.ts';
export { publicUrlOf, type Reached } from './message/path.ts';
export { type NodeListener, nodeListener } from './node/listener.ts';
