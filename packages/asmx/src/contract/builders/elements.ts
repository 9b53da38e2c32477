/** Builder functions for elements: .NET's own types, and attributes of an element. */

import type { Parameter } from '../service.ts';
import type { Element, ScalarType } from '../types.ts';
import type { AnyValue, DataSet, FileBytes, Nothing } from '../values.ts';
import { type FieldDefinition, NAMED } from './definitions.ts';
import { type Field, field, type Presence, type TextField } from './field.ts';

const scalar = <V, P extends Presence>(
  type: ScalarType,
  element: Partial<Element> = {},
): Field<V, P> => field({ [NAMED]: true, type, element });

/** A text. */
export const string = scalar('string') as TextField;
/** A text whose blanks at the ends are cut off, and of which several in a row become one. */
export const token = scalar('token') as TextField;
/** A text that is a URI, with the blanks of a {@link token}; it is not checked. */
export const anyURI = scalar('anyURI') as TextField;
/**
 * A name with its namespace, as `{namespace}name`; `name` for none. In XML it has a prefix, which
 * is resolved and declared.
 */
export const qname = scalar('QName') as TextField;
/** `true` or `false`; not given, `false`. */
export const boolean = scalar<boolean, 'given'>('boolean');
/** A number from -128 to 127; not given, 0. */
export const byte = scalar<number, 'given'>('byte');
/** A number of 16 bits with a sign; not given, 0. */
export const short = scalar<number, 'given'>('short');
/** A number of 32 bits with a sign; not given, 0. */
export const int = scalar<number, 'given'>('int');
/** A bigint of 64 bits with a sign; not given, 0n. */
export const long = scalar<bigint, 'given'>('long');
/** A number from 0 to 255; not given, 0. */
export const unsignedByte = scalar<number, 'given'>('unsignedByte');
/** A number of 16 bits; not given, 0. */
export const unsignedShort = scalar<number, 'given'>('unsignedShort');
/** A number of 32 bits; not given, 0. */
export const unsignedInt = scalar<number, 'given'>('unsignedInt');
/** A bigint of 64 bits; not given, 0n. */
export const unsignedLong = scalar<bigint, 'given'>('unsignedLong');
/** A number of single precision; in XML also `INF`, `-INF` and `NaN`. Not given, 0. */
export const float = scalar<number, 'given'>('float');
/** A number of double precision; in XML also `INF`, `-INF` and `NaN`. Not given, 0. */
export const double = scalar<number, 'given'>('double');
/** Without loss: a text, never a float. */
export const decimal = scalar<string, 'given'>('decimal');
/** A date with its time, as a Date: a {@link DateTime} where the text says more than an instant. */
export const dateTime = scalar<Date, 'optional'>('dateTime', { as: 'date' });
/** A dateTime as ms since 1970-01-01T00:00:00Z. */
export const instant = scalar<number, 'optional'>('dateTime', { as: 'instant' });
/** A dateTime as the text that came. */
export const wallClock = scalar<string, 'optional'>('dateTime', { as: 'text' });
/** A date as a text, `2024-02-29`. */
export const date = scalar<string, 'optional'>('date');
/** A time of day as a text, `12:34:56`. */
export const time = scalar<string, 'optional'>('time');
/** A length of time as a text, `P1DT2H`. */
export const duration = scalar<string, 'optional'>('duration');
/** .NET's Guid as a text. */
export const guid = scalar<string, 'optional'>('guid');
/** .NET's char: a text of one UTF-16 code unit, in XML its number. */
export const char = scalar<string, 'optional'>('char');
/** Bytes, in XML and JSON as base64. */
export const base64Binary = scalar<FileBytes, 'optional'>('base64Binary');
/** Bytes, in XML and JSON as hexadecimal digits. */
export const hexBinary = scalar<Uint8Array, 'optional'>('hexBinary');
/**
 * Bytes in a part beside the envelope, to which the element refers (WS-I Attachments Profile 1.0,
 * 4.4).
 */
