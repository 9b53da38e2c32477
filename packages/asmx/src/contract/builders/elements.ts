/**
 * Words that contracts are written with by hand. They make the plain data of `service.ts`, and the types of handlers with
 * it; nothing in the engine depends on them.
 */

import type { BindingName, Operation, Service } from '../service.ts';
import type { TypedService } from '../typed-service.ts';
import type { Element, Facets, ScalarType } from '../types.ts';
import type { AnyValue, DataSet, Nothing, Refusal } from '../values.ts';
import { TypeCollector } from './collect-types.ts';
import { type FieldParts, NAMED, type NamedParts } from './definitions.ts';

/** Whether a value is always there, or may be `undefined`. */
type Presence = 'given' | 'optional';

/** A type, with what is said of the element that has it. It does not change: each word makes a new one. */
export interface Field<Value, P extends Presence = Presence> extends FieldParts {
  readonly '~value'?: Value;
  readonly '~presence'?: P;
  /** One sentence for the help pages and the OpenAPI document. */
  describe(documentation: string): Field<Value, P>;
  /** A plausible value for filled samples, as a text. */
  sample(text: string): Field<Value, P>;
  /** What is meant when it is absent, as a text. */
  default(text: string): Field<Value, P>;
}

/** A text. */
export interface TextField extends Field<string, 'optional'> {
  /** At most so many code points. */
  max(codePoints: number): TextField;
  /** Of one line: CR, LF and TAB are refused. */
  line(): TextField;
  describe(documentation: string): TextField;
  sample(text: string): TextField;
}

// biome-ignore lint/suspicious/noExplicitAny: any field, whatever its value
type AnyField = Field<any, any>;
type Fields = Readonly<Record<string, AnyField>>;
/** Fields whose getters may refer to the type that is being made: the compiler must not look at them yet. */
// biome-ignore lint/suspicious/noExplicitAny: see above
type LooseFields = Readonly<Record<string, any>>;

type ValueIn<F> = F extends { readonly '~value'?: infer V } ? V : never;

/** The object that fields describe. */
export type ObjectOf<F> = {
  readonly [K in keyof F as F[K] extends Given ? K : never]: ValueIn<F[K]>;
} & {
  readonly [K in keyof F as F[K] extends Given ? never : K]?: ValueIn<F[K]> | undefined;
};
type Given = { readonly '~presence'?: 'given' };

/** The value that a field, or what was made of one, stands for. */
export type Infer<F> = ValueIn<F>;

function field<V, P extends Presence>(parts: FieldParts): Field<V, P> {
  const said = (element: Partial<Element>) => field<V, P>({ ...parts, element: { ...parts.element, ...element } });
  const made: Field<V, P> & Pick<TextField, 'max' | 'line'> = {
    ...parts,
    describe: (documentation) => said({ documentation }),
    sample: (sample) => said({ sample }),
    default: (text) => said({ default: text }),
    max: (maxLength) => said({ maxLength }) as unknown as TextField,
    line: () => said({ singleLine: true }) as unknown as TextField,
  };
  return made;
}

const scalar = <V, P extends Presence>(type: ScalarType, element: Partial<Element> = {}): Field<V, P> =>
  field({ [NAMED]: true, type, element });

export const string = scalar('string') as TextField;
export const token = scalar('token') as TextField;
export const anyURI = scalar('anyURI') as TextField;
export const qname = scalar('QName') as TextField;
export const boolean = scalar<boolean, 'given'>('boolean');
export const byte = scalar<number, 'given'>('byte');
export const short = scalar<number, 'given'>('short');
export const int = scalar<number, 'given'>('int');
export const long = scalar<bigint, 'given'>('long');
export const unsignedByte = scalar<number, 'given'>('unsignedByte');
export const unsignedShort = scalar<number, 'given'>('unsignedShort');
export const unsignedInt = scalar<number, 'given'>('unsignedInt');
export const unsignedLong = scalar<bigint, 'given'>('unsignedLong');
export const float = scalar<number, 'given'>('float');
export const double = scalar<number, 'given'>('double');
/** Without loss: a text, never a float. */
export const decimal = scalar<string, 'given'>('decimal');
export const dateTime = scalar<Date, 'optional'>('dateTime', { as: 'date' });
/** A dateTime as ms since 1970-01-01T00:00:00Z. */
export const instant = scalar<number, 'optional'>('dateTime', { as: 'instant' });
/** A dateTime as the text that came. */
export const wallClock = scalar<string, 'optional'>('dateTime', { as: 'text' });
export const date = scalar<string, 'optional'>('date');
export const time = scalar<string, 'optional'>('time');
export const duration = scalar<string, 'optional'>('duration');
export const guid = scalar<string, 'optional'>('guid');
export const char = scalar<string, 'optional'>('char');
export const base64Binary = scalar<Uint8Array, 'optional'>('base64Binary');
export const hexBinary = scalar<Uint8Array, 'optional'>('hexBinary');
/** An element of any name and content, as a text of XML: .NET's XmlElement. */
export const xml = scalar<string, 'optional'>('xml');
/** .NET's object: its value says its type by `xsi:type`. */
export const anyType = scalar<AnyValue, 'optional'>('anyType');
export const dataSet = scalar<DataSet, 'optional'>('DataSet');
export const dataTable = scalar<DataSet, 'optional'>('DataTable');
/** No result. */
export const voidResult = field<Nothing, 'given'>({ [NAMED]: true, type: 'void', element: {} });

