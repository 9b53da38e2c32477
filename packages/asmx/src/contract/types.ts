/**
 * The types of a contract, as data: plain, frozen, serialisable. A type is a scalar's name or the
 * key of a named type, so that a contract is a tree however its types refer to each other.
 */

/**
 * The XML Schema built-ins by their local names, and what .NET writes for types of its own: `char`
 * and `guid` (`http://microsoft.com/wsdl/types/`), `xml` (XmlElement), `DataSet` and `DataTable`.
 * `swaRef` is bytes in a part beside the envelope, to which the text refers (WS-I Attachments
 * Profile 1.0, 4.4).
 */
export type ScalarType =
  | TextType
  | 'boolean'
  | 'decimal'
  | SmallIntegerType
  | LargeIntegerType
  | 'float'
  | 'double'
  | 'dateTime'
  | 'base64Binary'
  | 'hexBinary'
  | 'swaRef'
  | 'anyType'
  | 'DataSet'
  | 'DataTable';

/** Scalars whose value is a text. */
export type TextType =
  | 'string'
  | 'normalizedString'
  | 'token'
  | 'language'
  | 'Name'
  | 'NCName'
  | 'NMTOKEN'
  | 'NMTOKENS'
  | 'ID'
  | 'IDREF'
  | 'IDREFS'
  | 'ENTITY'
  | 'ENTITIES'
  | 'anyURI'
  | 'QName'
  | 'NOTATION'
  | CalendarTextType
  | 'anySimpleType'
  | 'char'
  | 'guid'
  | 'xml';

/** The types of dates and times whose value is a text (XML Schema part 2, 3.2.6 to 3.2.14). */
export type CalendarTextType =
  | 'date'
  | 'time'
  | 'duration'
  | 'gYear'
  | 'gYearMonth'
  | 'gMonth'
  | 'gMonthDay'
  | 'gDay';

/** Integers that a number holds exactly. */
export type SmallIntegerType =
  | 'int'
  | 'short'
  | 'byte'
  | 'unsignedInt'
  | 'unsignedShort'
  | 'unsignedByte';

/** Integers whose value is a bigint. */
export type LargeIntegerType =
  | 'long'
  | 'unsignedLong'
  | 'integer'
  | 'nonNegativeInteger'
  | 'positiveInteger'
  | 'nonPositiveInteger'
  | 'negativeInteger';

/** A type: a scalar's name, or the key of one of the service's named types. */
export type Type = ScalarType | { readonly ref: string };

interface Named {
  /** On the wire: in the WSDL and in `xsi:type`. */
  readonly name: string;
  /** The service's when absent. */
  readonly namespace?: string;
  /**
   * It has no name in the WSDL that it came from. It is described by a name all the same, which is
   * no difference.
   */
  readonly anonymous?: true;
  readonly documentation?: string;
}

/** A type that the schema declares by its name. */
export type NamedType =
  | EnumerationType
  | SimpleType
  | ListType
  | UnionType
  | ArrayType
  | ObjectType;

/**
 * One of some texts. The value is the text; of `flags` the list of those that are set ([Flags]).
 */
export interface EnumerationType extends Named {
  readonly kind: 'enumeration';
  /** `string` when absent. */
  readonly base?: ScalarType;
  readonly values: readonly string[];
  readonly flags?: true;
  /**
   * Of `flags`, the value that says that none is set, as .NET writes a member of 0. For handlers it
   * is the empty list, as the empty text is.
   */
  readonly zero?: string;
}

/** A scalar with restrictions. */
export interface SimpleType extends Named {
  readonly kind: 'simple';
  readonly base: Type;
  readonly facets?: Facets;
}

/** The restrictions of XML Schema; values are texts, as they are written there. */
export interface Facets {
  readonly length?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  /** One of them must match, as in one step of XML Schema (part 2, 4.3.4.3). */
  readonly patterns?: readonly string[];
  /** The texts of a list or a union; those of a scalar are the values of an `EnumerationType`. */
  readonly enumeration?: readonly string[];
  /** `preserve`, `replace` or `collapse`. */
  readonly whiteSpace?: string;
  readonly minInclusive?: string;
  readonly maxInclusive?: string;
  readonly minExclusive?: string;
  readonly maxExclusive?: string;
  readonly totalDigits?: number;
  readonly fractionDigits?: number;
}

/** Values with blanks between them, in one text. */
export interface ListType extends Named {
  readonly kind: 'list';
  readonly item: Type;
}

/** A text that one of some types has. The value is the text. */
export interface UnionType extends Named {
  readonly kind: 'union';
  readonly members: readonly Type[];
}

/** One repeated element inside a wrapper: .NET's `ArrayOfT`. The value is a list. */
export interface ArrayType extends Named {
  readonly kind: 'array';
  readonly item: Element;
  /** `soapenc:Array`. */
  readonly encoded?: true;
  /**
   * Of an encoded array, its dimensions, 1 when absent. The value has a list in each item of a
   * list, rows first.
   */
  readonly rank?: number;
}

