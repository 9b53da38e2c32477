import { it } from 'node:test';
import { BY_NIGHT } from '../../../../packages/asmx/test/kit/lane.ts';
import { forEachEngine } from '../kit/database.ts';
import { showResumption } from '../kit/interrupted-import.ts';

/** `npm run test:system -- import` does it at 20 points. */
const KILLS = BY_NIGHT ? 3 : 2;

forEachEngine((_engine, fresh) => {
  it(`an import that is killed ${KILLS} times and resumed comes to what one comes to that nothing interrupts`, async (t) => {
    await showResumption(t, () => fresh(t), KILLS, 400);
  });
});
