import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Cutter, type Piece } from '../../src/domain/portable/pieces.ts';
import { inUtf8, type Utf16 } from '../../src/domain/portable/utf16.ts';

type Format = 'jsonl' | 'csv';
const START = { offset: 0, line: 1 };

/** The records of some bytes that come in pieces of their own. */
function cut(format: Format, chunks: readonly Uint8Array[], from = START): Piece[] {
  const cutter = new Cutter({ format, utf16: undefined }, from, 1_000);
  const pieces = chunks.flatMap((chunk) => cutter.push(Buffer.from(chunk)));
  return [...pieces, ...cutter.end()];
}

const shown = ({ line, end, bytes, problem }: Piece) => [
  line,
  end,
  bytes.toString('latin1'),
  problem,
];

/** What files are made of that matters here. */
const bytes = fc
  .array(fc.constantFrom('a', '"', '""', ',', '\n', '\r\n', '\r', '二', '{}', 'x'.repeat(30)), {
    maxLength: 40,
  })
  .map((parts) => Buffer.from(parts.join('')));
const format = fc.constantFrom<Format>('jsonl', 'csv');

describe('cutting a file into records', () => {
  it('comes to the same however the bytes arrive', () => {
    fc.assert(
      fc.property(format, bytes, fc.array(fc.nat(100)), (kind, file, cuts) => {
        const places = [
          0,
          ...cuts.map((place) => Math.min(place, file.length)),
          file.length,
        ].toSorted((a, b) => a - b);
        const chunks = places.slice(1).map((end, at) => file.subarray(places[at], end));
        assert.deepEqual(cut(kind, chunks).map(shown), cut(kind, [file]).map(shown));
      }),
    );
  });

  it('goes on behind any record as if it had never ended', () => {
    fc.assert(
      fc.property(format, bytes, fc.nat(40), (kind, file, place) => {
        const all = cut(kind, [file]);
        const taken = all.slice(0, place);
        const last = taken.at(-1);
        const from = last === undefined ? START : { offset: last.end, line: last.nextLine };
        const rest = cut(kind, [file.subarray(from.offset)], from);
        assert.deepEqual([...taken, ...rest].map(shown), all.map(shown));
      }),
    );
  });

  it('leaves no byte out', () => {
    fc.assert(
      fc.property(format, bytes, (kind, file) => {
        const all = cut(kind, [file]);
        assert.equal(all.at(-1)?.end ?? 0, file.length);
        assert.equal(all.at(-1)?.nextLine ?? 1, 1 + file.toString('latin1').split('\n').length - 1);
      }),
    );
  });

  it('bounds a record, gives its first line up and reads on behind it', () => {
    const long = `a,"${'x'.repeat(2_000)}\nb,c\nd,e\n`;
    const problems = cut('csv', [Buffer.from(long)]).map(({ line, bytes, problem }) => [
      line,
      bytes.length,
      problem,
    ]);
    assert.deepEqual(problems, [
      [1, 2_003, 'is longer than a record may be'],
      [2, 3, undefined],
      [3, 3, undefined],
    ]);
    const most = (length: number) =>
      cut('jsonl', [Buffer.from(`${'x'.repeat(length)}`), Buffer.from('\n')])[0]!.problem;
    assert.deepEqual([most(1_000), most(1_001)], [undefined, 'is longer than a record may be']);
  });

  it('finds the same records in UTF-16, and where each ends in the file', async () => {
    const texts = fc.array(
      fc.constantFrom('a', '"', ',', '\n', '\r\n', '二', '😀', '\ud83d', '\ude00'),
      { maxLength: 40 },
    );
    const orders = fc.constantFrom<Utf16>('utf-16le', 'utf-16be');
    await fc.assert(
      fc.asyncProperty(format, texts, orders, fc.integer({ min: 1, max: 7 }), async (...of) => {
        const [kind, parts, order, size] = of;
        const file = inUtf16(parts.join(''), order);
        const pieces = await cutUtf16(kind, file, order, size);
        assert.equal(pieces.at(-1)?.end ?? 0, file.length);
        for (const [at, { end, nextLine }] of pieces.entries()) {
          const rest = file.subarray(end);
          const from = { offset: end, line: nextLine };
          const again = await cutUtf16(kind, rest, order, size, from);
          assert.deepEqual(again.map(shown), pieces.slice(at + 1).map(shown));
        }
        const isWhole = pieces.every(({ bytes }) => !bytes.includes(0xff));
        assert.equal(isWhole, parts.join('').isWellFormed());
      }),
      // A high surrogate before a whole pair, cut in the middle.
      { examples: [['jsonl', ['\n', 'a', '\ud83d', '😀'], 'utf-16le', 3]] },
    );
  });
});

function inUtf16(text: string, order: Utf16): Buffer {
  const bytes = Buffer.from(text, 'utf16le');
  return order === 'utf-16be' ? bytes.swap16() : bytes;
}

async function cutUtf16(
  format: Format,
  file: Buffer,
  utf16: Utf16,
  size: number,
  from = START,
): Promise<Piece[]> {
  const cutter = new Cutter({ format, utf16 }, from);
  const chunks = Array.from({ length: Math.ceil(file.length / size) }, (_, at) =>
    file.subarray(at * size, (at + 1) * size),
  );
  const pieces: Piece[] = [];
  for await (const chunk of inUtf8(Readable.from(chunks), utf16))
    pieces.push(...cutter.push(chunk));
  return [...pieces, ...cutter.end()];
}
