import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { defineLimits } from '../../src/contract/limits.ts';
import { words } from '../../src/contract/words.ts';
import {
  array,
  base64Binary,
  boolean,
  dateTime,
  decimal,
  enumeration,
  type Field,
  int,
  long,
  nullable,
  object,
  operation,
  optional,
  service,
  string,
} from '../../src/index.ts';
import { SCALARS as FORMS } from '../../src/lexical/scalars.ts';
import { ElementInput, type InputReading } from '../../src/values/input.ts';
import { compileMessages } from '../../src/values/message-plan.ts';
import type { ObjectPlan } from '../../src/values/plan.ts';
import { XmlValueReader } from '../../src/values/read-xml.ts';
import { scalarPlan } from '../../src/values/simple-plan.ts';
import { ValueError } from '../../src/values/value-reading.ts';
import { createXmlReader, type XmlHandler } from '../../src/xml/reader.ts';
import { escapeText } from '../../src/xml/writer.ts';
import { CHARACTER } from '../kit/random.ts';
import { randomIntegers } from '../xml/kit/random.ts';
import { pieces } from '../xml/kit/reading.ts';
import { endpoint } from './sample.ts';

type Random = (below: number) => number;

const NAMES = words('a b id name nameOf é constructor long-name x1 price open at');
const SCALARS: readonly Field<unknown>[] = [
  int,
  string,
  decimal,
  boolean,
  dateTime,
  long,
  base64Binary,
  string.max(5),
  nullable(int),
  optional(decimal),
  enumeration('Colour', ['red', 'green']),
];
/** What lists are of: each makes one type of list. */
const ITEMS: readonly Field<unknown>[] = [int, string, decimal, boolean, dateTime];
const TEXTS = [
  ...words('1 -20 true red x 12.50 2024-02-29T12:00:00Z AAEC'),
  '',
  ' 3 ',
  'a long text',
  'é 中 😀',
];
const LINKS = [
  ...words('&amp; &lt; &#65; &#x1F600; &#xD83D;&#xDE00; &#10; ]]&gt; <![CDATA[&<]]> <?p?>'),
  '<!-- -->',
];
const FAULTS = ['&none;', '&#0;', '&#xD83D;', '&', '<', ']]>', '<b>c</b>', '</a>'];

const one = <T>(random: Random, of: readonly T[]): T => of[random(of.length)]!;

/** The members of a random type, by name. */
function members(random: Random, level: number): Record<string, Field<unknown>> {
  const names = NAMES.filter(() => random(5) > 2);
  return Object.fromEntries(names.map((name, at) => [name, field(random, level, at)]));
}

function field(random: Random, level: number, at: number): Field<unknown> {
  const kind = random(level > 1 ? 8 : 12);
  if (kind < 8) return one(random, SCALARS);
  if (kind === 8) return array(one(random, ITEMS));
  if (kind === 9) return array(one(random, ITEMS), { flat: true });
  const inner = object(`T${level}_${at}_${random(1e6)}`, members(random, level + 1));
  return kind === 10 ? inner : array(inner);
}

/** A message of a random type; what its elements are, by name. */
function randomPlan(random: Random): ObjectPlan {
  const contract = service('Leaves', {
    namespace: 'urn:leaves',
    operations: {
      Op: operation({
        style: one(random, ['wrapped', 'rpc'] as const),
        input: members(random, 0),
        result: array(string),
      }),
    },
  });
  return compileMessages(contract, 'urn:leaves').get('Op')!.request;
}

