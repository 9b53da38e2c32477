import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineLimits, type Limits } from '../../src/contract/limits.ts';
import { createXmlReader, XmlError } from '../../src/xml/reader.ts';
import { type Reading, read } from './kit/reading.ts';

const small = defineLimits({
  bodyBytes: 3000,
  depth: 4,
  headerDepth: 3,
  elements: 9,
  attributes: 10,
  totalAttributes: 12,
  namespaces: 9,
  nameChars: 40,
  attributeValueChars: 20,
  textChars: 30,
  headerBytes: 50,
});

/** A document of a size: at the limit it is read, one over it is not. */
interface Bound {
  readonly limit: keyof Limits;
  readonly what: string;
  make(size: number): string;
  readonly take?: Reading['take'];
}

const header: Reading['take'] = ({ local }) =>
  local === 'h' ? { mode: 'elements', header: true } : 'text';
const nested = (depth: number): string => '<a>'.repeat(depth) + '</a>'.repeat(depth);
const list = (count: number, item: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => item(i)).join('');

const bounds: readonly Bound[] = [
  { limit: 'depth', what: 'nested elements', make: nested },
  { limit: 'depth', what: 'nested elements that are skipped', make: nested, take: () => 'skip' },
  { limit: 'elements', what: 'elements', make: (n) => `<a>${'<b/>'.repeat(n - 1)}</a>` },
  {
    limit: 'elements',
    what: 'elements, comments, instructions and CDATA sections',
    make: (n) =>
      `<!----><a>${list(n - 2, (i) => ['<!---->', '<?p?>', '<![CDATA[]]>', '<b/>'][i % 4]!)}</a>`,
  },
  { limit: 'attributes', what: 'attributes', make: (n) => `<a${list(n, (i) => ` b${i}=""`)}/>` },
  {
    limit: 'attributes',
    what: 'attributes, declarations among them',
    make: (n) => `<a xmlns="u"${list(n - 1, (i) => ` b${i}=""`)}/>`,
  },
  {
    limit: 'totalAttributes',
    what: 'attributes of all elements, declarations among them',
    make: (n) =>
      `<a${list(8, (i) => ` b${i}=""`)}><b xmlns="u"${list(n - 9, (i) => ` b${i}=""`)}/></a>`,
  },
  {
    limit: 'namespaces',
    what: 'declarations on one element',
    make: (n) => `<a${list(n, (i) => ` xmlns:p${i}="u"`)}/>`,
  },
  {
    limit: 'namespaces',
    what: 'nested declarations',
    make: (n) =>
      `<a xmlns="u"${list(n - 3, (i) => ` xmlns:p${i}="u"`)}><a xmlns:p="u"><a xmlns="v"/></a></a>`,
  },
  { limit: 'nameChars', what: 'an element name', make: (n) => `<${'x'.repeat(n)}/>` },
  {
    limit: 'nameChars',
    what: 'an element name with attributes',
    make: (n) => `<${'x'.repeat(n)} a=""/>`,
  },
  { limit: 'nameChars', what: 'an attribute name', make: (n) => `<a ${'x'.repeat(n)}=""/>` },
  {
    limit: 'nameChars',
    what: 'the name of an instruction',
    make: (n) => `<?${'x'.repeat(n)}?><a/>`,
  },
  { limit: 'nameChars', what: 'a reference', make: (n) => `<a>&#${'0'.repeat(n - 3)}65;</a>` },
  {
    limit: 'nameChars',
    what: 'the XML declaration',
    make: (n) => `<?xml version="1.0"${' '.repeat(n - 21)}?><a/>`,
  },
  {
    limit: 'attributeValueChars',
    what: 'an attribute value',
    make: (n) => `<a b="${'x'.repeat(n)}"/>`,
  },
  {
    limit: 'attributeValueChars',
    what: 'an attribute value of references',
    make: (n) => `<a b="${'&#65;'.repeat(n)}"/>`,
  },
  {
    limit: 'attributeValueChars',
    what: 'a namespace name',
    make: (n) => `<a xmlns="${'x'.repeat(n)}"/>`,
  },
  { limit: 'textChars', what: 'text', make: (n) => `<a>${'x'.repeat(n)}</a>` },
  {
    limit: 'textChars',
    what: 'text in parts',
    make: (n) => `<a>${'&lt;'.repeat(5)}<!-- --><![CDATA[${'x'.repeat(n - 6)}]]>x</a>`,
  },
  {
    limit: 'headerBytes',
    what: 'a header',
    make: (n) => `<e><h>${'x'.repeat(n - 4)}</h></e>`,
    take: header,
  },
  {
    limit: 'headerBytes',
    what: 'a header, in bytes of UTF-8',
    make: (n) => `<e><h>${'中'.repeat(10)}${'x'.repeat(n - 40)}<b/>  </h></e>`,
    take: header,
  },
  {
    limit: 'headerDepth',
    what: 'elements in a header',
    make: (n) => `<e><h>${nested(n)}</h></e>`,
    take: header,
  },
  { limit: 'bodyBytes', what: 'the document', make: (n) => `<a/>${' '.repeat(n - 4)}` },
];
for (const { limit, what, make, take } of bounds) {
  test(`limits: ${what}: read at the limit ${limit}, refused one over it with its name, value and place`, () => {
    const value = small[limit];
    const reading = { limits: small, ...(take === undefined ? {} : { take }) };
    for (const split of [[1 << 20], [1], [7]]) {
      assert.equal(
        read(make(value), { ...reading, split }).error,
        undefined,
        `at the limit, split ${split}`,
      );
      const { error } = read(make(value + 1), { ...reading, split });
      assert.ok(error !== undefined, `over the limit, split ${split}`);
      assert.equal(error.code, 'limit');
      assert.deepEqual([error.limit, error.limitValue], [limit, value]);
      assert.match(
        error.message,
        new RegExp(`over the limit ${limit} of ${value} .* Line 1, position [0-9]+\\.$`),
      );
    }
  });
}

