import { isDeepStrictEqual } from 'node:util';
import {
  anyType,
  array,
  attribute,
  base64Binary,
  boolean,
  byte,
  content,
  createEndpoint,
  dataSet,
  date,
  dateTime,
  decimal,
  double,
  duration,
  type Endpoint,
  enumeration,
  extended,
  type Field,
  float,
  guid,
  hexBinary,
  int,
  long,
  nullable,
  object,
  oneOf,
  operation,
  optional,
  service,
  short,
  string,
  time,
  token,
  unsignedByte,
  unsignedInt,
  unsignedLong,
  unsignedShort,
  xml,
} from '../../src/index.ts';

// biome-ignore lint/suspicious/noExplicitAny: any field, whatever its value
type AnyField = Field<any, any>;

const Node = object('Node', {
  name: string,
  get children() {
    return array(Node);
  },
});
const Animal = object('Animal', { name: string });
const Dog = extended(Animal, 'Dog', { barks: boolean });

/** A contract for each construct of the language: `Give` gives the value, `Take` says whether it got the same back. */
export const SAMPLES: Readonly<Record<string, readonly [AnyField, unknown]>> = {
  Text: [string, 'a < b & "ä漢😀"'],
  Bool: [boolean, true],
  Int: [int, -2147483648],
  Long: [long, 9007199254740993n],
  Decimal: [decimal, '12345678901234.56'],
  Double: [double, 0.1],
  Float: [float, 1.5],
  Instant: [dateTime, new Date('2024-02-29T12:34:56.789Z')],
  Calendar: [
    object('Calendar', { day: date, at: time, takes: duration, name: token }),
    { day: '2024-02-29', at: '12:34:56', takes: 'P1DT2H', name: 'leap' },
  ],
  Numbers: [
    object('Numbers', {
      a: byte,
      b: short,
      c: unsignedByte,
      d: unsignedShort,
      e: unsignedInt,
      f: unsignedLong,
    }),
    { a: -128, b: -32768, c: 255, d: 65535, e: 4294967295, f: 18446744073709551615n },
  ],
  Bytes: [base64Binary, Uint8Array.of(0, 1, 254, 255)],
  Hex: [hexBinary, Uint8Array.of(0, 1, 254, 255)],
  Identity: [guid, '6f9619ff-8b86-d011-b42d-00cf4fc964ff'],
  Choice: [enumeration('Weather', ['Sun', 'Rain', 'Snow']), 'Rain'],
  Flags: [
    enumeration('Days', ['Monday', 'Tuesday', 'Friday'], { flags: true }),
    ['Monday', 'Friday'],
  ],
  Nullable: [
    object('Maybe', {
      none: nullable(int),
      some: nullable(int),
      text: string,
      absent: optional(int),
    }),
    { none: null, some: 5, text: 't' },
  ],
  Priced: [
    object('Price', { value: content(decimal), currency: attribute(string) }),
    { value: '12.5', currency: 'EUR' },
  ],
  Ints: [array(int), [1, -2, 3]],
  Flat: [
    object('Flat', { numbers: array(int, { flat: true }), name: string }),
    { numbers: [1, 2], name: 'n' },
  ],
  People: [
    array(object('Person', { name: string, age: int, id: attribute(int) })),
    [
      { name: 'Ann', age: 30, id: 1 },
      { name: 'Bo', age: 40, id: 2 },
    ],
  ],
  Tree: [Node, { name: 'a', children: [{ name: 'b', children: [{ name: 'c' }] }] }],
  Zoo: [
    array(oneOf(Animal, Dog)),
    [
      { $type: 'Animal', name: 'a' },
      { $type: 'Dog', name: 'b', barks: true },
    ],
  ],
  Either: [
    object(
      'Either',
      { before: string, left: optional(int), right: string },
      { choices: [['left', 'right']] },
    ),
    { before: 'b', left: 3 },
  ],
  Markup: [
    object('Markup', { title: string, body: xml }),
    { title: 't', body: '<x xmlns="urn:x" y="1">t</x>' },
  ],
  Thing: [anyType, 'text'],
  Data: [dataSet, { tables: { Books: [{ Title: 'A & B', Pages: 3 }] } }],
};

export function sampleEndpoint(name: string): Endpoint {
  const [field, value] = SAMPLES[name]!;
  const contract = service(name, {
    namespace: `http://example.com/${name}`,
    operations: {
      Give: operation({ result: field }),
      Take: operation({ input: { value: field }, result: string }),
    },
  });
  return createEndpoint(contract, {
    path: `/${name}.asmx`,
    handlers: {
      Give: () => value,
      Take: ({ value: received }: { readonly value?: unknown }) =>
        same(value, received) ? 'same' : `not the same: ${shown(received)} for ${shown(value)}`,
    } as never,
  });
}

function shown(value: unknown): string {
  return (
    JSON.stringify(value, (_, member) => (typeof member === 'bigint' ? `${member}n` : member)) ??
    'undefined'
  );
}

/** By what they say: a data set by its rows, a decimal by its number, XML without its declarations of namespaces. */
function same(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(plain(a), plain(b));
}

function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'string') {
    if (/^-?\d+\.\d+$/.test(value)) return value.replace(/\.?0+$/, '');
    // A time may have a fraction or a zone that says nothing.
    if (/^\d\d:\d\d:\d\d/.test(value)) return value.slice(0, 8);
    return /^</.test(value)
      ? value.replaceAll(/ xmlns(:\w+)?="(?!urn:x)[^"]*"/g, '')
      : value.replace(/(?<=^\d{4}-\d\d-\d\d)Z$/, '');
  }
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  if ('tables' in value) return JSON.parse(JSON.stringify(value.tables));
  return Object.fromEntries(
    Object.entries(value)
      .filter(
        ([key, member]) =>
          member !== undefined && !(key === 'children' && (member as unknown[]).length === 0),
      )
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, member]) => [key, plain(member)]),
  );
}