export const swaRef = scalar<Uint8Array, 'optional'>('swaRef');
/** An element of any name and content, as a text of XML: .NET's XmlElement. */
export const xml = scalar<string, 'optional'>('xml');
/** .NET's object: its value has its type in `xsi:type`. */
export const anyType = scalar<AnyValue, 'optional'>('anyType');
/** .NET's DataSet: tables with their rows, as a schema and a diffgram. */
export const dataSet = scalar<DataSet, 'optional'>('DataSet');
/** .NET's DataTable: a {@link DataSet} of one table. */
export const dataTable = scalar<DataSet, 'optional'>('DataTable');
/** No result. */
export const voidResult = field<Nothing, 'given'>({ [NAMED]: true, type: 'void', element: {} });

/** Elements of any name beside those of an object: a list of texts of XML. */
export const any = field<readonly string[], 'optional'>({
  [NAMED]: true,
  type: 'string',
  element: {},
  place: 'any',
});

/** A value or null: `xsi:nil`. Absent it is `undefined`. */
export function nullable<V, P extends Presence>(of: Field<V, P>): Field<V | null, 'optional'> {
  return saying(of, { nillable: true });
}

/** A value that may be absent though .NET's type may not: `minOccurs="0"`. */
export function optional<V, P extends Presence>(of: Field<V, P>): Field<V, 'optional'> {
  return saying(of, { min: 0 });
}

/**
 * A value that must be there: a call without it is refused, with its path, and so is a result.
 * ASP.NET's clients may leave out what is not nullable, and mean 0.
 */
export function required<V, P extends Presence>(of: Field<V, P>): Field<V, 'given'> {
  return saying(of, { min: 1, required: true });
}

/** What nobody may see: never logged, masked in URLs. */
export function secret<V, P extends Presence>(of: Field<V, P>): Field<V, P> {
  return saying(of, { secret: true });
}

/**
 * The parameter with the credential: {@link secret}, asked for once by the pages, and checked by
 * `authorize` as soon as it was read.
 * @param scope what the credential must allow, for `authorize` to look at.
 */
export function credential<V, P extends Presence>(of: Field<V, P>, scope?: string): Field<V, P> {
  return saying(of, { secret: true, credential: true, ...(scope === undefined ? {} : { scope }) });
}

/**
 * Of a parameter or a result that is bytes: in SOAP a part beside the envelope.
 * @param types {@link Element.attachment}
 */
export function attachment<V, P extends Presence>(of: Field<V, P>, ...types: readonly string[]) {
  return saying<V, P>(of, { attachment: types.length === 0 ? ['*/*'] : types });
}

/**
 * A dateTime of which some dates are what old clients write for "no date":
 * {@link Element.notGiven}.
 */
export function noDates<V>(of: Field<V, 'optional'>, dates: readonly string[]) {
  return saying<V, 'optional'>(of, { notGiven: dates });
}

/** A text in which a `+` may come as a blank, over GET and POST: {@link Element.unencodedPlus}. */
export function unencodedPlus(of: TextField, where: NonNullable<Element['unencodedPlus']>) {
  return saying<string, 'optional'>(of, { unencodedPlus: where });
}

/** An attribute of an object. */
export function attribute<V, P extends Presence>(of: Field<V, P>): Field<V, P> {
  return field({ ...of, place: 'attribute' });
}

/**
 * The text of an object that has attributes but no elements ([XmlText]); its property must be
 * called `value`.
 */
export function content<V, P extends Presence>(of: Field<V, P>): Field<V, P> {
  return field({ ...of, place: 'text' });
}

/** A field of which more is said. Anything that is no field is refused later, with its path. */
function saying<V, P extends Presence>(
  of: FieldDefinition | undefined,
  more: Partial<Parameter>,
): Field<V, P> {
  return field({ ...(of as FieldDefinition), element: { ...of?.element, ...more } });
}
