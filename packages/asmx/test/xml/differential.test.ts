import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compare, EXPLANATIONS } from './kit/differential.ts';
import { family, seeds } from './kit/documents.ts';
import { pieces, read, summary, toBytes } from './kit/reading.ts';

test('differential: 10,000 documents, most of them broken, are read as libxml2 reads them, or the difference is explained', (t) => {
  const counts = new Map<string, number>();
  fc.assert(
    fc.property(seeds, (seed) => {
      for (const document of family(seed, 20)) {
        const outcome = compare(document);
        counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
      }
    }),
    { numRuns: 500 },
  );
  for (const [outcome, count] of counts) t.diagnostic(`${count}: ${outcome}`);
  assert.ok(counts.get('agreed')! > 9_000);
});

test('differential: each explanation is needed, and the reader is as it says', () => {
  const documents = [
    '<!DOCTYPE a><a/>',
    '<?xml version="1.1"?><a/>',
    '<?xml version="1."?><a/>',
    '\ufeff<?xml version="1.0" encoding="klingon"?><a/>',
    `<a${' xmlns:xml="http://www.w3.org/XML/1998/namespace"'.repeat(2)}/>`,
    '<a xmlns:p="a b"/>',
    '<a b="&#x00000000fffd;"/>',
    '<a>&#xD83D;&#xDE00;</a>',
  ];
  const outcomes = documents.map((document) => compare(toBytes(document)));
  assert.deepEqual(new Set(outcomes), new Set(EXPLANATIONS.map(({ reason }) => reason)));
});

test('differential: a document with two reasons to disagree is explained by both', () => {
  const document = '<a xmlns:p="a b" c="&#xD83D;&#xDE00;">&#x00000000fffd;</a>';
  assert.match(compare(toBytes(document)), /what a namespace name looks like/);
});

test('differential: names, values and texts are compared, those too that libxml2 would not write as they were', () => {
  const documents = [
    '<a xmlns:p="urn:&amp;&apos;" p:b="&amp;"><p:c/>x<!---->y<![CDATA[z]]></a>',
    '<a xmlns="relative"><b xmlns=""/><?p?></a>',
    '<a b=" &#10; "> &#13; </a>',
  ];
  for (const document of documents) assert.equal(compare(toBytes(document)), 'agreed');
});

test('differential: however a document is split, the reports and the error with its place are the same', () => {
  fc.assert(
    fc.property(
      seeds,
      fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 30 }),
      (seed, split) => {
        for (const document of family(seed, 5)) {
          const whole = summary(read(document));
          assert.equal(summary(read(document, { split })), whole);
          assert.equal(summary(read(document, { split: [1] })), whole);
          assert.equal(
            [...pieces(document, split)].reduce((sum, piece) => sum + piece.length, 0),
            document.length,
          );
        }
      },
    ),
    { numRuns: 300 },
  );
});
