import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type JsonContent,
  JsonError,
  type JsonKind,
  JsonReader,
} from '../../src/bindings/json/json-reader.ts';
import { DEFAULT_LIMITS, defineLimits } from '../../src/contract/limits.ts';
import { words } from '../../src/contract/words.ts';
import { CHARACTER } from '../kit/random.ts';
import { isScriptObject } from './json-oracle.ts';

type Member = [name: string, kind: JsonKind, text: string];

interface Reading {
  readonly limits?: typeof DEFAULT_LIMITS;
  readonly charset?: string;
  readonly size?: number;
  /** Whether bytes of a file are taken many at once. */
  readonly numbers?: boolean;
  readonly take?: (name: string) => 'text' | 'skip' | JsonContent;
}

/** The members that a reader reports. */
function read(
  body: string | Uint8Array,
  { limits = DEFAULT_LIMITS, charset, size = 1 << 30, take, numbers = false }: Reading = {},
): Member[] {
  const members: Member[] = [];
  let open = false;
  const reader = new JsonReader(
    {
      open(name, kind) {
        assert.equal(open, false);
        open = true;
        members.push([name, kind, '']);
        return take?.(name) ?? 'text';
      },
      text(piece) {
        assert.notEqual(piece, '');
        members.at(-1)![2] += piece;
      },
      close() {
        assert.equal(open, true);
        open = false;
      },
      takesNumbers: () => numbers,
      numbers(read) {
        const [name] = members.at(-1)!;
        for (const number of read) {
          const text = String(number & 255).padStart(number >> 8, '0');
          members.push([name, 'number', text]);
        }
      },
    },
    { limits, charset },
  );
  const bytes = Buffer.from(body);
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
  reader.end();
  return members;
}

/** What the reader must report, by way of `JSON.parse` (which hides repeated names, so there are none). */
function expected(value: Record<string, unknown>): Member[] {
  return Object.entries(value).flatMap(([name, member]) =>
    (Array.isArray(member) ? member : [member]).map((item): Member => {
      if (item === null) return [name, 'null', ''];
      if (Array.isArray(item)) return [name, 'array', ''];
      if (typeof item === 'object') return [name, 'object', ''];
      return [name, typeof item as JsonKind, String(item)];
    }),
  );
}

const cases: readonly [string, string, members: string[], Reading?][] = [
  ['an empty body is an empty object', '', []],
  ['white space alone too', ' \r\n\t', []],
  ['an empty object', ' { } ', []],
  [
    'each kind',
    '{"s":"x","n":-1.5e+3,"t":true,"f":false,"z":null,"o":{"a":[1,{"b":"c"}]},"l":[1,"2",null,[3],{}],"e":[]}',
    [
      's string x',
      'n number -1.5e+3',
      't boolean true',
      'f boolean false',
      'z null ',
      'o object ',
      'l number 1',
      'l string 2',
      'l null ',
      'l array ',
      'l object ',
    ],
  ],
  [
    'prototype names are names',
    '{"__proto__":"a","constructor":"b"}',
    ['__proto__ string a', 'constructor string b'],
  ],
  ['repeated names come in order', '{"a":1,"a":2}', ['a number 1', 'a number 2']],
  [
    'escapes',
    String.raw`{"a\u0062":"\"\\\/\b\f\n\r\t\u4e2d\uD83D\ude00"}`,
    ['ab string "\\/\b\f\n\r\t中😀'],
  ],
  ['a byte order mark', '\ufeff{"a":1}', ['a number 1']],
  ['an inner object does not change the name', '{"a":[{"b":1},2]}', ['a object ', 'a number 2']],
  [
    'what is skipped is not reported',
    '{"a":"x","b":"y"}',
    ['a string ', 'b string y'],
    { take: (name) => (name === 'a' ? 'skip' : 'text') },
  ],
];
for (const [what, body, members, reading] of cases) {
  test(`json: ${what}`, () => {
    for (const size of [1 << 30, 1, 2, 3])
      assert.deepEqual(
        read(body, { ...reading, size }).map((member) => member.join(' ')),
        members,
        `pieces of ${size}`,
      );
  });
}

test('json: another charset is read', () => {
  const body = Buffer.from('{"a":"中"}', 'utf16le');
  for (const size of [100, 1])
    assert.deepEqual(read(body, { charset: 'utf-16le', size }), [['a', 'string', '中']]);
});

