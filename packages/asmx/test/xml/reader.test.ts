import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DEFAULT_LIMITS } from '../../src/contract/limits.ts';
import {
  createXmlReader,
  XmlError,
  type XmlHandler,
  type XmlReader,
} from '../../src/xml/reader.ts';
import { family, seeds } from './kit/documents.ts';
import { pieces, type Reading, read } from './kit/reading.ts';

const nothing: XmlHandler = { open: () => 'text', text() {}, close() {} };
const reader = (handler: Partial<XmlHandler>) =>
  createXmlReader({ ...nothing, ...handler }, { limits: DEFAULT_LIMITS });
const document = '<e> <h a="1"><x>1</x></h> <b>t1<c>t2<d/></c>t3</b> </e>';

test('reader: elements mode reports child elements and no text', () => {
  assert.deepEqual(read(document, { take: () => 'elements' }).events, [
    ...['<e>', '<h a="1">', '<x>', '/', '/', '<b>', '<c>', '<d>', '/', '/', '/', '/'],
  ]);
});

test('reader: a tag behind a slash is no end tag, whatever its name ends with', () => {
  assert.deepEqual(read('<a>/<ba>/</ba></a>', { take: () => 'text' }).events, [
    ...['<a>', '/', '<ba>', '/', '/', '/'],
  ]);
});

test('reader: text mode reports text and child elements, each in its place', () => {
  const { events } = read(document, { take: ({ local }) => (local === 'b' ? 'text' : 'elements') });
  assert.deepEqual(events.slice(5), ['<b>', 't1', '<c>', '<d>', '/', '/', 't3', '/', '/']);
});

test('reader: skip mode reports the end tag and nothing inside, and still checks it', () => {
  const take = ({ local }: { local: string }) => (local === 'e' ? 'elements' : 'skip');
  assert.deepEqual(read(document, { take }).events, ['<e>', '<h a="1">', '/', '<b>', '/', '/']);
  assert.deepEqual(read('<a/>', { take: () => 'skip' }).events, ['<a>', '/']);
  for (const inside of [
    '<b>',
    '&foo;',
    '<p:b/>',
    '<b c="" c=""/>',
    '\u0001',
    ']]>',
    '<!DOCTYPE x>',
  ]) {
    assert.ok(read(`<e><s>${inside}</s></e>`, { take }).error !== undefined, inside);
  }
});

test('reader: text comes in one piece where it came in one, and in bounded pieces otherwise', () => {
  const texts: string[] = [];
  const made = reader({ text: (piece) => texts.push(piece) });
  made.push(Buffer.from('<a>1&lt;2<!-- --><![CDATA[3]]>4</a>'));
  assert.deepEqual(texts, ['1<234']);
  const large = reader({ text: (piece) => texts.push(piece) });
  large.push(Buffer.from(`<a>${'x'.repeat(1_000_000)}</a>`));
  large.end();
  assert.equal(texts.slice(1).join('').length, 1_000_000);
  assert.ok(texts.every((piece) => piece.length <= 65_536));
});

test('reader: while text is pushed it is handed on at once, not held until the end tag', () => {
  let received = 0;
  const made = reader({
    text: (piece) => {
      received += piece.length;
    },
  });
  made.push(Buffer.from('<a>'));
  for (let i = 1; i <= 100; i++) {
    made.push(Buffer.from('0123456789'));
    assert.equal(received, i * 10);
  }
});

test('reader: line and column follow the tokens', () => {
  const seen: string[] = [];
  const made = reader({
    open: ({ local }) => {
      seen.push(`${local} ${made.line}:${made.column}`);
      return 'text';
    },
    close: () => {
      seen.push(`/ ${made.line}:${made.column}`);
    },
  });
  for (const byte of Buffer.from('<?xml version="1.0"?>\r\n<a>\r  <b\n c=""/>中<c>\n</c></a>'))
    made.push(Uint8Array.of(byte));
  made.end();
  assert.deepEqual(seen, ['a 2:2', 'b 3:4', '/ 3:4', 'c 4:10', '/ 5:3', '/ 5:7']);
});

test('reader: the next token is where .NET has it: behind the tag, the name of the next tag or the text', () => {
  const seen: string[] = [];
  const made = reader({
    close: () => {
      seen.push(`${made.nextToken.line}:${made.nextToken.column}`);
    },
  });
  made.push(Buffer.from('<a><b>1</b><c/>\n</a>'));
  assert.deepEqual(seen, ['1:13', '1:16', '2:5']);
  seen.length = 0;
  const others = reader({
    close: () => {
      seen.push(`${others.nextToken.line}:${others.nextToken.column}`);
    },
  });
  others.push(Buffer.from('<a><b/><!--c--><b/><?p i?><b/><![CDATA[x]]></a>'));
  assert.deepEqual(seen, ['1:12', '1:22', '1:40', '1:48']);
});

