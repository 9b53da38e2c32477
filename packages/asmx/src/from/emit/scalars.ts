import type { Type } from '../normal-form.ts';

/** A plausible text of each built-in; those not named here are texts. */
const SAMPLES: Readonly<Record<string, string>> = {
  boolean: 'true',
  decimal: '12.5',
  integer: '1',
  nonNegativeInteger: '1',
  positiveInteger: '1',
  nonPositiveInteger: '-1',
  negativeInteger: '-1',
  long: '1',
  int: '1',
  short: '1',
  byte: '1',
  unsignedLong: '1',
  unsignedInt: '1',
  unsignedShort: '1',
  unsignedByte: '1',
  float: '1.5',
  double: '1.5',
  dateTime: '2030-01-31T12:00:00Z',
  date: '2030-01-31',
  time: '12:00:00',
  duration: 'P1D',
  gYear: '2030',
  gYearMonth: '2030-01',
  gMonth: '--01',
  gMonthDay: '--01-31',
  gDay: '---31',
  base64Binary: 'QUJD',
  hexBinary: '414243',
  anyURI: 'http://example.com/',
  language: 'en',
  guid: '00000000-0000-0000-0000-000000000001',
  char: '65',
};

export function sampleOf(scalar: string): string {
  return SAMPLES[scalar] ?? 'text';
}

/** The built-ins that .NET has as references, which may be absent; all others are value types, which are always there. */
const REFERENCES = new Set([
  ...['string', 'normalizedString', 'token', 'language', 'Name', 'NCName', 'NMTOKEN', 'NMTOKENS', 'ID', 'IDREF'],
  ...['IDREFS', 'ENTITY', 'ENTITIES', 'anyURI', 'QName', 'NOTATION', 'duration', 'gYear', 'gYearMonth', 'gMonth'],
  ...['gMonthDay', 'gDay', 'base64Binary', 'hexBinary', 'anySimpleType', 'anyType', 'xml', 'DataSet', 'DataTable'],
  ...['integer', 'nonNegativeInteger', 'positiveInteger', 'nonPositiveInteger', 'negativeInteger'],
]);

/** Whether .NET's type is a value type. @param isEnumeration whether a named type is an enumeration. */
export function isValueType(type: Type, isEnumeration: (key: string) => boolean): boolean {
  return typeof type === 'string' ? !REFERENCES.has(type) : isEnumeration(type.ref);
}
