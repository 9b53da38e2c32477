import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  anyType,
  anyURI,
  array,
  attribute,
  base64Binary,
  boolean,
  byte,
  char,
  content,
  createEndpoint,
  dataSet,
  date,
  dateTime,
  decimal,
  double,
  duration,
  enumeration,
  extended,
  type Field,
  float,
  guid,
  hexBinary,
  instant,
  int,
  long,
  nullable,
  object,
  oneOf,
  operation,
  optional,
  qname,
  service,
  short,
  string,
  time,
  token,
  unsignedByte,
  unsignedInt,
  unsignedLong,
  unsignedShort,
  wallClock,
  xml,
} from '../../src/index.ts';
import { ask } from '../kit/ask.ts';
import { Random as Source } from '../kit/random.ts';

const NS = 'urn:round';
const PATH = '/Round.asmx';
// biome-ignore lint/suspicious/noExplicitAny: any field, whatever its value
type AnyField = Field<any, any>;
/** A number from 0 up to and not including 1. */
type Random = () => number;

function seeded(seed: number): Random {
  const source = new Source(seed);
  return () => source.below(2 ** 30) / 2 ** 30;
}

/** Makes a value of a type. */
type Make = (random: Random) => unknown;

const between = (least: number, most: number) => (random: Random) =>
  least + Math.floor(random() * (most - least + 1));
const oneOfThese =
  <T>(...values: readonly T[]) =>
  (random: Random) =>
    values[Math.floor(random() * values.length)]!;
const listOf =
  (make: Make, least = 0) =>
  (random: Random) =>
    Array.from({ length: between(least, 4)(random) }, () => make(random));
const digits = (count: number) => (random: Random) =>
  Array.from({ length: count }, () => between(0, 9)(random)).join('');
const big =
  (least: bigint, most: bigint) =>
  (random: Random): bigint =>
    oneOfThese(least, most, 0n, 1n, BigInt(digits(15)(random)) % (most + 1n))(random);
/** Carriage returns are left out: XML has them arrive as line feeds. */
const text: Make = (random) =>
  listOf(
    oneOfThese(
      'a',
      ' ',
      '<',
      '&',
      '"',
      "'",
      ']]>',
      '\n',
      '\t',
      'ä',
      '漢',
      '😀',
      '\u0085',
      '\u2028',
      '+',
      '%',
      '=',
      '\\',
    ),
    1,
  )(random).join('');
const word: Make = (random) => listOf(oneOfThese('a', 'B', '1', 'ä', '-'), 1)(random).join('');
const two = (random: Random, most: number, least = 0) =>
  String(between(least, most)(random)).padStart(2, '0');
const bytes: Make = (random) => Uint8Array.from(listOf(between(0, 255))(random) as number[]);

const SCALARS: Readonly<Record<string, readonly [AnyField, Make]>> = {
  string: [string, text],
  token: [token, word],
  anyURI: [anyURI, (random) => `http://example.com/${word(random)}`],
  boolean: [boolean, oneOfThese(true, false)],
  byte: [byte, between(-128, 127)],
  short: [short, between(-32768, 32767)],
  int: [int, oneOfThese(-(2 ** 31), 2 ** 31 - 1, 0, 7, -1)],
  long: [long, big(-(2n ** 63n), 2n ** 63n - 1n)],
  unsignedByte: [unsignedByte, between(0, 255)],
  unsignedShort: [unsignedShort, between(0, 65535)],
  unsignedInt: [unsignedInt, oneOfThese(0, 2 ** 32 - 1, 1)],
  unsignedLong: [unsignedLong, big(0n, 2n ** 64n - 1n)],
  float: [
    float,
    (random) => oneOfThese(Math.fround(random() * 1e6), Infinity, -Infinity, NaN, 0, -1.5)(random),
  ],
  double: [
    double,
    (random) => oneOfThese((random() - 0.5) * 1e300, 5e-324, Infinity, -Infinity, NaN, 0.1)(random),
  ],
  decimal: [
    decimal,
    (random) => `${oneOfThese('', '-')(random)}1${digits(12)(random)}.${digits(5)(random)}1`,
  ],
  dateTime: [dateTime, (random) => new Date(between(-2e12, 4e12)(random))],
  instant: [instant, between(-2e12, 4e12)],
  wallClock: [
    wallClock,
    (random) => `20${digits(2)(random)}-02-${two(random, 28, 1)}T${two(random, 23)}:30:00.25`,
  ],
  date: [date, (random) => `20${digits(2)(random)}-${two(random, 12, 1)}-${two(random, 28, 1)}`],
  time: [time, (random) => `${two(random, 23)}:${two(random, 59)}:${two(random, 59)}`],
  duration: [duration, (random) => `P${between(1, 9)(random)}DT${between(1, 9)(random)}H`],
  guid: [
    guid,
    (random) => `${digits(8)(random)}-${digits(4)(random)}-4bcd-8def-${digits(12)(random)}`,
  ],
  char: [char, oneOfThese('a', 'ä', '漢', '<')],
  base64Binary: [base64Binary, bytes],
  hexBinary: [hexBinary, bytes],
  enumeration: [
    enumeration('Weather', ['Sun', 'Rain & wind', 'snow']),
    oneOfThese('Sun', 'Rain & wind', 'snow'),
  ],
  flags: [
    enumeration('Days', ['Mon', 'Tue', 'Wed'], { flags: true }),
    (random) => ['Mon', 'Tue', 'Wed'].filter(() => random() < 0.5),
  ],
};

