/** The entry `./contract`: the language that contracts are written in, its errors and its lexical forms; no engine. */

export {
  type ErrorExtras,
  type ErrorKind,
  type ErrorTable,
  PROTOCOL_ERRORS,
  ServiceError,
} from '../engine/errors.ts';
export {
  formatInstant,
  LexicalError,
  parseDateText,
  parseDateTime,
  parseInt32,
} from '../lexical/index.ts';
export * from './builders/elements.ts';
export type { Field, Infer, ObjectOf, TextField } from './builders/field.ts';
export * from './builders/operations.ts';
export * from './builders/types.ts';
export type {
  BindingName,
  BodyName,
  Fault,
  Header,
  Operation,
  Parameter,
  Service,
} from './service.ts';
export { type OperationTypes, type TypedService, typedService } from './typed-service.ts';
export type * from './types.ts';
export type { AnyValue, DataRow, DataSet, DataValue, Nothing, Refusal, XsdType } from './values.ts';
