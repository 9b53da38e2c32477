import assert from 'node:assert/strict';
import { it } from 'node:test';
import { HOUR_MS } from '@ws01/asmx/time';
import { createSteadyClock } from '../../src/domain/shared/steady-clock.ts';

it('two processes agree on the time after the clock of their machine was set back, whenever each read it last', () => {
  let steady = 0;
  let set = 0;
  const sources = { wall: () => Date.UTC(2031) + steady + set, steady: () => steady };
  const [often, seldom] = [createSteadyClock(sources), createSteadyClock(sources)];
  steady += 10 * HOUR_MS;
  often();
  set -= HOUR_MS;
  assert.equal(often(), seldom());
  assert.ok(often.isAhead() && seldom.isAhead());
  steady += HOUR_MS;
  assert.equal(often(), seldom());
  // A thousandth slower, from when it was found.
  assert.equal(often() - sources.wall(), HOUR_MS - HOUR_MS / 1_000);
});
