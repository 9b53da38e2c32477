import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type FormContent, FormReader } from '../../src/bindings/form/form-reader.ts';
import { DEFAULT_LIMITS, defineLimits } from '../../src/contract/limits.ts';
import { ReadError } from '../../src/message/read-error.ts';
import { CHARACTER } from '../kit/random.ts';

type Pair = [string, string];

interface Reading {
  readonly limits?: typeof DEFAULT_LIMITS;
  readonly charset?: string;
  readonly size?: number;
  /** Whether bytes of a file are taken many at once. */
  readonly numbers?: boolean;
  readonly take?: (name: string) => 'text' | 'skip' | FormContent;
}

/** The pairs that a reader reports. */
function read(
  body: string | Uint8Array,
  { limits = DEFAULT_LIMITS, charset, size = 1 << 30, take, numbers = false }: Reading = {},
): Pair[] {
  const pairs: Pair[] = [];
  const reader = new FormReader(
    {
      open(name) {
        pairs.push([name, '']);
        return take?.(name) ?? 'text';
      },
      text(piece) {
        assert.notEqual(piece, '');
        pairs.at(-1)![1] += piece;
      },
      close() {},
      takesNumbers: () => numbers,
      numbers(read) {
        const [name] = pairs.at(-1)!;
        for (const number of read) {
          const text = String(number & 255).padStart(number >> 8, '0');
          pairs.push([name, text]);
        }
      },
    },
    { limits, charset },
  );
  const bytes = Buffer.from(body);
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
  reader.end();
  return pairs;
}

const cases: readonly [string, string, pairs: string[], Reading?][] = [
  ['nothing', '', []],
  ['two pairs', 'a=1&b=2', ['a=1', 'b=2']],
  ['an empty value', 'a=&b', ['a=']],
  ['a name without = is no pair', 'a&b=1&c', ['b=1']],
  ['an empty name', '=x', ['=x']],
  ['further = belong to the value', 'a=b=c==', ['a=b=c==']],
  ['semicolons do not divide', 'a=1;b=2', ['a=1;b=2']],
  ['names are decoded too', '%61+%u4E2D=1', ['a 中=1']],
  ['escaped dividers do not divide', 'a%3Db=1%262', ['a=b=1&2']],
  ['an unfinished escape does not reach into the next pair', 'a=%4&1=%', ['a=%4', '1=%']],
  [
    'an unfinished character does not reach into the next pair',
    'a=%E4&b=%B8',
    ['a=\ufffd', 'b=\ufffd'],
  ],
  ['an abandoned name does not reach into the next', 'a%E4&b=1', ['b=1']],
  ['repeated names come in order', 'a=1&a=2&b=3&a=4', ['a=1', 'a=2', 'b=3', 'a=4']],
  ['prototype names are names', '__proto__=1&constructor=2', ['__proto__=1', 'constructor=2']],
  [
    'base64 whose + was not escaped',
    'f=a+b%2Bc/%3D&g=a+b',
    ['f=a\u0001b+c/=', 'g=a b'],
    { take: (name) => (name === 'f' ? { mode: 'text', plus: 'lost' } : 'text') },
  ],
  [
    'what is skipped is not reported',
    'a=%41+1&b=2',
    ['a=', 'b=2'],
    { take: (name) => (name === 'a' ? 'skip' : 'text') },
  ],
  ['GBK', 'a=%D6%D0', ['a=中'], { charset: 'gb2312' }],
];
for (const [what, body, expected, reading] of cases) {
  test(`form: ${what}`, () => {
    for (const size of [1 << 30, 1, 2, 3])
      assert.deepEqual(
        read(body, { ...reading, size }).map((pair) => pair.join('=')),
        expected,
        `pieces of ${size}`,
      );
  });
}

test('form: agrees with URLSearchParams on what browsers write', () => {
  const word = fc.string({ unit: CHARACTER, maxLength: 6 }).map((text) => text.toWellFormed());
  fc.assert(
    fc.property(
      fc.array(fc.tuple(word, word), { maxLength: 6 }),
      fc.integer({ min: 1, max: 9 }),
      (pairs, size) => {
        const body = new URLSearchParams(pairs as Pair[]).toString();
        assert.deepEqual(read(body, { size }), pairs);
      },
    ),
  );
});

test('form: agrees with URLSearchParams on any bytes without %u', () => {
  const byte = fc.constantFrom(...'ab=&+%4E1;'.split(''), '%E4', '%FF');
  fc.assert(
    fc.property(
      fc.array(byte, { maxLength: 20 }),
      fc.integer({ min: 1, max: 9 }),
      (bytes, size) => {
        const body = bytes.join('');
        const parts = body.split('&').filter((part) => part.includes('='));
        const expected = [...new URLSearchParams(parts.join('&'))];
        assert.deepEqual(read(body, { size }), expected);
      },
    ),
    { numRuns: 2000 },
  );
});

