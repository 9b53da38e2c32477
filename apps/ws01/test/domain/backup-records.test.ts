import assert from 'node:assert/strict';
import { it } from 'node:test';
import { DAY_MS, HOUR_MS } from '@ws01/asmx/time';
import { backupLateness } from '../../src/domain/backup/lateness.ts';
import type { BackupManifest } from '../../src/domain/backup/manifest.ts';
import {
  backupState,
  beginCheck,
  beginRecord,
  endCheck,
  endRecord,
  isDue,
  tellProgress,
} from '../../src/domain/backup/records.ts';
import { BACKUPS, LEASE_MS } from '../../src/records/backups.ts';
import type { Store } from '../../src/store/store.ts';
import type { BackupVerdict } from '../../src/store/tables/tables.ts';
import { forBothEngines, forEachEngine } from '../kit/database.ts';

const SLOT = Date.UTC(2026, 10, 23, 3);

forEachEngine((_engine, fresh) => {
  it('a scheduled backup is made once: again an hour after one that failed or was interrupted', async (t) => {
    const store = await (await fresh(t)).open();
    const begin = (now: number) =>
      beginRecord(store, { slot: SLOT, target: '/backups', name: 'one', now });
    assert.equal(await isDue(store, SLOT, SLOT), true);
    assert.notEqual(await begin(SLOT), undefined);

    const later = SLOT + HOUR_MS;
    assert.deepEqual(
      [await isDue(store, SLOT, later - 1), await begin(later - 1)],
      [false, undefined],
    );
    assert.equal(await isDue(store, SLOT, later), true);
    const second = await begin(later);
    assert.notEqual(second, undefined);
    // One that goes on is left alone, however long it takes.
    const dayLater = later + DAY_MS;
    await tellProgress(store, second!.id, { step: 'images', done: 1, total: 2 }, dayLater);
    const lapsed = dayLater + LEASE_MS;
    assert.deepEqual(
      [await isDue(store, SLOT, lapsed - 1), await begin(lapsed - 1)],
      [false, undefined],
    );
    assert.equal(await isDue(store, SLOT, lapsed), true);

    await endRecord(store, second!.id, 'The disk is full.', later + 1);
    const hourLater = later + HOUR_MS;
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
    const yearLater = SLOT + 365 * DAY_MS;
    assert.deepEqual(
      [await isDue(store, SLOT, yearLater), await begin(yearLater)],
      [false, undefined],
    );
  });

  it('what a clock ten years ahead recorded is not the newest once it is set back', async (t) => {
    const store = await (await fresh(t)).open();
    for (const now of [SLOT, SLOT + 3_650 * DAY_MS]) {
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
    const twoDays = SLOT + 48 * HOUR_MS;
    const state = await store.read((db) => backupState(db, twoDays));
    assert.deepEqual([state.last?.name, state.lastGood?.name], [`${SLOT}`, `${SLOT}`]);
    const schedule = { kind: 'every', ms: DAY_MS } as const;
    assert.equal(backupLateness(state, schedule, twoDays), 'late');
  });
});

const MANIFEST: BackupManifest = {
  ...{ format: 1, engine: 'sqlite', madeAt: SLOT, rows: {}, images: undefined },
  database: { file: 'ws01.sqlite', bytes: 1, sha256: '' },
  verified: { at: SLOT, by: 'restored' },
};

/** What answers say of a backup at a time. */
async function saidOf(store: Store, id: string, now: number) {
  const row = await store.read((db) =>
    db.selectFrom('backups').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
  );
  const { state, check, step } = BACKUPS.members;
  const shown = { now, baseUrl: '', shortBaseUrl: '' };
  return [state.of!(row, shown), check.of!(row, shown), step.of!(row, shown)];
}

forBothEngines((_engine, fresh) => {
  it('a backup whose process was killed is interrupted a minute later, and so is a check', async (t) => {
    const store = await (await fresh(t)).open();
    const asked = { slot: null, target: '/backups', name: undefined, now: SLOT };
    const { id } = (await beginRecord(store, asked))!;
    await tellProgress(store, id, { step: 'images', done: 1, total: 2 }, SLOT + 5);
    const lapsed = SLOT + 5 + LEASE_MS;
    assert.deepEqual(await saidOf(store, id, lapsed - 1), ['running', null, 'images']);
    assert.deepEqual(await saidOf(store, id, lapsed), ['interrupted', null, null]);

    const begin = (now: number) => store.write((tx) => beginCheck(tx, { id, by: 'ada', now }));
    await assert.rejects(begin(SLOT), /never whole/);
    await endRecord(store, id, MANIFEST, SLOT + 6);
    const killed = await begin(SLOT);
    const left = SLOT + LEASE_MS;
    assert.deepEqual(await saidOf(store, id, left - 1), ['verified', 'running', null]);
    assert.deepEqual(await saidOf(store, id, left), ['verified', 'interrupted', null]);
    await assert.rejects(begin(left - 1), /is being verified/);
    // A clock that was ahead began it.
    assert.deepEqual(await saidOf(store, id, SLOT - LEASE_MS), ['verified', 'interrupted', null]);
    const second = await begin(left);
    // The process of the first one was only suspended.
    await endCheck(store, killed, { verdict: 'damaged', fault: 'Late.' }, left + 1);
    assert.deepEqual(await saidOf(store, id, left + 1), ['verified', 'running', null]);
    await endCheck(store, second, { verdict: 'sound', fault: null }, left + 2);
    assert.deepEqual(await saidOf(store, id, left + 2), ['verified', 'sound', null]);
  });

  it('of many who begin a check at once, one does; what is found damaged or missing is no good backup', async (t) => {
    const database = await fresh(t);
    const store = await database.open();
    const others = await Promise.all(Array.from({ length: 3 }, () => database.open()));
    const ids: string[] = [];
    for (const now of [SLOT, SLOT + 1_000]) {
      const asked = { slot: null, target: '/backups', name: undefined, now };
      const { id } = (await beginRecord(store, asked))!;
      await endRecord(store, id, { ...MANIFEST, verified: { at: now, by: 'read' } }, now);
      ids.push(id);
    }
    const [old, last] = ids as [string, string];
    const begin = (one: Store, id: string) =>
      one.write((tx) => beginCheck(tx, { id, by: 'ada', now: SLOT }));
    const outcomes = await Promise.allSettled(
      others.flatMap((one) => [begin(one, old), begin(one, last)]),
    );
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
    const goodAfter = async (verdict: BackupVerdict) => {
      await store.write((tx) =>
        tx.updateTable('backups').set({ check_started_at: null }).execute(),
      );
      await endCheck(store, await begin(store, last), { verdict, fault: null }, SLOT);
      return (await store.read((db) => backupState(db, SLOT + 5_000))).lastGood?.id;
    };
    assert.equal(await goodAfter('damaged'), old);
    assert.equal(await goodAfter('failed'), last, 'says nothing of it');
    assert.equal(await goodAfter('missing'), old);
    assert.equal(await goodAfter('sound'), last);
  });

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
