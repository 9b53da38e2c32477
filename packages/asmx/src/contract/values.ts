/** The TypeScript types of a contract's values, computed from its data. */

import type { Service } from './service.ts';
import type { LargeIntegerType, ScalarType, SmallIntegerType, TextType } from './types.ts';

/** Tables with their rows, as .NET's DataSet has them. */
export interface DataSet {
  /** `NewDataSet` when absent. */
  readonly name?: string;
  readonly tables: Readonly<Record<string, readonly DataRow[]>>;
  /** The types of columns by table; what is not said is found from the values. */
  readonly columns?: Readonly<Record<string, Readonly<Record<string, ScalarType>>>>;
}

export type DataValue = string | number | bigint | boolean | Date | Uint8Array | null | undefined;
export type DataRow = Readonly<Record<string, DataValue>>;

/** What an element of any type holds (.NET's object): a scalar, an object of the contract with its `$type`, or text. */
export type AnyValue = string | number | bigint | boolean | Date | Uint8Array | { readonly $type: string };

type ScalarValue<T> = T extends TextType | 'decimal'
  ? string
  : T extends 'boolean'
    ? boolean
    : T extends SmallIntegerType | 'float' | 'double' | 'dateTime'
      ? number
      : T extends LargeIntegerType
        ? bigint
        : T extends 'base64Binary' | 'hexBinary'
          ? Uint8Array
          : T extends 'DataSet' | 'DataTable'
            ? DataSet
            : T extends 'anyType'
              ? AnyValue
              : never;

/** Scalars of which there is always a value: .NET proxies cannot omit them. */
type AlwaysGiven = 'boolean' | 'decimal' | SmallIntegerType | 'long' | 'unsignedLong' | 'float' | 'double';

/** The types a parameter of such a contract can have: what HTTP forms can carry, too. */
export type XsdType = 'string' | 'int' | 'boolean' | 'dateTime' | 'base64Binary';

/** The types a result of such a contract can have. */
export type ResultType = 'string' | 'boolean';

/**
 * The value a handler receives for a scalar. "Not given" is `undefined`; types that .NET proxies cannot omit, such as int and boolean, are `0` and `false`.
 *
 * - `dateTime`: an instant, in ms since 1970-01-01T00:00:00Z.
 * - `base64Binary`: the result of the service's binary sink (`Binary`, by default a `Uint8Array`).
 */
export type ValueOf<T, Binary = Uint8Array> = T extends 'base64Binary'
  ? Binary | undefined
  : T extends AlwaysGiven
    ? ScalarValue<T>
    : T extends ScalarType
      ? ScalarValue<T> | undefined
      : unknown;

/** The names of a service's operations. */
export type OperationName<S extends Service> = S['operations'][number]['name'];

/** The operation of a service with a name. */
export type OperationOf<S extends Service, Name extends OperationName<S>> = Extract<
  S['operations'][number],
  { readonly name: Name }
>;

/**
 * The typed parameters of an operation: every key is always present, in contract order. A call with a value of the wrong
 * form, range or length is refused as `InvalidParameter` before its handler runs.
 */
export type ParamsOf<S extends Service, Name extends OperationName<S>, Binary = Uint8Array> = {
  readonly [P in OperationOf<S, Name>['parameters'][number] as P['name']]: ValueOf<P['type'], Binary>;
};

/** A boolean operation's "no" with its reason: answered as `false` with HTTP 200 and the header `X-Error-Code`. */
export interface Refusal {
  readonly result: false;
  /** A code of the service's error table. */
  readonly code: string;
}

/** What a handler without a result returns: nothing, which a function need not say. */
// biome-ignore lint/suspicious/noConfusingVoidType: so that `async () => {}` is such a handler
export type Nothing = void;

/** What an operation's handler returns: the result text, or for boolean operations the answer; of other types any value. */
export type ResultOf<S extends Service, Name extends OperationName<S>> =
  OperationOf<S, Name> extends { readonly result: infer R }
    ? R extends 'boolean'
      ? boolean | Refusal
      : R extends 'string'
        ? string
        : R extends 'void'
          ? Nothing
          : unknown
    : Nothing;

/** One operation's implementation. `Context` is the result of the service's `authorize`. */
export type Handler<S extends Service, Name extends OperationName<S>, Context, Binary = Uint8Array> = (
  params: ParamsOf<S, Name, Binary>,
  context: Context,
) => ResultOf<S, Name> | Promise<ResultOf<S, Name>>;

/** Every operation's implementation. A missing operation, a misspelt parameter or a wrong result does not compile. */
export type Handlers<S extends Service, Context, Binary = Uint8Array> = {
  readonly [Name in OperationName<S>]: Handler<S, Name, Context, Binary>;
};

/**
 * Returns its argument with its literal types kept, so that {@link ParamsOf} and {@link Handlers} can be computed: for
 * contracts of scalars. Others are made by `service`, or come with their types by `typedService`.
 */
export function defineService<const S extends Service>(service: S): S {
  return service;
}