/** Elements of any name beside those of an object: a list of texts of XML. */
export const any = field<readonly string[], 'optional'>({ [NAMED]: true, type: 'string', element: {}, place: 'any' });

/** A value or null: `xsi:nil`. Absent it is `undefined`. */
export function nullable<V, P extends Presence>(of: Field<V, P>): Field<V | null, 'optional'> {
  return field({ ...of, element: { ...of.element, nillable: true } });
}

/** A value that may be absent though .NET's type may not: `minOccurs="0"`. */
export function optional<V, P extends Presence>(of: Field<V, P>): Field<V, 'optional'> {
  return field({ ...of, element: { ...of.element, min: 0 } });
}

/** A credential: never logged, masked in URLs. */
export function secret<V, P extends Presence>(of: Field<V, P>): Field<V, P> {
  return field({ ...of, element: { ...of.element, secret: true } });
}

/** An attribute of an object. */
export function attribute<V, P extends Presence>(of: Field<V, P>): Field<V, P> {
  return field({ ...of, place: 'attribute' });
}

/** The text of an object that has attributes but no elements ([XmlText]); its property must be called `value`. */
export function content<V, P extends Presence>(of: Field<V, P>): Field<V, P> {
  return field({ ...of, place: 'text' });
}

/** A text with restrictions of its own, as XML Schema has them. */
export function restricted<V, P extends Presence>(name: string, of: Field<V, P>, facets: Facets): Field<V, P> {
  return named({ kind: 'simple', name, base: of, facets });
}

export interface ArrayOptions {
  /** Repeated elements without one around them ([XmlElement] on an array). */
  readonly flat?: boolean;
  /** The name of the items' element, where it is not that of their type ([XmlArrayItem]). */
  readonly item?: string;
  /** The name of the array's type, where it is not `ArrayOf…`. */
  readonly name?: string;
}

/** Items that .NET has as references may be null. */
type Item<V, P> = P extends 'given' ? V : V | null;

/** A list. */
export function array<V, P extends Presence>(
  of: Field<V, P> | (() => Field<V, P>),
  options: ArrayOptions & { readonly flat: true },
): Field<readonly V[], 'optional'>;
export function array<V, P extends Presence>(
  of: Field<V, P> | (() => Field<V, P>),
  options?: ArrayOptions,
): Field<readonly Item<V, P>[], 'optional'>;
export function array(
  of: AnyField | (() => AnyField),
  options: ArrayOptions = {},
): Field<readonly unknown[], 'optional'> {
  if (options.flat === true && typeof of !== 'function') {
    return field({ ...of, element: { ...of.element, max: 'unbounded', min: 0 } });
  }
  return named({ kind: 'array', item: of, options });
}

/** One of some texts; with `flags`, any of them. The first one is what is meant when none is given. */
export function enumeration<const V extends readonly [string, ...string[]]>(
  name: string,
  values: V,
): Field<V[number], 'given'>;
export function enumeration<const V extends readonly [string, ...string[]]>(
  name: string,
  values: V,
  options: { readonly flags: true },
): Field<readonly V[number][], 'optional'>;
export function enumeration(
  name: string,
  values: readonly string[],
  options: { readonly flags?: true } = {},
): AnyField {
  return named({ kind: 'enumeration', name, values, ...options });
}

export interface ObjectOptions {
  readonly documentation?: string;
  /** The service's when absent. */
  readonly namespace?: string;
  readonly abstract?: true;
  /** Text may stand between the elements: the property `xml` has the whole content. */
  readonly mixed?: true;
  /** Properties of which one at most is set: a choice, in the place of the first. Make them {@link optional}. */
  readonly choices?: readonly (readonly string[])[];
}

/** A class. A field that refers to the class itself is a getter: `get next() { return nullable(Node); }`. */
export function object<const N extends string, const F extends LooseFields>(
  name: N,
  fields: F,
  options: ObjectOptions = {},
): Field<ObjectOf<F>, 'optional'> & { readonly '~name'?: N } {
  return named({ kind: 'object', name, fields, options });
}

