import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Random } from '../../../../packages/asmx/test/kit/random.ts';
import { differencesOf, type Hunk } from '../../src/api/differences.ts';

/** A text again, of the runs that it has. */
function textOf(hunks: readonly Hunk[], without: Hunk['kind']): string | undefined {
  const own = hunks.filter(({ kind }) => kind !== without).map(({ text }) => text);
  return own.length === 0 ? undefined : own.join('\n');
}

function assertRight(before: string, after: string): ReturnType<typeof differencesOf> {
  const found = differencesOf(before, after);
  assert.equal(textOf(found.hunks, 'added'), before);
  assert.equal(textOf(found.hunks, 'removed'), after);
  for (const [at, { kind }] of found.hunks.entries())
    assert.notEqual(kind, found.hunks[at + 1]?.kind);
  return found;
}

describe('how one text became another', () => {
  test('line by line, with the longest common lines', () => {
    const hunk = (kind: Hunk['kind'], text: string) => ({ kind, text });
    const found = (before: string, after: string) => assertRight(before, after).hunks;
    assert.deepEqual(found('a', 'a'), [hunk('same', 'a')]);
    assert.deepEqual(found('', 'a'), [hunk('removed', ''), hunk('added', 'a')]);
    assert.deepEqual(found('a\nb\nc', 'a\nc'), [
      hunk('same', 'a'),
      hunk('removed', 'b'),
      hunk('same', 'c'),
    ]);
    assert.deepEqual(found('a\n', 'a\nb'), [
      hunk('same', 'a'),
      hunk('removed', ''),
      hunk('added', 'b'),
    ]);
    assert.deepEqual(found('ab', 'b'), [hunk('removed', 'ab'), hunk('added', 'b')]);
    assert.deepEqual(found('a\nx\nb\ny\nc', 'a\nb\nz\nc'), [
      ...[
        hunk('same', 'a'),
        hunk('removed', 'x'),
        hunk('same', 'b'),
        hunk('removed', 'y'),
        hunk('added', 'z'),
      ],
      hunk('same', 'c'),
    ]);
  });

  test('whatever the texts are, both come back from it', () => {
    const random = new Random(37);
    const pieces = ['a', 'b', '', '\n', '\n', '\n\n', 'a\n', 'é', '\ud83d', '\r\n', 'ab'];
    for (let round = 0; round < 5_000; round++) {
      const some = () => Array.from({ length: random.below(9) }, () => random.of(pieces)).join('');
      assertRight(some(), some());
    }
  });

  test('where each byte is a line, nothing is made of the lines, and it is said', () => {
    const lines = '\n'.repeat(1_999_999);
    const others = 'a\n'.repeat(999_999);
    for (const [before, after] of [
      [lines, others],
      [others, lines],
      [`x\n${lines}`, `x\ny\n${others}`],
      [`a\n${'b\n'.repeat(999_990)}`, `b\n${'a\n'.repeat(999_990)}`],
      ['x', lines],
    ] as const) {
      const { hunks, isShortened } = assertRight(before, after);
      assert.deepEqual([isShortened, hunks.length <= 4], [true, true]);
    }
    // Added or removed alone, there is nothing to compare.
    assert.equal(assertRight('x\ny', `x\n${lines}y`).isShortened, false);
  });

  test('long lines that are alike to their ends are compared by their numbers', () => {
    const line = 'x'.repeat(2_000);
    const before = Array.from({ length: 999 }, (_, at) => `${line}${at % 7}`);
    const after = Array.from({ length: 999 }, (_, at) => `${line}${(at * 3) % 11}`);
    assert.equal(assertRight(before.join('\n'), after.join('\n')).isShortened, false);
    assert.equal(
      assertRight([...before, 'a'].join('\n'), ['b', ...after, 'c', 'd'].join('\n')).isShortened,
      true,
    );
  });
});
