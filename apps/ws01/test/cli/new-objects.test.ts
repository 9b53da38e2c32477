import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The size of the space for new objects in a process that makes many of them, as in calls; MB. */
interface Sizes {
  readonly begun: number;
  readonly held: number;
  readonly bound: number;
}

async function grown(...options: readonly string[]): Promise<Sizes> {
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
    // A collection may hold more for a moment, so the least of some readings is the size.
    const settled = async () => {
      let least = Infinity;
      for (let reading = 0; reading < 10; reading++) {
        await fill(1);
        least = Math.min(least, capacity());
      }
      return least;
    };
    const begun = capacity();
    holdNewObjects();
    await fill(20);
    const held = await settled();
    boundNewObjects();
    for (let part = 0; part < 6 && capacity() <= 16; part++) await fill(150);
    console.log(JSON.stringify({ begun, held, bound: await settled() }));`;
  const { stdout } = await run(process.execPath, [
    ...options,
    '--input-type=module',
    '--eval',
    script,
  ]);
  return JSON.parse(stdout);
}

describe('the space for new objects', () => {
  it('stays small while the service starts, and grows to 16 MB with the calls', async () => {
    const { begun, held, bound } = await grown();
    // On a machine of little memory it stops before 16.
    assert.ok(held <= begun && bound > held && bound <= 16, `${begun}, ${held}, ${bound}`);
  });

  it('is what the operator sets', async () => {
    assert.ok((await grown('--max-semi-space-size=32')).bound > 16);
    assert.ok((await grown('--max_semi_space_size=4')).bound <= 4);
  });
});
