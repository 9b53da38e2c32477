import assert from 'node:assert/strict';
import { it } from 'node:test';
import { BrokenPromise, simulate } from './simulate.ts';

/** Of the worlds that are lived in here; `npm run simulate` lives in others. */
const SEED = 20_261_122;
const DAYS = 50;

it(`${DAYS} simulated days of failing clocks, network and database keep every promise`, async () => {
  let lived = 0;
  await simulate(DAYS, SEED, ({ days }) => {
    lived += days;
  });
  assert.equal(lived, DAYS);
});

it('a promise that is broken is told with the seed that shows it again, which it does', async () => {
  const broken = () => simulate(25, SEED, undefined, { codesLiveMs: 30_000 });
  const first = await broken().catch((error: unknown) => error);
  assert.ok(first instanceof BrokenPromise);
  assert.match(
    first.message,
    /a code was right after \d+ ms\nnpm run simulate -- --seed \d+ --days \d+$/,
  );
  const again = await broken().catch((error: unknown) => error);
  assert.equal((again as Error).message, first.message);
});
