// alone: V8 counts what all code of a process does, and tells of all of it each time
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Coverage } from '../../../../fuzz/kit/coverage.ts';
import type { Target as Reader } from '../../../../fuzz/kit/target.ts';
import { TARGETS } from '../../../../fuzz/targets/index.ts';
import {
  assertProportional,
  noteGrowth,
  TABLE_WANTED,
} from '../../../../packages/asmx/test/kit/growth.ts';
import { differencesOf } from '../../src/api/differences.ts';

/** Bytes. Quadratic work is sixty million steps. */
const COUNTED = 8_000;
/** Parts of it that are counted too when a table is wanted: each count takes longer than what it counts. */
const LESS = TABLE_WANTED ? [COUNTED / 4, COUNTED / 2] : [];
/** Blocks of our code that are entered for a byte, at most; the dearest reader takes half of it. */
const MOST_STEPS = 64;
/** Those entered besides, whatever the input. */
const BESIDE = 50_000;
/** A million pairs of lines are compared with each other, whatever the texts. */
const PAIRS_BESIDE = 1_100_000;
/** Bytes; for what the machine does in one step of ours. */
const TIMED = 50_000;

/** Each of a reader's words and examples again and again, in the middle of an example of its own. */
function inputsOf({ seeds, tokens }: Reader): readonly (readonly [string, Maker])[] {
  const [first = ''] = seeds;
  const example = Buffer.from(first as string);
  const middle = example.length >> 1;
  return [...new Set([...tokens, ...seeds])]
    .map((piece) => Buffer.from(piece as string))
    .filter(({ length }) => length > 0)
    .map((piece) => [
      JSON.stringify(piece.toString('latin1').slice(0, 40)),
      (size) =>
        Buffer.concat([
          example.subarray(0, middle),
          Buffer.alloc(Math.ceil(size / piece.length) * piece.length, piece),
          example.subarray(middle),
        ]),
    ]);
}
type Maker = (size: number) => Buffer;

/** What the tests of a suite take is counted. */
function counting(): Coverage {
  const coverage = new Coverage();
  before(() => coverage.start());
  after(() => coverage.stop());
  return coverage;
}

/**
 * Asserts that our code takes no more than so many steps for a byte. They are counted, not timed, so each run and
 * machine finds the same.
 */
async function assertCounted(
  coverage: Coverage,
  work: (size: number) => unknown,
  what: string,
  beside = BESIDE,
): Promise<void> {
  const all: number[] = [];
  for (const size of [...LESS, COUNTED]) {
    await work(size);
    const steps = coverage.takeWork();
    assert.ok(steps <= MOST_STEPS * size + beside, `${what}: ${steps} steps for ${size} bytes`);
    all.push(steps);
  }
  noteGrowth('steps', what, all);
}

describe('growth: readers take steps in proportion to what they read', () => {
  const coverage = counting();
  for (const reader of TARGETS) {
    it(`${reader.name}: ${reader.summary}`, async () => {
      for (const [what, make] of inputsOf(reader))
        await assertCounted(coverage, (size) => reader.run(make(size)), `${reader.name}: ${what}`);
    });
  }
});

describe('growth: readers take time in proportion to what they read', () => {
  for (const reader of TARGETS) {
    it(`${reader.name}: ${reader.summary}`, async () => {
      for (const [what, make] of inputsOf({ ...reader, tokens: [] }))
        await assertProportional(
          (size) => reader.run(make(size)),
          TIMED,
          `${reader.name}: ${what}`,
        );
    });
  }
});

/** Texts of so many lines, in pairs: more lines than are compared with each other, and fewer. */
const TEXTS: Readonly<Record<string, (lines: number) => string>> = {
  'empty lines': (n) => '\n'.repeat(n),
  'one line': (n) => 'ab'.repeat(n),
  'the same line': (n) => 'a\n'.repeat(n),
  'two lines in turn': (n) => 'a\nb\n'.repeat(n / 2),
  'lines that differ': (n) => Array.from({ length: n }, (_, at) => at).join('\n'),
  'the same backwards': (n) => Array.from({ length: n }, (_, at) => n - at).join('\n'),
  'the first one last': (n) => Array.from({ length: n }, (_, at) => (at + 1) % n).join('\n'),
  'carriage returns': (n) => 'a\r'.repeat(n),
  'long lines that end otherwise': (n) =>
    Array.from({ length: n / 100 }, (_, at) => `${'x'.repeat(200)}${at % 7}`).join('\n'),
};

/** Each with each other one. */
const PAIRS = Object.entries(TEXTS).flatMap(([one, before]) =>
  Object.entries(TEXTS).map(
    ([other, after]) =>
      [
        `diff: ${one}, ${other}`,
        (size: number) => differencesOf(before(size), after(size)),
      ] as const,
  ),
);

describe('growth: differences between texts', () => {
  describe('in steps', () => {
    const coverage = counting();
    it('each text and each other one', async () => {
      for (const [what, work] of PAIRS) await assertCounted(coverage, work, what, PAIRS_BESIDE);
    });
  });
  it('in time', async () => {
    for (const [what, work] of PAIRS) await assertProportional(work, 200_000, what);
  });
});
