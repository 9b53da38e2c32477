import type {
  DataSetSchema,
  BodyName as EngineBodyName,
} from '@ws01/asmx/internal/contract/service';
import type * as contract from '@ws01/asmx/internal/contract/types';
import type { Facets, Occurs, ScalarType, Type } from '@ws01/asmx/internal/contract/types';
import { SCALARS } from '@ws01/asmx/internal/lexical/scalars';

/**
 * The normal form of a contract as the importer fills it: the engine's, with every default said.
 */

/** Scalars that are not of XML Schema. */
const OTHERS: ReadonlySet<string> = new Set<ScalarType>([
  ...(['char', 'guid', 'xml', 'DataSet', 'DataTable', 'swaRef'] as const),
]);

/**
 * Whether XML Schema has a built-in type of that local name; the namespace of SOAP's encoding has
 * it, too.
 */
export function isBuiltIn(local: string): local is ScalarType {
  return Object.hasOwn(SCALARS, local) && !OTHERS.has(local);
}

/** A type with members that are optional where contracts are written by hand. */
type Said<T, Member extends keyof T> = Omit<T, Member> & {
  readonly [Name in Member]-?: NonNullable<T[Name]>;
};

export type { DataSetSchema, Facets, Occurs, ScalarType, Type };

export type EnumerationType = Said<contract.EnumerationType, 'namespace' | 'base'>;
export type SimpleType = Said<contract.SimpleType, 'namespace'>;
type ListType = Said<contract.ListType, 'namespace'>;
type UnionType = Said<contract.UnionType, 'namespace'>;

export interface ArrayType extends Said<Omit<contract.ArrayType, 'item'>, 'namespace'> {
  readonly item: Element;
}

export interface ObjectType
  extends Said<Omit<contract.ObjectType, 'content' | 'attributes'>, 'namespace'> {
  readonly content: readonly Particle[];
  readonly attributes: readonly Attribute[];
}

export type NamedType =
  | EnumerationType
  | SimpleType
  | ListType
  | UnionType
  | ArrayType
  | ObjectType;

export type Particle = Element | Group | Any;

/** An element, with what a WSDL can say of it. */
export type Element = Said<
  Pick<
    contract.Element,
    | 'kind'
    | 'name'
    | 'namespace'
    | 'property'
    | 'type'
    | 'min'
    | 'max'
    | 'nillable'
    | 'default'
    | 'fixed'
    | 'documentation'
    | 'attachment'
    | 'dataSet'
  >,
  'namespace' | 'min' | 'max'
>;

export interface Group extends Said<Omit<contract.Group, 'content'>, 'min' | 'max'> {
  readonly content: readonly Particle[];
}

export type Any = Said<contract.Any, 'min' | 'max'>;
export type Attribute = Said<Omit<contract.Attribute, 'as'>, 'namespace'>;

/** An element's name in a message's body. */
export type BodyName = Said<EngineBodyName, 'namespace'>;

type Use = Operation['use'];

export type Header = Element & {
  readonly required?: true;
  /** That of its operation when absent. */
  readonly use?: Use;
};

export interface Fault {
  readonly name: string;
  readonly element: Element;
  readonly use?: Use;
  readonly action?: string;
}

export interface Operation {
  /** Unique in the service. */
  readonly name: string;
  /** The name of the WSDL's operation, where it stands for several. */
  readonly operationName?: string;
  readonly documentation?: string;
  readonly style: 'wrapped' | 'bare' | 'rpc';
  readonly use: 'literal' | 'encoded';
  /** The SOAPAction. */
  readonly action: string;
  readonly action12?: string;
  readonly answerAction?: string;
  readonly input: BodyName;
  readonly parameters: readonly Element[];
  /** Absent where nothing answers: a one-way operation. */
  readonly output?: BodyName;
  /** Absent: void. */
  readonly result?: Element;
  readonly out: readonly Element[];
  readonly headers: { readonly in: readonly Header[]; readonly out: readonly Header[] };
  readonly faults: readonly Fault[];
}

export type BindingKind = 'soap11' | 'soap12' | 'get' | 'post';

/** Where a service answers. */
export interface Port {
  readonly name: string;
  readonly kind: BindingKind;
  readonly binding: string;
  /** The address, as it is in the WSDL. */
  readonly location: string;
  /** Names of the operations it has. */
  readonly operations: readonly string[];
}

export interface Service {
  readonly name: string;
  readonly namespace: string;
  readonly documentation?: string;
  readonly addressing?: true;
  /** The name of SOAP's port type. */
  readonly portType?: string;
  readonly types: Readonly<Record<string, NamedType>>;
  readonly dataSets?: Readonly<Record<string, DataSetSchema>>;
  /** Namespaces of several schemas, in the order of the WSDL. */
  readonly schemas?: readonly string[];
  readonly operations: readonly Operation[];
  readonly ports: readonly Port[];
}
