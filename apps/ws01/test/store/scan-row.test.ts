import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ScanRow } from '../../src/store/sqlite/scan-row.ts';

/** Scans that end when they are told to, in the order in which they began. */
function heldScans() {
  const began: string[] = [];
  const ends: (() => void)[] = [];
  const scan = (whose: string) => () => {
    began.push(whose);
    return new Promise<void>((end) => ends.push(end));
  };
  return { began, scan, end: () => ends.shift()?.() };
}

it('who asks takes turns, however much one asks for', async () => {
  const row = new ScanRow();
  const { began, scan, end } = heldScans();
  const all = ['a', 'a', 'a', 'a', 'a', 'b', 'c'].map((whose) => row.run(whose, scan(whose)));
  for (let ended = 0; ended < all.length; ended++) {
    end();
    await nextTurn();
  }
  await Promise.all(all);
  assert.deepEqual(began, ['a', 'a', 'a', 'b', 'c', 'a', 'a']);
});

it('one has half of the places, and the next one half of the rest; more is busy', async () => {
  const row = new ScanRow();
  const { began, scan, end } = heldScans();
  const all: Promise<void>[] = [];
  const most = async (whose: string): Promise<number> => {
    for (let taken = 0; ; taken++) {
      const running = row.run(whose, scan(whose));
      const refused = await Promise.race([running.catch((error) => error), nextTurn()]);
      if (refused === undefined) all.push(running);
      else {
        assert.equal((refused as { kind?: string }).kind, 'busy');
        return taken;
      }
    }
  };
  assert.equal(await most('a'), 2 + 50);
  assert.equal(await most('b'), 25);
  assert.ok((await most('c')) >= 12);
  while (began.length < all.length) {
    end();
    await nextTurn();
  }
  end();
  end();
  await Promise.all(all);
});
