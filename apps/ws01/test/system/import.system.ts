/**
 * `npm run test:system -- import`: what `npm test` shows small, in full. An old service of a million articles and ten
 * thousand images moves by the plan of docs/migration.md, and the time of each step is printed; imports are killed at 20
 * points on both engines.
 */
import { it } from 'node:test';
import { forEachEngine } from '../kit/database.ts';
import { showResumption } from '../kit/interrupted-import.ts';
import { showMove } from '../kit/moving.ts';

const MILLION = 1_000_000;

it('a million articles and ten thousand images move', async (t) => {
  await showMove(t, { articles: MILLION, images: 10_000, writes: 1_000 }, (step, ms, cpu) => {
    const seconds = (time: number, of: string) =>
      Number.isNaN(time)
        ? ''
        : `, ${(time / 1000).toFixed(1)} s ${of}${/import/.test(step) ? ` (${Math.round(MILLION / (time / 1000))} articles a second)` : ''}`;
    console.log(`${step}${seconds(ms, 'by the clock')}${seconds(cpu, 'of CPU')}`);
  });
});

forEachEngine((_engine, fresh) => {
  it('an import that is killed at 20 points comes to what one comes to that nothing interrupts', async (t) => {
    const killed = await showResumption(t, await fresh(t), 20, 4_000);
    console.log(`killed ${killed} times`);
  });
});
