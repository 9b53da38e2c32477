import type { ScalarType } from '../../src/contract/types.ts';

/** How a client writes a value of a scalar type, and what handlers get. */
interface Form {
  readonly text: string;
  /** A date by its text; `undefined` where it is the text. */
  readonly value?: unknown;
  /** XML Schema has no such text, but .NET writes it. */
  readonly isForeign?: true;
}

/** A date by what must come back. */
export const dateText = (text: string) => ({ date: text });

const dates = (...texts: readonly string[]): readonly Form[] =>
  texts.map((text) => ({ text, value: dateText(text) }));

/** Types of the contracts that are made by chance. */
export const SCALARS: Readonly<Partial<Record<ScalarType, readonly Form[]>>> = {
  string: [
    { text: 'a &amp; b', value: 'a & b' },
    { text: ' x\ty ' },
    { text: '' },
    { text: 'ü😀' },
    { text: '&lt;', value: '<' },
    { text: 'p:no name' },
  ],
  int: [
    { text: '-5', value: -5 },
    { text: '2147483647', value: 2147483647 },
  ],
  long: [{ text: '9223372036854775807', value: 9223372036854775807n }],
  integer: [
    { text: '123456789012345678901234567890', value: 123456789012345678901234567890n },
    { text: '', isForeign: true },
  ],
  decimal: [{ text: '1.50' }, { text: '-0.1' }],
  boolean: [
    { text: 'true', value: true },
    { text: 'false', value: false },
  ],
  double: [
    { text: '2.5', value: 2.5 },
    { text: 'INF', value: Number.POSITIVE_INFINITY },
  ],
  unsignedByte: [{ text: '255', value: 255 }],
  dateTime: dates(
    '2024-12-31T23:59:59.9999999',
    '2024-07-01T01:02:03+02:00',
    '2024-02-29T12:00:00Z',
    '0001-01-01T00:00:00',
  ),
  date: [{ text: '2024-02-29' }, { text: '2024-02-29+02:00' }],
  time: [{ text: '01:02:03' }],
  duration: [{ text: 'P1DT2H' }, { text: '', isForeign: true }],
  guid: [{ text: '0f8fad5b-d9cb-469f-a165-70867728950e' }],
  char: [
    { text: '0', value: '\0' },
    { text: '97', value: 'a' },
  ],
  base64Binary: [
    { text: 'AQID', value: Uint8Array.of(1, 2, 3) },
    { text: '', value: new Uint8Array() },
  ],
  hexBinary: [{ text: '0AFF', value: Uint8Array.of(10, 255) }],
};

/** Types whose values have a prefix, or stand beside the message, and are made by who writes them. */
export const MADE_ANEW = ['QName', 'swaRef'] as const;

/** Items of lists have no blanks and are not empty. */
export const LISTED = ['int', 'boolean', 'date', 'QName'] as const;

/** Values of any type, with the type that they say. */
export const ANY = [
  ['int', '5', 5],
  ['string', 'a &amp; b', 'a & b'],
  ['decimal', '1.50', { $type: 'decimal', value: '1.50' }],
  ['short', '5', { $type: 'short', value: 5 }],
  ['float', '0.5', { $type: 'float', value: 0.5 }],
  ['dateTime', '2024-12-31T00:00:00', dateText('2024-12-31T00:00:00')],
] as const;