test('limits: bytes are counted once, however much comes at a time', () => {
  const limits = defineLimits({ bodyBytes: 200_000 });
  const document = `<a/>${' '.repeat(199_996)}`;
  assert.equal(read(document, { limits, split: [100_000] }).error, undefined);
  assert.equal(read(`${document} `, { limits, split: [100_000] }).error?.limit, 'bodyBytes');
});

test('limits: outside a header depth counts as before', () => {
  const document = `<e><h>${nested(3)}</h>${nested(3)}</e>`;
  assert.equal(read(document, { limits: small, take: header }).error, undefined);
  assert.equal(
    read(`<e><h/>${nested(4)}</e>`, { limits: small, take: header }).error?.limit,
    'depth',
  );
});

test('limits: each header has its bytes, counted in every piece', () => {
  const document = `<e><h>${'x'.repeat(46)}</h><h>${'x'.repeat(47)}</h></e>`;
  for (const split of [[1 << 20], [1], [40]]) {
    const { error } = read(document, { limits: { ...small, textChars: 100 }, take: header, split });
    assert.equal(error?.limit, 'headerBytes');
  }
});

test('limits: what stands before and after a header is not counted as one', () => {
  const filler = '<b>1234567890</b>'.repeat(3);
  for (const split of [[1 << 20], [1], [40]]) {
    const reading: Reading = { limits: small, take: header, split };
    assert.equal(
      read(`<e>${filler}<h>${'x'.repeat(20)}</h>${filler}</e>`, reading).error,
      undefined,
      `split ${split}`,
    );
  }
});

test('limits: the text of each element counts by itself, and may be bounded on its own', () => {
  const document = '<a>1<b>123456</b>2</a>';
  const take: Reading['take'] = ({ local }) => ({ mode: 'text', maxChars: local === 'a' ? 2 : 5 });
  const { error } = read(document, { take });
  assert.match(error!.reason, /text of the element b is over the limit textChars of 5 characters/);
  assert.equal(read(document.replace('6', ''), { take }).error, undefined);
});

test('limits: the bytes may be raised while reading, and are judged where they are exceeded', () => {
  const made = (raise: boolean) => {
    const reader = createXmlReader(
      {
        open: () => {
          if (raise) reader.maxBytes = 200;
          return 'skip';
        },
        text() {},
        close() {},
      },
      { limits: defineLimits({ bodyBytes: 100 }) },
    );
    reader.push(Buffer.from(`<a>${'x'.repeat(150)}</a>`));
    reader.end();
  };
  made(true);
  assert.throws(
    () => made(false),
    (error) =>
      error instanceof XmlError &&
      error.limit === 'bodyBytes' &&
      error.limitValue === 100 &&
      error.column === 101,
  );
});

test('limits: a breach is met soon, not after the whole input', () => {
  const megabyte = 1 << 20;
  const hostile: readonly [string, string][] = [
    ['nameChars', `<${'x'.repeat(megabyte)}`],
    ['nameChars', `<a ${'x'.repeat(megabyte)}`],
    ['nameChars', `<a>&${'x'.repeat(megabyte)}`],
    ['nameChars', `<?xml ${' '.repeat(megabyte)}`],
    ['attributeValueChars', `<a b="${'x'.repeat(megabyte)}`],
    ['attributes', `<a${list(100_000, (i) => ` b${i}=""`)}`],
    ['depth', '<a>'.repeat(megabyte / 3)],
    ['elements', `<a>${'<b/>'.repeat(megabyte / 4)}`],
    ['namespaces', list(10_000, (i) => `<a${list(60, (j) => ` xmlns:p${i}_${j}="u"`)}>`)],
  ];
  for (const [limit, document] of hostile) {
    for (const split of [[megabyte], [1]]) {
      const { error, steps } = read(document.slice(0, 200_000), {
        limits: defineLimits({ elements: 10_000 }),
        split,
      });
      assert.equal(error?.limit, limit);
      assert.ok(steps < 500_000, `${limit}: ${steps} steps`);
      assert.ok(error.column < 140_000, `${limit}: ${error.message}`);
    }
  }
});

test('limits: zero, negative, fractional and unsafe values are refused, they never mean "none"', () => {
  for (const value of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60]) {
    assert.throws(() => defineLimits({ depth: value }), /depth must be a positive integer/);
  }
});
