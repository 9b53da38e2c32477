/** The normal form of a contract as the importer fills it: the engine's, with every default said. */

/** The XML Schema built-ins, and shapes that .NET writes for types of its own. */
export const SCALARS = [
  ...['string', 'normalizedString', 'token', 'language', 'Name', 'NCName', 'NMTOKEN', 'NMTOKENS', 'ID', 'IDREF'],
  ...['IDREFS', 'ENTITY', 'ENTITIES', 'anyURI', 'QName', 'NOTATION', 'boolean', 'decimal', 'integer'],
  ...['nonNegativeInteger', 'positiveInteger', 'nonPositiveInteger', 'negativeInteger', 'long', 'int', 'short', 'byte'],
  ...['unsignedLong', 'unsignedInt', 'unsignedShort', 'unsignedByte', 'float', 'double', 'dateTime', 'date', 'time'],
  ...['duration', 'gYear', 'gYearMonth', 'gMonth', 'gMonthDay', 'gDay', 'base64Binary', 'hexBinary', 'anySimpleType'],
  'anyType',
] as const;

/**
 * A built-in's local name, or `char` and `guid` (`http://microsoft.com/wsdl/types/`), `xml` (XmlElement), `DataSet`,
 * `DataTable`.
 */
export type ScalarType = string;

/** A built-in, or the key of a named type. */
export type Type = ScalarType | { readonly ref: string };

interface Named {
  /** On the wire. */
  readonly name: string;
  readonly namespace: string;
  /** It had no name in the WSDL. */
  readonly anonymous?: true;
  readonly documentation?: string;
}

export interface EnumerationType extends Named {
  readonly kind: 'enumeration';
  readonly base: ScalarType;
  readonly values: readonly string[];
  /** A list of the values: .NET's [Flags]. */
  readonly flags?: true;
}

export interface Facets {
  readonly length?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly patterns?: readonly string[];
  readonly whiteSpace?: string;
  readonly minInclusive?: string;
  readonly maxInclusive?: string;
  readonly minExclusive?: string;
  readonly maxExclusive?: string;
  readonly totalDigits?: number;
  readonly fractionDigits?: number;
}

export interface SimpleType extends Named {
  readonly kind: 'simple';
  readonly base: Type;
  readonly facets?: Facets;
}

interface ListType extends Named {
  readonly kind: 'list';
  readonly item: Type;
}

interface UnionType extends Named {
  readonly kind: 'union';
  readonly members: readonly Type[];
}

/** One element that repeats: .NET's `ArrayOfT`; in encoded messages `soapenc:Array`. */
export interface ArrayType extends Named {
  readonly kind: 'array';
  readonly item: Element;
  /** `soapenc:Array`. */
  readonly encoded?: true;
}

export interface ObjectType extends Named {
  readonly kind: 'object';
  /** The key of the object type it extends; its members come first. */
  readonly extends?: string;
  readonly abstract?: true;
  /** A sequence of what the type adds. */
  readonly content: readonly Particle[];
  /** The content is an xs:all: in any order. */
  readonly all?: true;
  readonly attributes: readonly Attribute[];
  /** The type of the text that it has in place of elements. */
  readonly text?: Type;
  readonly mixed?: true;
  readonly anyAttribute?: true;
}

export type NamedType = EnumerationType | SimpleType | ListType | UnionType | ArrayType | ObjectType;

export type Occurs = number | 'unbounded';
export type Particle = Element | Group | Any;

export interface Element {
  readonly kind?: 'element';
  readonly name: string;
  /** `''`: unqualified. */
  readonly namespace: string;
  /** The name in TypeScript, where it is not {@link name}. */
  readonly property?: string;
  readonly type: Type;
  readonly min: number;
  readonly max: Occurs;
  readonly nillable?: true;
  readonly default?: string;
  readonly fixed?: string;
  readonly documentation?: string;
}

export interface Group {
  readonly kind: 'sequence' | 'choice';
  readonly min: number;
  readonly max: Occurs;
  readonly content: readonly Particle[];
}

export interface Any {
  readonly kind: 'any';
  readonly property?: string;
  readonly min: number;
  readonly max: Occurs;
  readonly namespace?: string;
  readonly processContents?: string;
}

export interface Attribute {
  readonly name: string;
  readonly namespace: string;
  readonly property?: string;
  readonly type: Type;
  readonly required?: true;
  readonly default?: string;
  readonly fixed?: string;
}

/** An element's name in a message's body. */
export interface BodyName {
  readonly name: string;
  readonly namespace: string;
}

export interface Header extends Element {
  readonly required?: true;
}

export interface Fault {
  readonly name: string;
  readonly element: Element;
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
  /** The address, as it stands in the WSDL. */
  readonly location: string;
  /** Names of the operations it has. */
  readonly operations: readonly string[];
}

export interface Service {
  readonly name: string;
  readonly namespace: string;
  readonly documentation?: string;
  readonly types: Readonly<Record<string, NamedType>>;
  readonly operations: readonly Operation[];
  readonly ports: readonly Port[];
}
