/** The TypeScript types of a contract's values that no builder names. */

import type { ScalarType } from './types.ts';

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
export type AnyValue =
  | string
  | number
  | bigint
  | boolean
  | Date
  | Uint8Array
  | { readonly $type: string };

/** The types that pages and descriptions know best: what HTTP forms carry in one value. */
export type XsdType = 'string' | 'int' | 'boolean' | 'dateTime' | 'base64Binary';

/** A boolean operation's "no" with its reason: answered as `false` with HTTP 200 and the header `X-Error-Code`. */
export interface Refusal {
  readonly result: false;
  /** A code of the service's error table. */
  readonly code: string;
}

/** What a handler without a result returns: nothing, which a function need not say. */
// biome-ignore lint/suspicious/noConfusingVoidType: so that `async () => {}` is such a handler
export type Nothing = void;