/** A document that has much of the plan, in all forms that clients write, and some that none does. */
function document(random: Random, plan: ObjectPlan): string {
  const prefix = one(random, ['', '', 'p', 'ns1']);
  const spaced = random(2) === 0;
  const isBroken = random(4) === 0;
  const space = () => (spaced ? one(random, ['', ' ', '\n  ', '\r\n\t']) : '');
  const text = () => {
    let made = one(random, TEXTS);
    for (; random(4) === 0; made += one(random, TEXTS)) made += one(random, LINKS);
    return isBroken && random(20) === 0 ? made + one(random, FAULTS) : made;
  };
  const element = (local: string, uri: string, inside: string): string => {
    const name = uri === '' || prefix === '' ? local : `${prefix}:${local}`;
    const attributes =
      random(12) === 0
        ? one(random, [' xsi:nil="true"', ' xsi:type="xsd:int"', ' xmlns="urn:other"', ' '])
        : '';
    return inside === '' && random(2) === 0
      ? `${space()}<${name}${attributes}/>`
      : `${space()}<${name}${attributes}>${inside}</${name}${random(20) === 0 ? ' ' : ''}>`;
  };
  const contentOf = ({ elements }: ObjectPlan, level: number): string => {
    const given = elements.filter(() => random(8) > 0);
    if (random(4) === 0) given.push(...elements.filter(() => random(4) === 0));
    if (random(6) === 0) given.reverse();
    return (
      given.map((each) => written(each, level)).join('') +
      (random(8) === 0 ? element('unknown', plan.namespace, text()) : '')
    );
  };
  const written = (
    { plan: type, name, namespace, repeated }: ObjectPlan['elements'][number],
    level: number,
  ): string => {
    const count = repeated ? random(4) : 1;
    const inside = (): string => {
      if (type.kind === 'object') return level > 4 ? '' : contentOf(type, level + 1);
      if (type.kind !== 'array') return text();
      return (
        Array.from({ length: random(5) }, () => written(type.item, level + 1)).join('') + space()
      );
    };
    return Array.from({ length: count }, () => element(name, namespace, inside())).join('');
  };
  const uri = plan.namespace;
  const declared = prefix === '' ? `xmlns="${uri}"` : `xmlns:${prefix}="urn:leaves"`;
  const whole = `<m ${declared} xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema">${contentOf(plan, 0)}${space()}</m>`;
  // The namespace of expected children is that of their parent, or the default one.
  const opened =
    prefix === ''
      ? whole
      : whole.replace('<m ', `<${prefix}:m `).replace(/<\/m>$/, `</${prefix}:m>`);
  return isBroken && random(2) === 0 ? opened.slice(0, random(opened.length)) : opened;
}

/** What a reader makes of a document; with leaves taken whole, or not. */
function outcome(
  plan: ObjectPlan,
  given: Uint8Array,
  split: readonly number[],
  random: Random,
  onLeaf?: () => void,
): string {
  const limits = defineLimits(
    one(random, [
      {},
      {},
      {},
      { elements: 12 },
      { items: 3 },
      { textChars: 8 },
      { depth: 3 },
      { nameChars: 4 },
    ]),
  );
  const value: Record<string, unknown> = {};
  const context = { form: 'element', timeZone: 'UTC', now: () => 0 } as const;
  const isOpen = random(2) === 0;
  const openFile = () => ({ text: () => {}, end: () => undefined });
  const ignore = () => {};
  const values = new XmlValueReader({
    context,
    limits,
    isOpen,
    openFile,
    ignore,
    get position() {
      return reader.nextToken;
    },
  });
  const handler: XmlHandler = {
    open: (element) => (values.busy ? values.open(element) : values.begin(plan, element, value)),
    text: (piece) => values.text(piece),
    close: () => values.close(),
  };
  if (onLeaf !== undefined) {
    handler.leaf = (index, text) => {
      onLeaf();
      values.leaf(index, text);
    };
  }
  const reader = createXmlReader(handler, { limits });
  let error = '';
  try {
    for (const piece of pieces(given, split)) reader.push(piece);
    reader.end();
  } catch (thrown) {
    error = `${thrown}`;
  }
  const { failures, later } = values;
  const read = converted(plan, value, { context, check: 'bounds', failures, later });
  return inspect({ read, error, line: reader.line, column: reader.column }, { depth: 20 });
}

/** The values of a message, or what is wrong with it and where. */
function converted(
  plan: ObjectPlan,
  value: Readonly<Record<string, unknown>>,
  reading: InputReading,
): unknown {
  const valueAt = (index: number) => value[plan.elements[index]!.property];
  try {
    return new ElementInput(plan.elements, valueAt, reading).values();
  } catch (error) {
    if (error instanceof ValueError) return `${error}${error.place}`;
    throw error;
  }
}

test('leaves: those taken whole are read as those told tag by tag: values, failures, errors and where they are, limits', () => {
  let leaves = 0;
  let elements = 0;
  const split = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 10 });
  fc.assert(
    fc.property(fc.integer(), split, (seed, lengths) => {
      const random = randomIntegers(seed);
      const plan = randomPlan(random);
      for (let round = 0; round < 4; round++) {
        const given = document(random, plan);
        const bytes = Buffer.from(given);
        const limits = random(1e6);
        for (const split of [[bytes.length + 1], lengths]) {
          const told = outcome(plan, bytes, split, randomIntegers(limits));
          const whole = outcome(plan, bytes, split, randomIntegers(limits), () => leaves++);
          assert.equal(whole, told, given);
        }
        elements += given.split('</').length;
      }
    }),
    { numRuns: 20 },
  );
  assert.ok(leaves > elements / 100, `${leaves} of ${elements} elements were taken whole`);
});