/** A class: elements, attributes, or text with attributes. */
export interface ObjectType extends Named {
  readonly kind: 'object';
  /**
   * The key of the object type whose members come first. A value then says its own type in `$type`.
   */
  readonly extends?: string;
  /**
   * It has only the members that it lists itself; its base has all of them, too (derivation by
   * restriction in XML Schema).
   */
  readonly restricts?: true;
  readonly abstract?: true;
  /** What the type adds, in the order in which it is written. */
  readonly content?: readonly Particle[];
  /** Its content is an `xs:all`. */
  readonly all?: true;
  readonly attributes?: readonly Attribute[];
  /** The type of its text, which is the property `value` ([XmlText]). */
  readonly text?: Type;
  /** Text may stand between the elements: the property `xml` has the whole content. */
  readonly mixed?: true;
  /**
   * It may have attributes that no type declares, by `{namespace}name`: the property of this name,
   * or `attributes`.
   */
  readonly anyAttribute?: true | string;
}

/** How often something may come: `maxOccurs`. */
export type Occurs = number | 'unbounded';
/** What stands between the tags of an object. */
export type Particle = Element | Group | Any;

/**
 * How a dateTime is given to handlers: ms since 1970 (`instant`); a Date, which is a `DateTime`
 * where its text says more than an instant; or the text as it was written.
 */
export type DateTimeForm = 'instant' | 'date' | 'text';

/** An element, which is a property of an object, a parameter, a result or a header. */
export interface Element {
  readonly kind?: 'element';
  /** Exact, case-sensitive name on the wire. */
  readonly name: string;
  /** That of the type around it when absent; `''` for none. */
  readonly namespace?: string;
  /** The name of the property when it is not `name`. */
  readonly property?: string;
  readonly type: Type;
  /** For a dateTime: as the service has it when absent. */
  readonly as?: DateTimeForm;
  /**
   * For a dateTime: what old clients write for "no date", in whatever form and zone it comes.
   * `yyyy-MM-dd` is any time of that day, `yyyy-MM-ddT00:00:00` its first second; `0000-00-00` is
   * MySQL's. Each date is a value when absent.
   */
  readonly notGiven?: readonly string[];
  /** As ASP.NET has it when absent: 0 for what may be null, otherwise 1. */
  readonly min?: number;
  /**
   * Whether a call without it is refused, with MissingParameter. ASP.NET takes what is absent as
   * null or 0.
   */
  readonly required?: true;
  /** 1 when absent; above 1 the value is a list. */
  readonly max?: Occurs;
  /** `xsi:nil` is allowed: the value may be null. */
  readonly nillable?: true;
  /** What is meant when it is absent or empty, as a text. */
  readonly default?: string;
  readonly fixed?: string;
  /** One sentence for the help pages and the OpenAPI document. */
  readonly documentation?: string;
  /** A plausible value for filled samples. */
  readonly sample?: string;
  /** The longest text accepted, in code points; the wire's `textChars` when absent. */
  readonly maxLength?: number;
  /** A text of one line: CR, LF and TAB are refused. */
  readonly singleLine?: boolean;
  /**
   * What a client that does not percent-encode meant by `+`, which a form reads as a blank:
   * `leading` is a `+` where blanks come before digits, as in +12125550100; `lone` where one blank
   * is all there is. Over GET and POST only.
   */
  readonly unencodedPlus?: 'leading' | 'lone';
  /** A credential: never logged, masked in GET URLs. */
  readonly secret?: boolean;
  /**
   * Of a parameter or a result that is bytes: in SOAP it is a part beside the envelope, of one of
   * these media types (WSDL 1.1, 5.11, SOAP Messages with Attachments). What comes may be of any.
   */
  readonly attachment?: readonly string[];
  /** Of a typed DataSet: its name among the `dataSets` of the service. */
  readonly dataSet?: string;
}

/**
 * Particles that belong together. They are properties of the object around them all the same,
 * optional in a choice. A group that repeats is one property: the list of its rounds in their
 * order, each an object with the members of that round.
 */
export interface Group {
  readonly kind: 'sequence' | 'choice';
  /** Where it repeats: `items` when absent. */
  readonly property?: string;
  readonly min?: number;
  readonly max?: Occurs;
  readonly content: readonly Particle[];
}

/** Any element: a text of XML, or a list of such when it repeats. */
export interface Any {
  readonly kind: 'any';
  /** `any` when absent. */
  readonly property?: string;
  readonly min?: number;
  readonly max?: Occurs;
  readonly namespace?: string;
  readonly processContents?: string;
}

/** An attribute of an object. */
export interface Attribute {
  readonly name: string;
  /** None when absent. */
  readonly namespace?: string;
  readonly property?: string;
  readonly type: Type;
  readonly as?: DateTimeForm;
  readonly required?: true;
  readonly default?: string;
  readonly fixed?: string;
}
