import assert from 'node:assert/strict';
import { it } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@ws01/asmx/time';
import { sql } from 'kysely';
import { loadConfig, retentionDays } from '../../src/config/config.ts';
import { TRASH_MS } from '../../src/domain/articles/purge.ts';
import { runHousekeeping } from '../../src/domain/housekeeping.ts';
import { PurgeClock, purgeHeldSince, trustClock } from '../../src/domain/retention/purge-clock.ts';
import { auditPartitions } from '../../src/store/partitions.ts';
import { forBothEngines } from '../kit/database.ts';
import { OperationDesk } from '../kit/operation-desk.ts';
import { PhoneDesk } from '../kit/phone.ts';
import { believingClock } from '../kit/purge-clock.ts';

const YEAR = 365 * DAY_MS;

forBothEngines((_engine, fresh) => {
  it('removes what has had its time, and one table that cannot be cleaned does not keep the others full', async (t) => {
    const store = await (await fresh(t)).open();
    const phone = new PhoneDesk(store, {
      rates: { codesPerPhone: [{ limit: 9, window: MINUTE_MS }] },
    });
    const desk = new OperationDesk(store);
    await phone.create();
    await desk.call('InsertArticle', { guid: 'a', caption: 'A' });
    await desk.call('DeleteArticleByGuid', { guid: 'a' });
    const left = () =>
      store.read(async (db) => [
        (await db.selectFrom('phone_codes').selectAll().execute()).length,
        (await db.selectFrom('articles').selectAll().execute()).length,
        (await db.selectFrom('budgets').selectAll().execute()).length,
      ]);
    const failures: unknown[] = [];
    const kept = retentionDays(loadConfig({}));
    const onFailure = (error: unknown) => failures.push(error);
    const keep = async (now: number) =>
      runHousekeeping({
        store,
        kept,
        purgeClock: await believingClock(store, () => now),
        onFailure,
      });

    await keep(desk.now);
    assert.deepEqual(await left(), [1, 1, 1]);
    await store.write((tx) => sql`alter table budgets rename to away`.execute(tx));
    await keep(desk.now + TRASH_MS);
    await store.write((tx) => sql`alter table away rename to budgets`.execute(tx));
    assert.deepEqual([await left(), failures.length], [[0, 0, 1], 1]);
    await keep(desk.now + TRASH_MS);
    assert.deepEqual([await left(), failures.length], [[0, 0, 0], 1]);
  });

  it('nothing is purged by a clock that went years ahead, until it has been confirmed, came back or is trusted', async (t) => {
    const store = await (await fresh(t)).open();
    const desk = new OperationDesk(store);
    await desk.call('InsertArticle', { guid: 'a', caption: 'A' });
    await desk.call('DeleteArticleByGuid', { guid: 'a' });
    const begun = desk.now;
    let [time, set, wall] = [0, 0, 0];
    const holds: number[] = [];
    const newNode = () =>
      new PurgeClock({
        ...{
          store,
          clock: () => begun + time + set,
          wall: () => begun + time + set + wall,
          steady: () => time,
        },
        onHold: (unexplained) => holds.push(unexplained),
      });
    const failures: unknown[] = [];
    const kept = retentionDays(loadConfig({}));
    const keep = (purgeClock: PurgeClock) =>
      runHousekeeping({ store, kept, purgeClock, onFailure: (error) => failures.push(error) });
    const held = () => store.read(purgeHeldSince);
    const left = () =>
      store.read(async (db) => ({
        articles: (await db.selectFrom('articles').select('guid').execute()).length,
        audited: (await db.selectFrom('audit').select('id').execute()).length > 0,
        // On PostgreSQL what has been kept long enough goes as a table.
        parts: await auditPartitions(db, Number.POSITIVE_INFINITY),
      }));

    let node = newNode();
    await keep(node);
    const all = await left();
    assert.deepEqual([all.articles, all.audited, await held()], [1, true, undefined]);
    set = 9 * YEAR;
    await keep(node);
    assert.equal(await held(), begun + 9 * YEAR);
    assert.deepEqual([await left(), holds], [all, [9 * YEAR]]);

    // A restart and two days do not confirm it, and another node says so, too.
    node = newNode();
    for (let hours = 0; hours < 48; hours++) {
      time += HOUR_MS;
      await keep(node);
      if (hours === 11) await keep(newNode());
    }
    assert.deepEqual(await left(), all);
    // Nor does another step.
    set += 2 * HOUR_MS;
    await keep(node);
    time += HOUR_MS;
    await keep(node);
    assert.deepEqual([await left(), await held()], [all, begun + 9 * YEAR]);

    // The clock of the system came back; the time of the service goes on.
    wall = -set;
    await keep(node);
    assert.deepEqual([await left(), await held()], [all, undefined]);
    wall = 0;
    await keep(node);
    assert.notEqual(await held(), undefined);
    assert.equal(await trustClock(store, begun + time + set), true);
    assert.equal(await trustClock(store, begun + time + set), false);
    await keep(node);
    assert.deepEqual([(await left()).articles, await held(), failures], [0, undefined, []]);

    // Down for a month, and then for a day by which it is confirmed.
    time += 30 * DAY_MS;
    node = newNode();
    await keep(node);
    assert.notEqual(await held(), undefined);
    for (let hours = 0; hours < 24; hours++) {
      time += HOUR_MS;
      await keep(node);
    }
    assert.equal(await held(), undefined);
  });
});
