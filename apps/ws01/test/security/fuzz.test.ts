// alone: V8 counts what all code of a process does, and tells of all of it each time
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Coverage } from '../../../../fuzz/kit/coverage.ts';
import { Finding, fuzz, readCorpus } from '../../../../fuzz/kit/fuzzer.ts';
import { TARGETS } from '../../../../fuzz/targets/index.ts';
import { parseInt32 } from '../../../../packages/asmx/src/lexical/numbers.ts';
import { runs } from '../../../../packages/asmx/test/kit/random.ts';

/** Beside all that is kept. */
const CHANGED = runs(64);
const SEED = 20261122;

describe('readers over what fuzzing has kept of them, and some more', () => {
  for (const target of TARGETS) {
    it(`${target.name}: ${target.summary}`, async () => {
      const kept = await readCorpus(target.name);
      assert.ok(kept.length > 0, 'fuzz/corpus has inputs of it');
      const least = kept.length + target.seeds.length + CHANGED;
      const { executions } = await fuzz(target, {
        executions: least,
        seed: SEED,
        judgeTime: false,
      });
      assert.ok(executions >= least);
    });
  }
});

describe('the fuzzer', () => {
  it('finds what does not hold behind several steps, each of which runs something new', async () => {
    const run = (input: Buffer) => {
      const text = input.toString('latin1');
      let number = 0;
      try {
        number = parseInt32(text);
      } catch {
        return;
      }
      assert.ok(number > -20);
    };
    const planted = { name: 'planted', summary: '', seeds: ['x'], tokens: ['-', '1', '9'], run };
    const found = await fuzz(planted, { executions: 200_000, seed: SEED, judgeTime: false }).catch(
      (error) => error,
    );
    assert.ok(found instanceof Finding, 'found');
    assert.match(found.input.toString('latin1'), /-[0-9]{2}/);
  });

  it('counts what has been run, exactly and once', () => {
    const coverage = new Coverage();
    coverage.start();
    try {
      parseInt32('12');
      assert.ok(coverage.take() > 0);
      parseInt32('34');
      assert.equal(coverage.take(), 0);
      assert.throws(() => parseInt32('x'));
      const refusing = coverage.take();
      assert.ok(refusing > 0);
      coverage.undo();
      assert.throws(() => parseInt32('y'));
      assert.equal(coverage.take(), refusing);
    } finally {
      coverage.stop();
    }
  });
});
