/**
 * The entry `./contract`: the language that contracts are written in, and its errors; no engine.
 * The main entry exports all of it, too.
 * @packageDocumentation
 */

export * from './builders/elements.ts';
export type { Field, Infer, ObjectOf, TextField } from './builders/field.ts';
export * from './builders/operations.ts';
export * from './builders/types.ts';
export { DateTime } from './date-time.ts';
export {
  type ErrorExtras,
  type ErrorKind,
  type ErrorTable,
  PROTOCOL_ERRORS,
  RETRY_AFTER_S,
  ServiceError,
} from './errors.ts';
export { errorsOf, type KnownError } from './errors-of.ts';
export type {
  BindingName,
  BodyName,
  Fault,
  Header,
  Help,
  Operation,
  Parameter,
  Service,
} from './service.ts';
export { credentialOf } from './service.ts';
export {
  type InputOf,
  type OperationTypes,
  type TypedService,
  typedService,
} from './typed-service.ts';
export type * from './types.ts';
export type {
  AnyValue,
  DataChange,
  DataRow,
  DataSet,
  DataValue,
  FileBytes,
  Nothing,
  Refusal,
  XsdType,
} from './values.ts';