test('leaves: lists as toolkits write them are taken whole: in the default namespace, with a prefix, without a namespace', () => {
  const Item = object('Item', { id: int, name: string, price: decimal });
  const input = { items: array(Item), numbers: array(int) };
  const contract = service('Lists', {
    namespace: 'urn:leaves',
    operations: {
      Wrapped: operation({ input, result: string }),
      Rpc: operation({ style: 'rpc', input, result: string }),
    },
  });
  const plans = compileMessages(contract, 'urn:leaves');
  const item = (p: string, at: number) =>
    `<${p}Item>\n  <${p}id>${at}</${p}id> <${p}name>a &amp; b</${p}name>${at === 1 ? '' : `<${p}price>1.50</${p}price>`}</${p}Item>`;
  const inside = (p: string, wrapper = p) =>
    `<${wrapper}items>${item(p, 0)}${item(p, 1)}</${wrapper}items><${wrapper}numbers><${p}int>1</${p}int> <${p}int>2</${p}int></${wrapper}numbers>`;
  const documents: readonly (readonly [string, string, number])[] = [
    ['Wrapped', `<m xmlns="urn:leaves">${inside('')}</m>`, 7],
    ['Wrapped', `<n:m xmlns:n="urn:leaves">${inside('n:')}</n:m>`, 7],
    // The list of numbers itself has no prefix here, so that none is expected inside.
    ['Rpc', `<n:m xmlns:n="urn:leaves">${inside('n:', '')}</n:m>`, 5],
  ];
  for (const [name, given, taken] of documents) {
    let leaves = 0;
    const plan = plans.get(name)!.request;
    const read = outcome(
      plan,
      Buffer.from(given),
      [given.length],
      () => 0,
      () => leaves++,
    );
    assert.equal(leaves, taken, read);
    assert.match(
      read,
      /read: \[\s*\[\s*\{ id: 0, name: 'a & b', price: '1\.50' \},\s*\{ id: 1, name: 'a & b', price: '0' \}/,
    );
    assert.match(read, /\],\s*\[ 1, 2 \]/);
  }
});

test('leaves: what is written without a search for characters to escape has none, whatever the handler returns', () => {
  const types = Object.keys(FORMS) as (keyof typeof FORMS)[];
  const plans = [
    ...types.map((type) => scalarPlan(type, undefined)),
    scalarPlan('dateTime', 'date'),
  ];
  const plain = plans.filter(({ isPlain }) => isPlain);
  assert.ok(plain.length > 15);
  assert.equal(scalarPlan('dateTime', 'text').isPlain, false);
  const value = fc.oneof(
    fc.string({ unit: CHARACTER }),
    fc.stringMatching(/^[-+0-9.<& ]{1,9}$/),
    fc.double(),
    fc.integer(),
    fc.bigInt(),
    fc.boolean(),
    fc.date(),
  );
  let written = 0;
  fc.assert(
    fc.property(value, (given) => {
      for (const { format } of plain) {
        let text: string;
        try {
          text = format(given);
        } catch {
          continue;
        }
        written++;
        assert.equal(escapeText(text), text);
      }
    }),
    { numRuns: 40 },
  );
  assert.ok(written > 0);
});

test('a piece that begins inside an end tag and ends inside the next text is read once', async () => {
  const numbers = '<int>1</int><int>2</int><int>30</int>';
  const text =
    '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>' +
    `<Sum xmlns="http://example.com/weather"><numbers>${numbers}</numbers></Sum></s:Body></s:Envelope>`;
  const from = text.indexOf('<int>1<') + '<int>1<'.length;
  const to = text.indexOf('<int>30') + '<int>3'.length;
  for (const end of [text.indexOf('<int>2') + '<int>'.length, text.indexOf('2<'), to]) {
    const split = [text.slice(0, from), text.slice(from, end), text.slice(end)];
    const answer = await endpoint.request({
      method: 'POST',
      target: '/Weather.asmx',
      headers: { 'content-type': 'text/xml', soapaction: '"http://example.com/weather/Sum"' },
      body: {
        async *[Symbol.asyncIterator]() {
          for (const each of split) yield Buffer.from(each);
        },
      },
      remoteAddress: '127.0.0.1',
    })!;
    assert.match(String(answer.body), /<SumResult>33<\/SumResult>/, split.join(' | '));
  }
});