const Node = object('Node', {
  name: string,
  note: nullable(string),
  size: nullable(int),
  id: attribute(int),
  tags: array(string),
  flat: array(double, { flat: true }),
  get children() {
    return array(Node);
  },
});
const node =
  (depth: number): Make =>
  (random) => ({
    name: text(random),
    note: oneOfThese<unknown>(null, text(random))(random),
    size: oneOfThese<unknown>(null, 0, -5)(random),
    id: between(-9, 9)(random),
    tags: listOf(oneOfThese<unknown>(null, 'a', ' b '))(random),
    flat: listOf(between(-5, 5), 1)(random),
    children: depth === 0 ? [] : listOf(node(depth - 1))(random),
  });
/** One in the other: two elements for each. */
const line = (depth: number): object => ({
  name: `n${depth}`,
  note: null,
  size: null,
  id: depth,
  tags: [],
  flat: [depth],
  children: depth === 0 ? [] : [line(depth - 1)],
});
const Animal = object('Animal', { name: string });
const Dog = extended(Animal, 'Dog', { barks: boolean });
const Puppy = extended(Dog, 'Puppy', { weeks: int });
const animal: Make = (random) =>
  oneOfThese<unknown>(
    { $type: 'Animal', name: word(random) },
    { $type: 'Dog', name: word(random), barks: true },
    { $type: 'Puppy', name: word(random), barks: false, weeks: 3 },
  )(random);
const Price = object('Price', {
  value: content(decimal),
  currency: attribute(string),
  per: attribute(optional(int)),
});
const Either = object(
  'Either',
  { left: optional(int), right: string },
  { choices: [['left', 'right']] },
);

const COMPOSED: Readonly<Record<string, readonly [AnyField, Make]>> = {
  QName: [
    qname,
    (random) =>
      `${oneOfThese('', '{urn:a & b}', '{http://www.w3.org/2001/XMLSchema}')(random)}n${digits(3)(random)}`,
  ],
  tree: [Node, node(2)],
  'deep tree': [Node, (random) => line(between(0, 25)(random))],
  'list of objects': [array(Node), listOf(node(1))],
  'list of nullable': [array(nullable(int)), listOf(oneOfThese<unknown>(null, 0, 5))],
  'list of lists': [array(array(int)), listOf(listOf(between(-5, 5)))],
  'types that extend others': [array(oneOf(Animal, Dog, Puppy)), listOf(animal)],
  'text with attributes': [Price, (random) => ({ value: '12.50', currency: text(random) })],
  choice: [Either, (random) => oneOfThese<unknown>({ left: 3 }, { right: text(random) })(random)],
  xml: [xml, (random) => `<x xmlns="urn:x" a="${between(0, 9)(random)}"><y>1 &lt; 2</y></x>`],
  anyType: [anyType, oneOfThese<unknown>('text', 5, true)],
  dataSet: [
    dataSet,
    (random) => ({ tables: { Books: [{ Title: word(random), Pages: between(0, 9)(random) }] } }),
  ],
};