test('reader: places are the same in whatever order they are asked for', () => {
  const placesOf = (ask: (made: XmlReader) => string[]): string[][] => {
    const seen: string[][] = [];
    const note = () => seen.push(ask(made).sort());
    const made = reader({
      open: () => {
        note();
        return 'text';
      },
      close: note,
    });
    for (const piece of pieces(
      Buffer.from('<a>\n<b\nc=""\n\n/>中\n<c>\n</c\n><d/><e>x</e></a>'),
      [9],
    ))
      made.push(piece);
    made.end();
    return seen;
  };
  const here = (made: XmlReader) => `here ${made.line}:${made.column}`;
  const next = (made: XmlReader) => `next ${made.nextToken.line}:${made.nextToken.column}`;
  const both = placesOf((made) => [here(made), next(made)]);
  assert.deepEqual(
    placesOf((made) => [next(made), here(made)]),
    both,
  );
  assert.deepEqual(
    placesOf((made) => [here(made)]),
    both.map(([first]) => [first!]),
  );
  assert.deepEqual(
    placesOf((made) => [next(made)]),
    both.map(([, second]) => [second!]),
  );
});

test('reader: what the handler wants does not change what is well-formed', () => {
  const modes: readonly NonNullable<Reading['take']>[] = [
    () => 'skip',
    () => 'elements',
    ({ local }) => (local < 'b' ? 'text' : 'skip'),
  ];
  fc.assert(
    fc.property(seeds, (seed) => {
      for (const document of family(seed, 5)) {
        const expected = read(document).error?.message;
        for (const take of modes) assert.equal(read(document, { take }).error?.message, expected);
      }
    }),
    { numRuns: 300 },
  );
});

test('reader: what the handler throws reaches the caller as it is, now and at every later call', () => {
  const failure = new Error('mine');
  const made = reader({
    open: () => {
      throw failure;
    },
  });
  assert.throws(
    () => made.push(Buffer.from('<a/>')),
    (error) => error === failure,
  );
  assert.throws(
    () => made.push(Buffer.from(' ')),
    (error) => error === failure,
  );
  assert.throws(
    () => made.end(),
    (error) => error === failure,
  );
});

test('reader: a refused document stays refused', () => {
  const made = reader({});
  assert.throws(() => made.push(Buffer.from('<a><')) ?? made.push(Buffer.from('<')), XmlError);
  assert.throws(() => made.push(Buffer.from('/a>')), XmlError);
  assert.throws(() => made.end(), XmlError);
});

test('reader: prefixes in values are resolved where the element stands, its own declarations included', () => {
  const met: (string | undefined)[][] = [];
  const open: XmlHandler['open'] = ({ namespaceOf }) => {
    met.push(['', 'p', 'q', 'xml'].map(namespaceOf));
    return 'elements';
  };
  reader({ open }).push(
    Buffer.from('<a xmlns="urn:1" xmlns:p="urn:p"><b xmlns="" xmlns:q="urn:q"/><c/></a>'),
  );
  const XML = 'http://www.w3.org/XML/1998/namespace';
  assert.deepEqual(met, [
    ['urn:1', 'urn:p', undefined, XML],
    ['', 'urn:p', 'urn:q', XML],
    ['urn:1', 'urn:p', undefined, XML],
  ]);
});

test('reader: readers may be used by turns, also from within a handler', () => {
  const log: string[] = [];
  const outer = reader({
    text: (piece) => {
      const inner = reader({ text: (text) => log.push(text) });
      inner.push(Buffer.from(`<i>${piece}!</i>`));
      inner.end();
      log.push(piece);
    },
  });
  outer.push(Buffer.from('<o>1</o>'));
  outer.end();
  assert.deepEqual(log, ['1!', '1']);
});

test('reader: pieces of any view of memory are read', () => {
  const whole = Buffer.from('..<a>中文</a>..');
  for (const made of [
    new Uint8Array(whole.buffer, whole.byteOffset + 2, whole.length - 4),
    whole.subarray(2, -2),
    Uint8Array.from(whole.subarray(2, -2)),
  ]) {
    assert.deepEqual(read(made).events, ['<a>', '中文', '/']);
  }
});
