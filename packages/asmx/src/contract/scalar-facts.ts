import type { Operation } from './service.ts';
import type { NamedType, ScalarType, Type } from './types.ts';
import { words } from './words.ts';

/** A type by its name, for people. */
export function typeName(type: Type): string {
  return typeof type === 'string' ? type : type.ref;
}

/** The type of a result by its name, for people. */
export function resultName(result: Operation['result']): string {
  if (result === undefined) return 'void';
  return typeof result === 'object' && 'type' in result
    ? typeName(result.type)
    : typeName(result as Type);
}

/** The integers that a JSON number cannot hold without loss. */
export const LARGE_INTEGER_TYPES = [
  'long',
  'unsignedLong',
  'integer',
  'nonNegativeInteger',
  'positiveInteger',
  'nonPositiveInteger',
  'negativeInteger',
] as const satisfies readonly ScalarType[];

/** The scalars that .NET has as value types, which are never null. */
const VALUE_TYPES: ReadonlySet<ScalarType> = new Set<ScalarType>([
  ...words('boolean decimal float double dateTime date time char guid'),
  ...words('byte short int long unsignedByte unsignedShort unsignedInt unsignedLong'),
]);

/**
 * Types whose texts are names with a prefix, which is as its writer likes: length and pattern of
 * such a text say nothing (XML Schema part 2, 3.2.18).
 */
export function isNameType(type: ScalarType | undefined): boolean {
  return type === 'QName' || type === 'NOTATION';
}

/** What a restriction restricts in the end: a scalar, or a named type of another kind. */
export function restrictedType(type: Type, types: Readonly<Record<string, NamedType>>): Type {
  const seen = new Set<string>();
  let at = type;
  while (typeof at !== 'string' && !seen.has(at.ref)) {
    const named: NamedType | undefined = types[at.ref];
    if (named?.kind !== 'simple') break;
    seen.add(at.ref);
    at = named.base;
  }
  return at;
}

/** Whether .NET's type is a reference, which may be null: then its element is `minOccurs="0"`. */
export function isReference(type: Type, types: Readonly<Record<string, NamedType>>): boolean {
  if (typeof type === 'string') return !VALUE_TYPES.has(type);
  const base = restrictedType(type, types);
  return typeof base === 'string'
    ? !VALUE_TYPES.has(base)
    : types[base.ref]?.kind !== 'enumeration';
}

const SAMPLES: { readonly [T in ScalarType]?: string } = {
  boolean: 'true',
  decimal: '12.50',
  float: '1.5',
  double: '1.5',
  dateTime: '2024-02-29T12:00:00Z',
  date: '2024-02-29',
  time: '12:00:00',
  duration: 'P1D',
  gYear: '2024',
  gYearMonth: '2024-02',
  gMonth: '--02',
  gMonthDay: '--02-29',
  gDay: '---29',
  base64Binary: 'QUJD',
  hexBinary: '414243',
  // It would refer to a part that a sample has not.
  swaRef: '',
  anyURI: 'http://example.com/',
  language: 'en',
  QName: 'name',
  guid: '6f9619ff-8b86-d011-b42d-00cf4fc964ff',
  char: '65',
  string: 'text',
  xml: '<example />',
};

/** A plausible text of a scalar. */
export function sampleOf(type: ScalarType): string {
  const sample = SAMPLES[type];
  if (sample !== undefined) return sample;
  if (type === 'negativeInteger' || type === 'nonPositiveInteger') return '-1';
  return VALUE_TYPES.has(type) || type.endsWith('nteger') ? '1' : 'text';
}
