import type { Service } from './service.ts';

/** The TypeScript types of one operation. */
export interface OperationTypes {
  /** The parameters, as one object. */
  readonly input: object;
  /** What a handler returns. */
  readonly result: unknown;
  /** SOAP headers of the request, by their names. */
  readonly headersIn?: object;
  /** SOAP headers of the answer. */
  readonly headersOut?: object;
  /** What the details of faults hold, by code. */
  readonly faults?: object;
}

/**
 * What a handler gets: the parameters, with what the endpoint's `createBinarySink` makes of a file.
 */
export type InputOf<Types, File = Uint8Array> = Types extends { readonly input: infer Input }
  ? { readonly [Name in keyof Input]: WithFile<Input[Name], File> }
  : object;
type WithFile<Value, File> = '~file' extends keyof NonNullable<Value> ? File | undefined : Value;

/** A contract with the types of its handlers, which exist only for the compiler. */
export interface TypedService<Operations> extends Service {
  readonly '~operations'?: Operations;
}

/** A contract as data whose types were written beside it, as `asmx from` does. */
export function typedService<
  Operations extends { readonly [Name in keyof Operations]: OperationTypes },
>(service: Service): TypedService<Operations> {
  return service;
}
