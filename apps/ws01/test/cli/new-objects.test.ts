import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What the space for new objects has grown to in a process that made many of them, as in calls; MB. */
async function grown(...options: readonly string[]): Promise<{ readonly held: number; readonly bound: number }> {
  const script = `
    import { getHeapSpaceStatistics } from 'node:v8';
    import { boundNewObjects, holdNewObjects } from ${JSON.stringify(import.meta.resolve('../../src/cli/serve/new-objects.ts'))};
    const kept = [];
    const fill = async (rounds) => {
      for (let round = 0; round < rounds; round++) {
        for (let made = 0; made < 10_000; made++) kept.push({ made, also: [made] });
        if (kept.length > 30_000) kept.splice(0, 10_000);
        await new Promise(setImmediate);
      }
    };
    const capacity = () => {
      const { space_used_size, space_available_size } = getHeapSpaceStatistics().find((one) => one.space_name === 'new_space');
      return Math.round((space_used_size + space_available_size) / 2 ** 20);
    };
    holdNewObjects();
    await fill(20);
    const held = capacity();
    boundNewObjects();
    for (let part = 0; part < 6 && capacity() <= 16; part++) await fill(150);
    console.log(JSON.stringify({ held, bound: capacity() }));`;
  const { stdout } = await run(process.execPath, [...options, '--input-type=module', '--eval', script]);
  return JSON.parse(stdout);
}

describe('the space for new objects', () => {
  it('stays small while the service starts, and grows to 16 MB with the calls', async () => {
    const { held, bound } = await grown();
    // V8 begins with one or two; on a machine of little memory it stops before 16.
    assert.ok(held <= 2 && bound > held && bound <= 16, `${held}, ${bound}`);
  });

  it('is what the operator sets', async () => {
    assert.ok((await grown('--max-semi-space-size=32')).bound > 16);
    assert.ok((await grown('--max_semi_space_size=4')).bound <= 4);
  });
});
