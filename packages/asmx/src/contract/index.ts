/** The entry `./contract`: the language that contracts are written in, its errors and its lexical forms; no engine. */

export { type ErrorExtras, type ErrorKind, type ErrorTable, PROTOCOL_ERRORS, ServiceError } from '../engine/errors.ts';
export { formatInstant, LexicalError, parseDateText, parseDateTime, parseInt32 } from '../lexical/index.ts';
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
