import assert from 'node:assert/strict';
import { it } from 'node:test';
import { time } from '../../src/time/index.ts';
import { bePatient, passLimits } from './steered-time.ts';

it('time goes on where patience leaves it: no deadline comes at once', (t) => {
  const { now } = performance;
  let at = performance.now();
  Object.assign(performance, { now: () => at });
  t.after(() => Object.assign(performance, { now }));
  for (let round = 0; round < 2; round++) {
    let beImpatient = () => {};
    const begun = time.steady();
    bePatient({
      after(restore) {
        beImpatient = restore;
      },
    });
    at += 10_000;
    assert.equal(Math.round(time.steady() - begun), 1_000);
    passLimits(500);
    assert.equal(Math.round(time.steady() - begun), 1_500);
    beImpatient();
    assert.equal(Math.round(time.steady() - begun), 1_500);
    at += 100;
    assert.equal(Math.round(time.steady() - begun), 1_600);
  }
});