const small = defineLimits({ formPairs: 3, nameChars: 5, textChars: 10 });
const breaches: readonly [string, string, keyof typeof DEFAULT_LIMITS][] = [
  ['pairs', 'a=1&b=2&c=3&d=4', 'formPairs'],
  ['a name', 'abcdef=1', 'nameChars'],
  ['a name without =', 'abcdefgh&a=1', 'nameChars'],
  ['a value', 'a=12345678901', 'textChars'],
];
for (const [what, body, limit] of breaches) {
  test(`form: ${what} over ${limit} is refused, however split`, () => {
    for (const size of [1 << 30, 1]) {
      assert.throws(
        () => read(body, { limits: small, size }),
        (error) =>
          error instanceof ReadError &&
          error.code === 'limit' &&
          error.limit === limit &&
          error.limitValue === small[limit] &&
          error.message.includes(`${limit} of ${small[limit]}`),
      );
    }
  });
}

test('form: a value may have bounds of its own', () => {
  assert.throws(
    () => read('a=123', { take: () => ({ mode: 'text', maxChars: 2 }) }),
    /The value of a is over/,
  );
});

const FILE: Reading = {
  limits: small,
  take: () => ({ mode: 'text', isFile: true }),
  numbers: true,
};

test('form: a file may come as one pair a byte, however split: only the first is counted', () => {
  for (const size of [1 << 30, 1, 2, 3, 4, 5, 7]) {
    assert.equal(read('x=1&x=25&x=255&'.repeat(400), { ...FILE, size }).length, 1200, String(size));
  }
});

for (const value of ['256', '1000', '', '+1', '%31', 'A', '-1']) {
  test(`form: of a file ${value || 'an empty value'} is counted like any pair`, () => {
    read(`x=1&x=${value}&`.repeat(1), FILE);
    assert.throws(() => read(`x=1&x=${value}&`.repeat(4), FILE), /formPairs of 3/);
  });
}

test('form: so is a byte of a file under a name that is written in another way', () => {
  assert.throws(() => read('x=1&%78=1&'.repeat(4), FILE), /formPairs of 3/);
});

test('form: bytes of a file that are taken many at once are those that are taken one by one', () => {
  const value = fc.oneof(
    { weight: 5, arbitrary: fc.nat(300).map(String) },
    fc.constantFrom('', '07', '+1', 'A', '%31'),
  );
  const pair = fc.oneof(
    { weight: 9, arbitrary: value.map((text) => `file=${text}&`) },
    fc.constantFrom('f=1&', '&', 'file&'),
  );
  const take = (name: string): FormContent => ({ mode: 'text', isFile: name === 'file' });
  fc.assert(
    fc.property(
      fc.array(pair, { maxLength: 40 }),
      fc.integer({ min: 1, max: 60 }),
      (pairs, size) => {
        const body = pairs.join('');
        assert.deepEqual(read(body, { take, numbers: true, size }), read(body, { take }));
      },
    ),
  );
});

test('form: charsetSwitches: bytes of a charset and %u escapes may change so often, in names and values alike', () => {
  const limits = defineLimits({ charsetSwitches: 3 });
  for (const charset of ['gb18030', 'utf-16', 'shift_jis']) {
    const turn = charset === 'utf-16' ? 'a%00%u4e2d' : '%81%u4e2d';
    assert.equal(read(`a=${turn.repeat(3)}`, { limits, charset }).length, 1);
    for (const body of [`a=${turn.repeat(4)}`, `${turn}${turn}=${turn}${turn}`]) {
      assert.throws(() => read(body, { limits, charset }), /charsetSwitches of 3/);
    }
  }
  // Of ASCII, as escape() of JavaScript writes it, no text has too many; nor is there a change in UTF-8.
  assert.equal(
    read(`a=${'b%u4e2d'.repeat(9)}`, { limits, charset: 'gb18030' })[0]![1],
    'b中'.repeat(9),
  );
  assert.equal(read(`a=${'%C3%A9%u4e2d'.repeat(9)}`, { limits })[0]![1], 'é中'.repeat(9));
});

for (const [what, body] of [
  ['repeats of one name', 'a=1&a=1&a=1&a=1'],
  ['names without =', 'a&b&c&d&'],
  ['empty names', '&&&&'],
  ['empty values', 'a=&a=&a=&a='],
] as const) {
  test(`form: ${what} are counted as pairs`, () => {
    assert.throws(() => read(body, { limits: small }), /formPairs of 3/);
    read(body.slice(0, body.length / 4) + 'b=2&'.repeat(2), { limits: small });
  });
}

test('form: within a limit nothing is refused', () => {
  assert.equal(read('abcde=1234567890&b=&c=', { limits: small }).length, 3);
});
