/** The TypeScript types of a contract's values that no builder names. */

import type { ScalarType } from './types.ts';

/** Tables with their rows, as .NET's DataSet has them. */
export interface DataSet {
  /** `NewDataSet` when absent. */
  readonly name?: string;
  /** That of its elements, as typed DataSets have one; none when absent. */
  readonly namespace?: string;
  readonly tables: Readonly<Record<string, readonly DataRow[]>>;
  /** The types of columns by table; what is not said is found from the values. */
  readonly columns?: Readonly<Record<string, Readonly<Record<string, ScalarType>>>>;
  /**
   * .NET's row states: what happened to rows since they were loaded. Rows that are not named are
   * unchanged.
   */
  readonly changes?: readonly DataChange[];
  /**
   * Its schema as XML, with keys, relations and the names of .NET's types; made of the columns when
   * absent.
   */
  readonly schema?: string;
}

/** What happened to a row of a DataSet. */
export interface DataChange {
  readonly table: string;
  /** Its place among the rows of the table; absent of one that was deleted. */
  readonly row?: number;
  readonly state: 'inserted' | 'modified' | 'deleted' | 'unchanged';
  /** The row before it was modified or deleted. */
  readonly before?: DataRow;
  /** .NET's RowError. */
  readonly error?: string;
  /** Errors by column. */
  readonly columnErrors?: Readonly<Record<string, string>>;
}

/** A cell; of a column of objects with its type beside it, as any value. */
export type DataValue = AnyValue | null | undefined;
/** A row of a DataSet: its cells by column. */
export type DataRow = Readonly<Record<string, DataValue>>;

/**
 * What an element of any type holds (.NET's object). Text, numbers, booleans, dates and bytes are
 * written as string, int or double, long (of a bigint), boolean, dateTime and base64Binary. All
 * else says its type: an object of the contract in `$type`; any other value as `{ $type: 'decimal',
 * value: '1.50' }` with the name of a scalar or of a type of the contract; what the contract does
 * not know, as `{ $type: '{namespace}name', xml }`, or `{ $type: 'anyType', xml }` for what has no
 * type, with the content of the element, and its attributes by `{namespace}name`, if it has some.
 */
export type AnyValue =
  | string
  | number
  | bigint
  | boolean
  | Date
  | Uint8Array
  | { readonly $type: string }
  | { readonly $type: string; readonly value: unknown }
  | {
      readonly $type: string;
      readonly xml: string;
      readonly attributes?: Readonly<Record<string, string>> | undefined;
    };

/**
 * The bytes of a `base64Binary`. As a parameter it is what the endpoint's `createBinarySink` makes
 * of them.
 */
export interface FileBytes extends Uint8Array {
  readonly '~file'?: never;
}

/** The types that pages and descriptions know best: what HTTP forms carry in one value. */
export type XsdType = 'string' | 'int' | 'boolean' | 'dateTime' | 'base64Binary';

/**
 * A boolean operation's "no" with its reason: answered as `false` with HTTP 200 and the header
 * `X-Error-Code`.
 */
export interface Refusal {
  readonly result: false;
  /** A code of the service's error table. */
  readonly code: string;
}

/** What a handler without a result returns: nothing, which a function need not say. */
// biome-ignore lint/suspicious/noConfusingVoidType: so that `async () => {}` is such a handler
export type Nothing = void;
