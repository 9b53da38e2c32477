import assert from 'node:assert/strict';
import { it } from 'node:test';
import { backupLateness } from '../../src/domain/backup/lateness.ts';
import type { BackupManifest } from '../../src/domain/backup/manifest.ts';
import { backupState, beginRecord, endRecord, isDue } from '../../src/domain/backup/records.ts';
import { forBothEngines, forEachEngine } from '../kit/database.ts';

const HOUR = 60 * 60_000;
const SLOT = Date.UTC(2026, 10, 23, 3);

forEachEngine((_engine, fresh) => {
  it('a scheduled backup is made once: again an hour after it failed, or a day after one that did not end', async (t) => {
    const store = await (await fresh(t)).open();
    const begin = (now: number) =>
      beginRecord(store, { slot: SLOT, target: '/backups', name: 'one', now });
    assert.equal(await isDue(store, SLOT, SLOT), true);
    assert.notEqual(await begin(SLOT), undefined);

    const dayLater = SLOT + 24 * HOUR;
    assert.deepEqual(
      [await isDue(store, SLOT, dayLater - 1), await begin(dayLater - 1)],
      [false, undefined],
    );
    assert.equal(await isDue(store, SLOT, dayLater), true);
    const second = await begin(dayLater);
    assert.notEqual(second, undefined);

    await endRecord(store, second!.id, 'The disk is full.', dayLater + 1);
    const hourLater = dayLater + HOUR;
    assert.deepEqual(
      [await isDue(store, SLOT, hourLater - 1), await begin(hourLater - 1)],
      [false, undefined],
    );
    assert.equal(await isDue(store, SLOT, hourLater), true);
    const third = await begin(hourLater);
    assert.notEqual(third, undefined);

    const manifest: BackupManifest = {
      ...{ format: 1, engine: 'sqlite', madeAt: hourLater, rows: {}, images: undefined },
      database: { file: 'ws01.sqlite', bytes: 1, sha256: '' },
      verified: { at: hourLater + 1, by: 'restored' },
    };
    await endRecord(store, third!.id, manifest, hourLater + 1);
    const yearLater = SLOT + 365 * 24 * HOUR;
    assert.deepEqual(
      [await isDue(store, SLOT, yearLater), await begin(yearLater)],
      [false, undefined],
    );
  });

  it('what a clock ten years ahead recorded is not the newest once it is set back', async (t) => {
    const store = await (await fresh(t)).open();
    for (const now of [SLOT, SLOT + 3_650 * 24 * HOUR]) {
      const begun = await beginRecord(store, {
        slot: now,
        target: '/backups',
        name: `${now}`,
        now,
      });
      const rest = { rows: {}, images: undefined, verified: { at: now, by: 'read' } } as const;
      const database = { file: 'ws01.sqlite', bytes: 1, sha256: '' };
      const made = { format: 1, engine: 'sqlite', madeAt: now, database, ...rest } as const;
      await endRecord(store, begun!.id, made, now);
    }
    const twoDays = SLOT + 48 * HOUR;
    const state = await store.read((db) => backupState(db, twoDays));
    assert.deepEqual([state.last?.name, state.lastGood?.name], [`${SLOT}`, `${SLOT}`]);
    const schedule = { kind: 'every', ms: 24 * HOUR } as const;
    assert.equal(backupLateness(state, schedule, twoDays), 'late');
  });
});

forBothEngines((_engine, fresh) => {
  it('backups that many processes begin in one second have a name each', async (t) => {
    const database = await fresh(t);
    const stores = await Promise.all(Array.from({ length: 4 }, () => database.open()));
    const asked = { slot: null, target: '/backups', name: undefined, now: SLOT + 400 };
    const begun = await Promise.all(
      [...stores, ...stores].map((store) => beginRecord(store, asked)),
    );
    const seconds = Array.from({ length: 8 }, (_, second) => `ws01-20261123T03000${second}Z`);
    assert.deepEqual(begun.map((one) => one!.name).toSorted(), seconds);
  });
});
