/** The TypeScript types of operations that are written as data, computed from that data. */

import type { Refusal } from '@ws01/asmx/contract';
import type { Ws01Operation } from './parameters.ts';

/** A contract of texts, numbers, dates and files, whose literal types are known. */
interface Contract {
  readonly operations: readonly Ws01Operation[];
}

type NameOf<C extends Contract> = C['operations'][number]['name'];
type OperationOf<C extends Contract, Name extends NameOf<C>> = Extract<
  C['operations'][number],
  { readonly name: Name }
>;

/** The value of a parameter: an int and a boolean are always given, a dateTime is ms since 1970. */
type ValueOf<Type, Binary> = Type extends 'int'
  ? number
  : Type extends 'boolean'
    ? boolean
    :
        | (Type extends 'dateTime' ? number : Type extends 'base64Binary' ? Binary : string)
        | undefined;

/** The parameters of an operation; every key is there. */
export type InputOf<C extends Contract, Name extends NameOf<C>, Binary> = {
  readonly [P in OperationOf<C, Name>['parameters'][number] as P['name']]: ValueOf<
    P['type'],
    Binary
  >;
};

/** What an operation answers. */
type ResultOf<C extends Contract, Name extends NameOf<C>> =
  OperationOf<C, Name> extends { readonly result: 'boolean' } ? boolean | Refusal : string;

/** The operations of a contract, as `createEndpoint` types its handlers by them. */
export type OperationsOf<C extends Contract, Binary> = {
  readonly [Name in NameOf<C>]: {
    readonly input: InputOf<C, Name, Binary>;
    readonly result: ResultOf<C, Name>;
  };
};
