import {
  type ACCESS_ERRORS,
  type ErrorExtras,
  type ErrorKind,
  type PROTOCOL_ERRORS,
  ServiceError,
} from './errors.ts';
import type { TypedService } from './typed-service.ts';

type FaultsOf<Types> = Types extends { readonly faults?: infer Faults }
  ? NonNullable<Faults>
  : object;
type FaultCode<Operations> = {
  [Name in keyof Operations]: keyof FaultsOf<Operations[Name]>;
}[keyof Operations];
type DetailOf<Operations, Code> = {
  [Name in keyof Operations]: Code extends keyof FaultsOf<Operations[Name]>
    ? FaultsOf<Operations[Name]>[Code]
    : never;
}[keyof Operations];

/** A {@link ServiceError} whose codes are known, and what they carry. */
export interface KnownError<Operations, Own> extends KnownErrorClass<Operations, Own> {
  /** The codes that `errorsOf` was given: the option `errors` of `createEndpoint`. */
  readonly errors: Own;
}

type KnownErrorClass<Operations, Own> = new <
  Code extends
    | FaultCode<Operations>
    | keyof Own
    | keyof typeof PROTOCOL_ERRORS
    | keyof typeof ACCESS_ERRORS,
>(
  code: Code,
  message: string,
  parts?: Omit<ErrorExtras, 'detail'> & {
    readonly detail?: Code extends FaultCode<Operations> ? DetailOf<Operations, Code> : never;
  },
) => ServiceError<Code & string>;

/**
 * `ServiceError` for one contract: another code than its faults, those of `errors`, and those of
 * every service does not compile, nor does a detail of another type.
 * `const OrderError = errorsOf(Orders); throw new OrderError('Gone', '…')`.
 * @param errors the service's own codes; the class has them, for the option of `createEndpoint`.
 */
export function errorsOf<
  Operations,
  Own extends Readonly<Record<string, ErrorKind>> = object & Record<never, never>,
>(_contract: TypedService<Operations>, errors?: Own): KnownError<Operations, Own> {
  return class extends ServiceError {
    static readonly errors = errors ?? {};
  } as never;
}
