import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS, HOUR_MS } from '@ws01/asmx/time';
import { sql } from 'kysely';
import { Visits } from '../../../src/domain/links/visits.ts';
import type { Store } from '../../../src/store/store.ts';
import { forBothEngines } from '../../kit/database.ts';

/** Counts with a clock to move, and writes when told. */
function counter(
  store: Store,
  clock: () => number,
  timeZone = 'UTC',
  writeEvery = HOUR_MS,
): Visits {
  return new Visits({ store, clock, timeZone, writeEvery, sourcesPerDay: 2 });
}

function rowsOf(store: Store) {
  return store.read((db) =>
    db.selectFrom('link_visits').selectAll().orderBy('code').orderBy('day').execute(),
  );
}

forBothEngines((_engine, fresh) => {
  it('visits are counted by link, day and kind, and written when the service stops', async (t) => {
    const store = await (await fresh(t)).open();
    const visits = counter(store, () => Date.parse('2026-11-21T12:00:00Z'));
    for (let i = 0; i < 5; i++) visits.count('BBBBBBB', 'visits');
    visits.count('BBBBBBB', 'bots');
    visits.count('CCCCCCC', 'heads');
    assert.deepEqual(await rowsOf(store), []);
    await visits.close();
    assert.deepEqual(await rowsOf(store), [
      { code: 'BBBBBBB', day: '2026-11-21', visits: 5, bots: 1, heads: 0 },
      { code: 'CCCCCCC', day: '2026-11-21', visits: 0, bots: 0, heads: 1 },
    ]);
  });

  it('people are counted by where they came from; a link has so many names of a kind a day, others count together', async (t) => {
    const database = await fresh(t);
    const stores = [await database.open(), await database.open()];
    let now = Date.parse('2026-11-21T12:00:00Z');
    const counters = stores.map((store) => counter(store, () => now));
    const from = (name: string) => [
      { kind: 'referrer', name } as const,
      { kind: 'language', name: 'de-AT' } as const,
    ];
    for (const [index, visits] of counters.entries()) {
      for (const name of ['a.example', '-', '*', `${index}.b.example`, `${index}.c.example`]) {
        visits.count('BBBBBBB', 'visits', from(name));
      }
      visits.count('BBBBBBB', 'bots', from('robot.example'));
      visits.count('CCCCCCC', 'visits', from('c.example'));
    }
    // Both at once: what one adds, the other finds.
    await Promise.all(counters.map((visits) => visits.close()));
    const rows = await stores[0]!.read((db) =>
      db.selectFrom('link_visit_sources').selectAll().where('kind', '=', 'referrer').execute(),
    );
    const told = rows
      .filter(({ code }) => code === 'BBBBBBB')
      .map(({ name, visits }) => [name, visits] as const);
    const names = told.map(([name]) => name).filter((name) => !['-', '*'].includes(name));
    assert.equal(names.length, 2, JSON.stringify(told));
    assert.equal(names.includes('a.example'), true);
    assert.equal(Object.fromEntries(told)['-'], 2);
    assert.equal(
      told.reduce((sum, [, visits]) => sum + visits, 0),
      10,
      'none is lost',
    );
    assert.deepEqual(
      rows.filter(({ code }) => code === 'CCCCCCC').map(({ name, visits }) => [name, visits]),
      [['c.example', 2]],
    );
    now += DAY_MS;
    const next = counter(stores[0]!, () => now);
    next.count('BBBBBBB', 'visits', from('later.example'));
    await next.close();
    const later = await stores[0]!.read((db) =>
      db
        .selectFrom('link_visit_sources')
        .select(['name'])
        .where('day', '=', '2026-11-22')
        .orderBy('name')
        .execute(),
    );
    assert.deepEqual(
      later.map(({ name }) => name),
      ['de-AT', 'later.example'],
    );
  });

  it('nodes add up, and 1,200 links are written in one go', async (t) => {
    const database = await fresh(t);
    const stores = [await database.open(), await database.open()];
    const counters = stores.map((store) => counter(store, () => 0));
    const codeOf = (i: number) => `B${String(i).padStart(6, '0')}`;
    for (const visits of counters)
      for (let i = 0; i < 1_200; i++) visits.count(codeOf(i), 'visits');
    const before = stores[0]!.metrics.writes;
    await Promise.all(counters.map((visits) => visits.close()));
    assert.equal(stores[0]!.metrics.writes - before, 1);
    const rows = await rowsOf(stores[0]!);
    assert.equal(rows.length, 1_200);
    assert.ok(rows.every(({ visits }) => visits === 2));
  });

  it('a day begins at midnight in the zone, also where that is skipped', async (t) => {
    const store = await (await fresh(t)).open();
    let now = 0;
    // Where clocks went from 00:00 to 01:00: the day begins at 01:00, which is 03:00 UTC.
    const visits = counter(store, () => now, 'America/Sao_Paulo');
    for (const at of [
      '2018-11-04T02:59:59.999Z',
      '2018-11-04T03:00Z',
      '2018-11-05T01:59:59.999Z',
      '2018-11-05T02:00Z',
      '2018-11-03T12:00Z',
    ]) {
      now = Date.parse(at);
      visits.count('BBBBBBB', 'visits');
    }
    await visits.close();
    assert.deepEqual(
      (await rowsOf(store)).map(({ day, visits: count }) => [day, count]),
      [
        ['2018-11-03', 2],
        ['2018-11-04', 2],
        ['2018-11-05', 1],
      ],
    );
  });

  it('what cannot be written stays, and is written the next time', async (t) => {
    const store = await (await fresh(t)).open();
    const visits = counter(store, () => 0, 'UTC', 5);
    await store.write((tx) => sql`alter table link_visits rename to away`.execute(tx));
    visits.count('BBBBBBB', 'visits');
    // Time for it to try in vain a few times; the next visit meets the one that came back.
    await sleep(50);
    visits.count('BBBBBBB', 'visits');
    await store.write((tx) => sql`alter table away rename to link_visits`.execute(tx));
    await visits.close();
    assert.deepEqual(
      (await rowsOf(store)).map(({ visits: count }) => count),
      [2],
    );
  });
});
