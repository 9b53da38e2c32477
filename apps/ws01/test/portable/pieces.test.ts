import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Cutter, type Piece } from '../../src/domain/portable/pieces.ts';

type Format = 'jsonl' | 'csv';
const START = { offset: 0, line: 1 };

/** The records of some bytes that come in pieces of their own. */
function cut(format: Format, chunks: readonly Uint8Array[], from = START, most = 1_000): Piece[] {
  const cutter = new Cutter(format, from, most);
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
});
