import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { SOURCE_ARGUMENTS } from '../kit/source-process.ts';

const run = promisify(execFile);

/** The figures of a bench's shortest run, and its verdicts. They say nothing; that there are any says that it works. */
async function quick(bench: string): Promise<{ figures: unknown; verdicts: number }> {
  const { stdout } = await run(process.execPath, [
    ...SOURCE_ARGUMENTS,
    'bench/main.ts',
    bench,
    '--quick',
    '--json',
  ]);
  const { figures } = JSON.parse(stdout.trim().split('\n').at(-1)!);
  return { figures, verdicts: Array.from(stdout.matchAll(/^- (?:Met|Missed): /gm)).length };
}

describe('the benches of the XML reader', () => {
  it('show how time and memory grow, of each reader of the wire', async () => {
    const { figures, verdicts } = await quick('xml-growth');
    const readers = new Set((figures as { reader: string }[]).map(({ reader }) => reader));
    assert.deepEqual([...readers], ['XML', 'JSON', 'form']);
    assert.equal(verdicts, 3);
  });

  it('read documents beside libxml2', async () => {
    const { figures, verdicts } = await quick('xml-differential');
    const counts = figures as Record<string, number>;
    assert.equal(
      Object.values(counts).reduce((sum, count) => sum + count, 0),
      1_000,
    );
    assert.equal(counts.unexplained, undefined);
    assert.equal(verdicts, 1);
  });
});