/**
 * A class that extends another; its values say their type in `$type`, on the wire in `xsi:type`. Where the base is meant
 * together with those that extend it, say {@link oneOf}.
 */
export function extended<B, const N extends string, const F extends LooseFields>(
  base: Field<B, Presence>,
  name: N,
  fields: F,
  options: ObjectOptions = {},
): Field<B & ObjectOf<F> & { readonly $type: N }, 'optional'> {
  return named({ kind: 'object', name, base, fields, options });
}

/** A class or one of those that extend it ([XmlInclude]). */
export function oneOf<B, N extends string, const D extends readonly AnyField[]>(
  base: Field<B, Presence> & { readonly '~name'?: N },
  ...derived: D
): Field<(B & { readonly $type?: N | undefined }) | ValueIn<D[number]>, 'optional'> {
  return field({ ...base, includes: [...(base.includes ?? []), ...derived] });
}

function named<V, P extends Presence>(parts: NamedParts): Field<V, P> {
  return field({ [NAMED]: true, named: parts, element: {} });
}

/** A SOAP header. */
export function header<const F extends Fields>(
  fields: F,
  options: { readonly required?: true; readonly namespace?: string } = {},
): HeaderField<ObjectOf<F>> {
  return { fields, ...options };
}
export interface HeaderField<Value> {
  readonly '~value'?: Value;
  readonly fields: Fields;
  readonly required?: true;
  readonly namespace?: string;
}
type Headers = Readonly<Record<string, HeaderField<unknown>>>;
type HeaderValues<H> = {
  readonly [K in keyof H]?: (H[K] extends HeaderField<infer V> ? V : never) | undefined;
};

export interface OperationParts<
  I extends Fields,
  R extends AnyField,
  O extends Fields,
  HI extends Headers,
  HO extends Headers,
> extends Pick<Operation, 'oneWay' | 'style' | 'use' | 'action' | 'readOnly' | 'destructive'> {
  /** What it does, one sentence. */
  readonly summary?: string;
  readonly input?: I;
  /** Void when absent. */
  readonly result?: R;
  /** .NET's out and ref parameters: the handler returns `{ value, out }`. */
  readonly out?: O;
  readonly headers?: { readonly in?: HI; readonly out?: HO };
  /** What errors carry in their detail, by code. */
  readonly faults?: Readonly<Record<string, AnyField>>;
}

type ResultValue<R> = R extends { readonly '~value'?: infer V }
  ? V extends boolean
    ? V | Refusal
    : R extends Given
      ? V
      : V | undefined | null
  : Nothing;

/** The types of an operation's handler. */
interface TypesOf<I, R, O, HI, HO> {
  readonly input: ObjectOf<I>;
  readonly result: keyof O extends never
    ? ResultValue<R>
    : { readonly value?: ResultValue<R>; readonly out: ObjectOf<O> };
  readonly headersIn: HeaderValues<HI>;
  readonly headersOut: HeaderValues<HO>;
}

export interface OperationField<T> {
  readonly '~types'?: T;
  // biome-ignore lint/suspicious/noExplicitAny: its types are in T
  readonly parts: OperationParts<any, any, any, any, any>;
}

// biome-ignore lint/complexity/noBannedTypes: no fields
type None = {};

export function operation<
  const I extends Fields = None,
  R extends AnyField = Field<Nothing, 'given'>,
  const O extends Fields = None,
  const HI extends Headers = None,
  const HO extends Headers = None,
>(parts: OperationParts<I, R, O, HI, HO>): OperationField<TypesOf<I, R, O, HI, HO>> {
  return { parts };
}

export interface ServiceParts<O> {
  readonly namespace: string;
  readonly summary?: string;
  readonly operations: O;
  /** All when absent. */
  readonly bindings?: readonly BindingName[];
}

type OperationFields = Readonly<Record<string, OperationField<unknown>>>;
type OperationsOf<O> = { readonly [K in keyof O]: O[K] extends OperationField<infer T> ? T : never };

/**
 * A contract of what was built.
 * @throws {TypeError} with the path of the wrong member: two types of one name, a field that is none.
 */
export function service<const O extends OperationFields>(
  name: string,
  parts: ServiceParts<O>,
): TypedService<OperationsOf<O>> {
  const types = new TypeCollector();
  const operations = Object.entries(parts.operations).map(([key, { parts: made }]) =>
    types.operation(key, made as never),
  );
  const plain: Service = {
    name,
    namespace: parts.namespace,
    ...(parts.summary === undefined ? {} : { documentation: parts.summary }),
    operations,
    ...(parts.bindings === undefined ? {} : { bindings: parts.bindings }),
    ...types.collected(),
  };
  return deepFreeze(plain);
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) deepFreeze(member);
  return value;
}