/** What has been received, beside what is to be answered. */
function echoOf(field: AnyField) {
  const state: { answer: unknown; received: unknown } = { answer: undefined, received: undefined };
  const contract = service('Round', {
    namespace: NS,
    operations: {
      Give: operation({ result: field }),
      Take: operation({ input: { value: field } }),
    },
  });
  const failures: unknown[] = [];
  const endpoint = createEndpoint(contract, {
    path: PATH,
    handlers: {
      Give: () => state.answer as never,
      Take: ({ value }: { readonly value?: unknown }) => {
        state.received = value;
      },
    } as never,
    onAnswered: ({ error }) => {
      if (error !== undefined) failures.push(error.cause ?? error);
    },
  });
  const answered = async (target: string, type?: string, body?: string) => {
    const headers = type === undefined ? {} : { 'content-type': type };
    const { status, body: answer } = await ask(endpoint, { target, headers, body });
    assert.equal(status, 200, `${String(answer)} ${String(failures.at(-1))} for ${body}`);
    return String(answer);
  };
  const soap = (body: string) =>
    answered(
      PATH,
      'text/xml; charset=utf-8',
      `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema"><s:Body>${body}</s:Body></s:Envelope>`,
    );
  return {
    async inXml(value: unknown) {
      state.answer = value;
      const written = await soap(`<Give xmlns="${NS}"/>`);
      const content = /<GiveResponse[^>]*>(.*)<\/GiveResponse>/s.exec(written)?.[1] ?? '';
      await soap(
        `<Take xmlns="${NS}">${content.replaceAll(/(<\/?(?:\w+:)?)GiveResult/g, '$1value')}</Take>`,
      );
      return state.received;
    },
    async inJson(value: unknown) {
      state.answer = value;
      const d = (await answered(`${PATH}/Give`, 'application/json', '{}')).slice(5, -1);
      await answered(`${PATH}/Take`, 'application/json', `{"value":${d}}`);
      return state.received;
    },
    /** By the texts that the answer of a form has. */
    async inForm(value: unknown, method: 'GET' | 'POST') {
      state.answer = value;
      const written = await answered(`${PATH}/Give`);
      const texts = [...written.matchAll(/<(\w+)[^<>]*>([^<>]*)<\/\1>/g)].map(
        ([, , each = '']) => each,
      );
      const plain = texts.map((each) =>
        each.replaceAll(
          /&(lt|gt|amp);/g,
          (_, name: string) => ({ lt: '<', gt: '>', amp: '&' })[name] ?? '',
        ),
      );
      const pairs = plain.map((each) => `value=${encodeURIComponent(each)}`).join('&');
      if (method === 'GET') await answered(`${PATH}/Take?${pairs}`);
      else await answered(`${PATH}/Take`, 'application/x-www-form-urlencoded', pairs);
      return state.received;
    },
  };
}

/** Of a data set what is in it, without what it says of its columns. */
function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('tables' in value)) return value;
  return { tables: JSON.parse(JSON.stringify(value.tables)) };
}

const TIMES = 25;

describe('a value goes there and comes back the same', () => {
  for (const [name, [field, make]] of Object.entries({ ...SCALARS, ...COMPOSED })) {
    it(name, async () => {
      const random = seeded(7);
      const echo = echoOf(field);
      for (let at = 0; at < TIMES; at++) {
        const value = make(random);
        assert.deepEqual(plain(await echo.inXml(value)), value, 'XML');
        assert.deepEqual(plain(await echo.inJson(value)), value, 'JSON');
      }
    });
  }

  for (const [name, [field, make]] of Object.entries(SCALARS)) {
    it(`${name}, and lists of it, in forms`, async () => {
      const random = seeded(9);
      const [one, list] = [echoOf(field), echoOf(array(field))];
      for (let at = 0; at < TIMES; at++) {
        const value = make(random);
        const method = at % 2 === 0 ? 'GET' : 'POST';
        // An empty list of flags, and no bytes, are not given in a form.
        const empty = (Array.isArray(value) || value instanceof Uint8Array) && value.length === 0;
        if (!empty) assert.deepEqual(await one.inForm(value, method), value);
        const values = [value, make(random)].filter(
          (each) => !((Array.isArray(each) || each instanceof Uint8Array) && each.length === 0),
        );
        if (values.length > 0) assert.deepEqual(await list.inForm(values, method), values);
      }
    });
  }
});
