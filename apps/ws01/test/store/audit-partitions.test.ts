import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS } from '@ws01/asmx/time';
import { sql } from 'kysely';
import { loadConfig, retentionDays } from '../../src/config/config.ts';
import { purgesOf } from '../../src/domain/retention/retention.ts';
import { newKey } from '../../src/domain/values/keys.ts';
import {
  idOf,
  makeAuditPartitions,
  monthAfter,
  monthOf,
  stampOf,
} from '../../src/store/partitions.ts';
import type { Store } from '../../src/store/store.ts';
import { freshDatabase } from '../kit/database.ts';
import { earlierDatabase } from '../kit/earlier-database.ts';

/** Enters a change that was told at an instant, or has an id that tells no time. */
const tell = (store: Store, id: number | string) =>
  store.write(async (tx) => {
    const at = typeof id === 'number' ? id : 0;
    const key = typeof id === 'number' ? `${idOf(id)}-7000-8000-000000000000` : id;
    await tx
      .insertInto('audit')
      .values({
        id: key,
        at,
        token_id: null,
        action: 'a.b',
        target_kind: 'a',
        target_key: null,
        address: null,
        details: '{}',
        request_id: null,
      })
      .execute();
  });

/** How many entries each table of the trail has. */
const entries = async (store: Store) => {
  const { rows } = await store.read((db) =>
    sql<{ name: string; rows: number }>`select tableoid::regclass::text as name, count(*) as rows
      from audit group by 1 order by 1`.execute(db),
  );
  return Object.fromEntries(rows.map(({ name, rows: n }) => [name, Number(n)]));
};

it('the first id of an instant stands before the keys that are made then, and after all earlier ones', () => {
  const before = Date.now();
  const key = newKey();
  const after = Date.now();
  assert.ok(idOf(before) <= key, `${idOf(before)} ${key}`);
  assert.ok(key < idOf(after + 1), `${key} ${idOf(after + 1)}`);
  assert.equal(
    key.slice(0, idOf(after).length).replaceAll(/[0-9a-f]/g, '0'),
    idOf(after).replaceAll(/[0-9a-f]/g, '0'),
  );
});

describe('the audit trail on PostgreSQL', () => {
  it('of a new database is divided by month, and what has been kept long enough goes as a table', async (t) => {
    const store = await (await freshDatabase('postgres', t)).open();
    await divided(store, `audit_${stampOf(monthOf(NOW))}`, { audit_other: 6 });
  });

  it('of a database of 0.2.0 keeps its first partition, with what was from before the division', async (t) => {
    const store = await (await earlierDatabase('postgres', t)).open();
    await store.write((tx) => tx.deleteFrom('audit').execute());
    const until = 'audit_until_202611';
    await divided(store, until, { audit_other: 4, [until]: 2 });
  });
});

/** The month in which the database of 0.2.0 was made. */
const NOW = Date.parse('2026-11-27T12:00:00Z');

/** Fills the trail, divides it and purges it; `first` is the partition of this month. */
async function divided(store: Store, first: string, entered: Record<string, number>) {
  const next = monthAfter(monthOf(NOW));
  const later = monthAfter(next);
  const [second, third] = [`audit_${stampOf(next)}`, `audit_${stampOf(later)}`];
  for (const id of [NOW - 400 * DAY_MS, NOW, next + 1, later + 1, later + 2, 'no time'])
    await tell(store, id);
  assert.deepEqual(await entries(store), entered);
  // As nodes that start together do.
  await Promise.all([makeAuditPartitions(store, NOW), makeAuditPartitions(store, NOW)]);
  const old =
    entered[first] === undefined ? { audit_other: 2, [first]: 1 } : { audit_other: 1, [first]: 2 };
  assert.deepEqual(await entries(store), { ...old, [second]: 1, [third]: 2 }, 'to their months');
  await tell(store, next + 2);
  assert.equal((await entries(store))[second], 2, 'where a new entry goes');
  await assert.rejects(tell(store, next + 2), /duplicate key/, 'an id is taken once');

  const kept = retentionDays(loadConfig({ AUDIT_KEPT_DAYS: '30' }));
  const audit = purgesOf(kept).find(({ name }) => name === 'audit')!;
  const inTime = monthAfter(later) + 32 * DAY_MS;
  assert.deepEqual(await store.read((db) => audit.count(db, NOW)), { rows: 1, tables: [] });
  assert.deepEqual(await store.read((db) => audit.count(db, inTime)), {
    rows: 6,
    tables: [first, second, third].toSorted(),
  });
  assert.equal((await entries(store))[third], 2, 'what only looks changes nothing');
  const removed = await Promise.all([audit.run(store, inTime), audit.run(store, inTime)]);
  assert.ok(Math.max(...removed) > 0);
  assert.deepEqual(await entries(store), { audit_other: 1 });
  assert.deepEqual(await store.read((db) => audit.count(db, inTime)), { rows: 0, tables: [] });
  await makeAuditPartitions(store, inTime);
  await tell(store, inTime);
  assert.equal((await entries(store))[`audit_${stampOf(monthOf(inTime))}`], 1);
}