const lenient: readonly [string, Member[]][] = [
  ['{a:1}', [['a', 'number', '1']]],
  ['{ $a_é-1.b : "x" }', [['$a_é-1.b', 'string', 'x']]],
  [`{'a':'b"\\'"c'}`, [['a', 'string', `b"'"c`]]],
  [`{"a":"b'","c":'d'}`, [['a', 'string', "b'"], ['c', 'string', 'd']]],
  ['{"a":"\\\'"}', [['a', 'string', "'"]]],
  ['{"a":"\n\r\t\u0001"}', [['a', 'string', '\n\r\t\u0001']]],
  ['{"a":[01,1.,.5,+1,-.5e+3]}', ['01', '1.', '.5', '+1', '-.5e+3'].map((text): Member => ['a', 'number', text])],
  ['{"a":1}\0', [['a', 'number', '1']]],
  ['{"a":1} \0\n\0', [['a', 'number', '1']]],
]; // biome-ignore format: one row a case
for (const [body, members] of lenient) {
  test(`json: read as JavaScriptSerializer reads it, however split: ${JSON.stringify(body)}`, () => {
    assert.throws(() => JSON.parse(body));
    for (const size of [1 << 30, 1, 2, 3]) assert.deepEqual(read(body, { size }), members);
  });
}

const refused: readonly string[] = [
  '{"a\':1}',
  '{\'a":1}',
  '{:1}',
  '{a b:1}',
  '{"a":b}',
  '{"a":1..2}',
  '{"a":.}',
  '{"a":+}',
  '\0{"a":1}',
  '{"a":\0}',

  '[]',
  '"a"',
  '1',
  'null',
  '{',
  '{"a"',
  '{"a":',
  '{"a":1',
  '{"a":1,',
  '{"a":1,}',
  '{,}',
  '{"a" 1}',
  '{"a":1e}',
  '{"a":NaN}',
  '{"a":Infinity}',
  '{"a":True}',
  '{"a":undefined}',
  '{"a":"\\x"}',
  '{"a":"\\u12G4"}',
  '{"a":"\\u12',
  '{"a":"',
  '{"a":[1,]}',
  '{"a":[,1]}',
  '{"a":[1 2]}',
  '{"a":[1}',
  '{"a":{"b":1]}',
  '{"a":1} x',
  '{"a":1}{}',
  '{"a":1 /* */}',
  '{"a"}',
  '{"a":}',
  '{"a":"b""c"}',
];
for (const body of refused) {
  test(`json: refused, as by JSON.parse, however split: ${JSON.stringify(body)}`, () => {
    if (body.startsWith('{')) assert.throws(() => JSON.parse(body));
    for (const size of [1 << 30, 1, 2]) {
      assert.throws(
        () => read(body, { size }),
        (error) =>
          error instanceof JsonError && error.code === 'malformed' && error.index <= body.length,
      );
    }
  });
}

test('json: half a surrogate pair and invalid UTF-8 are refused, with the place', () => {
  for (const size of [1 << 30, 1]) {
    assert.throws(() => read('{"a":"\\ud83d"}', { size }), /half a surrogate pair/);
    assert.throws(() => read('{"a":"\\ud83d\\u0041"}', { size }), /half a surrogate pair/);
    assert.throws(() => read('{"a":"\\ude00"}', { size }), /half a surrogate pair/);
    const invalid = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}')]);
    assert.throws(
      () => read(invalid, { size }),
      (error) => error instanceof JsonError && error.code === 'encoding' && error.index === 6,
    );
  }
});

test('json: agrees with JSON.parse on any object, split anywhere', () => {
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.string({ unit: CHARACTER }),
        fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' }),
      ),
      fc.nat(4),
      fc.integer({ min: 1, max: 40 }),
      (value, indent, size) => {
        const body = JSON.stringify(value, undefined, indent);
        assert.deepEqual(read(body, { size }), expected(JSON.parse(body)));
      },
    ),
  );
});

test('json: accepts and refuses what JavaScriptSerializer does, also when characters are changed', () => {
  const seeds = [
    "{a:'x\\'y', b_1 : [.5,+1.]}",
    '{"a":"x\\u0041","b":[1,-2.5e3,true],"c":{"d":null}}',
    '{ "é中" : "\\\\" , "n" : 0 }',
  ];
  const change = fc.tuple(fc.nat(), fc.constantFrom(...'"\'$\0+\\{}[],:0-.eu \nt', ''));
  fc.assert(
    fc.property(
      fc.constantFrom(...seeds),
      fc.array(change, { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 1, max: 9 }),
      (seed, changes, size) => {
        let body = seed;
        for (const [at, by] of changes)
          body = body.slice(0, at % body.length) + by + body.slice((at % body.length) + 1);
        if (isScriptObject(body)) read(body, { size });
        else assert.throws(() => read(body, { size }), JsonError, body);
      },
    ),
    { numRuns: 5000 },
  );
});

