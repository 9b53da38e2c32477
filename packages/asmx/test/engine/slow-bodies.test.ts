import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Arrivals } from '../../src/exchange/intake/arrivals.ts';
import { DEFAULT_LIMITS } from '../../src/index.ts';
import { steerTime } from '../kit/steered-time.ts';

test('a body that comes without haste is not slow, however long it takes; one below minBodyRate is, after bodyGraceMs', (t) => {
  const { pass } = steerTime(t);
  const limits = { ...DEFAULT_LIMITS, bodyGraceMs: 10_000, minBodyRate: 1_000, slowBodies: 0 };
  const arrivals = new Arrivals(limits);
  const stopped: string[] = [];
  const begin = (name: string) => arrivals.begin(() => stopped.push(name));
  const rates = { quick: 1_500, slow: 900 };
  const clients = Object.entries(rates).map(([name, rate]) => ({ arrival: begin(name), rate }));
  t.after(() => clients.forEach(({ arrival }) => void arrival.end()));
  const seconds = (count: number) => {
    for (let second = 0; second < count; second++) {
      for (const { arrival } of clients) arrival.waits();
      pass(1_000);
      for (const { arrival, rate } of clients) arrival.came(rate);
    }
  };
  seconds(9);
  assert.deepEqual(stopped, []);
  seconds(60);
  assert.deepEqual(stopped, ['slow']);
});
