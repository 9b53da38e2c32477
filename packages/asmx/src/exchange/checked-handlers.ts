/**
 * Handlers as `createEndpoint` takes them, checked by types of its own: TypeScript's check takes
 * members that a result has not, and its messages show the whole contract. Where a handler is
 * wrong, what is asked of it is only that part of its result which is wrong, so the compiler points
 * at the member, or shows little else.
 */
import type { HandlerCall, NoReturn, ResultOf, Returned } from './handler-call.ts';

/**
 * What is asked of what given handlers return; where some are missing, only those, so that the
 * compiler shows no more. A conditional type, of which the compiler takes the types of what is
 * returned before all is inferred (in `T | Promise<T>` alone `'Open'` is a string).
 */
export type CheckedHandlers<Operations, Given> =
  CompleteNames<Operations, Given> extends never
    ? HandlersOf<Exclude<keyof Operations, keyof Given>>
    : {
        readonly [Name in keyof Operations]: Returning<
          Name extends keyof Given ? Given[Name] : unknown,
          Operations[Name],
          Name & string
        >;
      };

/** The names of all operations; none where a handler is missing. */
export type CompleteNames<Operations, Given> = '~notYetGiven' extends keyof Given
  ? keyof Operations
  : [Exclude<keyof Operations, keyof Given>] extends [never]
    ? keyof Operations
    : never;

/** Handlers as long as nothing of them is known. */
export interface NotYetGiven {
  readonly '~notYetGiven'?: never;
}

/** A handler for each of these operations. */
type HandlersOf<Names extends PropertyKey> = { readonly [Name in Names]: object };

/**
 * Handlers of any kind. An object stands for one that is `undefined`: with that, `never` would be
 * asked for.
 */
export type GivenHandlers<Names, Given> = object & {
  readonly [Name in Exclude<keyof Given, keyof NotYetGiven> & Names]: object;
};

/** A handler by what it is given. */
export type Takes<Input, Caller, In, Out> = (
  input: Input,
  call: HandlerCall<Caller, In, Out>,
) => unknown;

/** A handler by what it returns. An interface, because the compiler shows it by its name. */
interface Returns<Operation, Result> {
  (...call: never): Result | Promise<Result>;
  readonly '~operation'?: Operation;
}

/**
 * Nothing if the handler is right; what it should return if it is not, or is no function; what it
 * may return while it is
 * inferred.
 */
type Returning<Given, Types, Name extends string> = Given extends (...call: never) => infer Value
  ? Wrong<Awaited<Value>, ResultOf<Types>> extends infer Part
    ? [Part] extends [never]
      ? unknown
      : Returns<Name, Part>
    : never
  : unknown extends Given
    ? (input: never, call: never) => Returned<ResultOf<Types>>
    : Returns<Name, unknown>;

/** The part of a result that is wrong, as it should be; `never` where nothing is. */
type Wrong<Value, Type> = [Value] extends [NoReturn]
  ? [Value] extends [undefined]
    ? WrongPart<Value, Type, Deep>
    : NoReturn extends Type
      ? never
      : 'nothing is returned; return null for no value'
  : WrongPart<Exclude<Value, NoReturn>, Type, Deep>;

/** So many levels are looked at member by member; types may refer to themselves. */
type Deep = [0, 0, 0, 0, 0, 0];

type WrongPart<Value, Type, Levels extends 0[]> = Levels extends [0, ...infer Below extends 0[]]
  ? unknown extends Value
    ? WholeIfWrong<Value, Type>
    : Value extends Leaf
      ? WholeIfWrong<Value, Type>
      : // Of a value of the very type nothing is looked for.
        [Value, NonNullable<Type>] extends [Type, Value]
        ? never
        : OrWhole<Value, Type, WrongInside<Value, NonNullable<Type>, Below>>
  : WholeIfWrong<Value, Type>;
type Leaf = Date | Uint8Array | Primitive | NoReturn | ((...call: never) => unknown);
type Primitive = string | number | boolean | bigint | null | undefined;

type WholeIfWrong<Value, Type> = [Value] extends [Type] ? never : Exclude<Type, null | undefined>;
/** The wrong part; the whole type where the value is wrong in no part alone. */
type OrWhole<Value, Type, Part> = [Part] extends [never] ? WholeIfWrong<Value, Type> : Part;

type WrongInside<Value, Type, Levels extends 0[]> = Value extends readonly (infer Item)[]
  ? Type extends readonly (infer Wanted)[]
    ? ListOf<WrongPart<Item, Wanted, Levels>>
    : never
  : WrongMembers<Value, Extract<Type, object>, Levels>;
type ListOf<Part> = [Part] extends [never] ? never : readonly Part[];

type WrongMembers<Value, Type, Levels extends 0[]> =
  | WrongNames<Value, Type, Levels>
  | MissingNames<Value, Type> extends infer Members
  ? [Members] extends [never]
    ? never
    : Flat<
        {
          [Member in Members & MemberOf<Type>]: Member extends keyof Value
            ? WrongPart<Value[Member], ValueAt<Type, Member>, Levels>
            : ValueAt<Type, Member>;
        } & { [Member in Exclude<Members, MemberOf<Type>> & string]?: 'no such member' }
      >
  : never;
/** Conditional, so that the compiler shows the members and not this name. */
type Flat<Part> = Part extends unknown ? { [Member in keyof Part]: Part[Member] } : never;

type WrongNames<Value, Type, Levels extends 0[]> = {
  [Member in keyof Value]-?: Member extends MemberOf<Type>
    ? [WrongPart<Value[Member], ValueAt<Type, Member>, Levels>] extends [never]
      ? never
      : Member
    : Member;
}[keyof Value];
/** What every value of the type has, and this one has not. */
type MissingNames<Value, Type> = {
  [Member in keyof Type]-?: Member extends keyof Value
    ? never
    : Pick<Type, Member> extends Required<Pick<Type, Member>>
      ? Member
      : never;
}[keyof Type];

/** The members of a type, or of any in a union. */
type MemberOf<Type> = Type extends unknown ? keyof Type : never;
type ValueAt<Type, Name> = Type extends unknown
  ? Name extends keyof Type
    ? Type[Name]
    : never
  : never;