const small = defineLimits({ formPairs: 3, nameChars: 5, textChars: 10 });
const flat = defineLimits({ depth: 4 });
const breaches: readonly [string, string, keyof typeof DEFAULT_LIMITS, typeof DEFAULT_LIMITS?][] = [
  ['members', '{"a":1,"b":2,"c":3,"d":4}', 'formPairs'],
  ['inner members', '{"a":{"b":2,"c":3,"d":4}}', 'formPairs'],
  ['items', '{"a":[1,2,3]}', 'formPairs'],
  ['items of each kind', '{"a":["",null,{}]}', 'formPairs'],
  ['items of inner arrays', '{"a":[[0,0]]}', 'formPairs'],
  ['items of an array in an object', '{"a":{"b":[0,0]}}', 'formPairs'],
  ['items that are arrays', '{"a":[[],[],[]]}', 'formPairs'],
  ['items that are objects, out of sight', '{"a":[[{},{}]]}', 'formPairs'],
  ['a name', '{"abcdef":1}', 'nameChars'],
  ['a name without end', '{"abcdefgh', 'nameChars'],
  ['a number', '{"a":123456}', 'nameChars'],
  ['a string', '{"a":"12345678901"}', 'textChars'],
  ['depth', '{"a":[[[[', 'depth', flat],
];
for (const [what, body, limit, limits = small] of breaches) {
  test(`json: ${what} over ${limit} is refused, however split`, () => {
    for (const size of [1 << 30, 1]) {
      assert.throws(
        () => read(body, { limits, size }),
        (error) =>
          error instanceof JsonError &&
          error.code === 'limit' &&
          error.limit === limit &&
          error.limitValue === limits[limit],
      );
    }
  });
}

test('json: members and items up to the limit are read', () => {
  for (const body of words(
    '{"a":1,"b":2,"c":3} {"a":[1,2]} {"a":["",{}]} {"a":[[0]]} {"a":{"b":[0]}} {"a":[[],[]]}',
    '{"a":[],"b":[],"c":[]}',
  )) {
    for (const size of [1 << 30, 1])
      assert.doesNotThrow(() => read(body, { limits: small, size }), body);
  }
});

test('json: a value may have bounds of its own', () => {
  assert.throws(
    () => read('{"a":"123"}', { take: () => ({ mode: 'text', maxChars: 2 }) }),
    /The value of a is over/,
  );
});

const FILE: Reading = {
  limits: small,
  take: () => ({ mode: 'text', isFile: true }),
  numbers: true,
};

test('json: a file may come as an array of bytes, however split and spaced: only the first and the last are counted', () => {
  for (const comma of [',', ', ', ' ,\n\t']) {
    const bytes = `{"a":[${`255${comma}`.repeat(999)}0]}`;
    for (const size of [1 << 30, 1, 2, 3, 5, 7])
      assert.equal(read(bytes, { ...FILE, size }).length, 1000, String(size));
    assert.throws(() => read(bytes, { limits: small }), /over the limit formPairs of 3 in all\./);
  }
});

for (const item of ['256', '1000', '+1', '1.', '1e0', '""', 'null', '{}', '[]']) {
  test(`json: of a file ${item} is counted like any item`, () => {
    assert.throws(() => read(`{"a":[${`1,${item},`.repeat(4)}1]}`, FILE), /formPairs of 3/);
  });
}

test('json: bytes of a file that are taken many at once are those that are taken one by one', () => {
  const item = fc.oneof(
    { weight: 5, arbitrary: fc.nat(300).map(String) },
    fc.constantFrom('07', '+1', '"A"', 'null', '[1,1]', ' 1 '),
  );
  const take = (name: string): JsonContent => ({ mode: 'text', isFile: name === 'file' });
  fc.assert(
    fc.property(
      fc.array(item, { maxLength: 40 }),
      fc.integer({ min: 1, max: 60 }),
      (items, size) => {
        const body = `{"other":[${items}],"file":[${items}],"a":1}`;
        assert.deepEqual(read(body, { take, numbers: true, size }), read(body, { take }));
      },
    ),
  );
});
