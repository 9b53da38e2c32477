import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { loadConfig, retentionDays } from '../../src/config/config.ts';
import { purgesOf } from '../../src/domain/retention/retention.ts';
import { newKey } from '../../src/domain/values/keys.ts';
import { changesUpTo, migrate } from '../../src/store/migrate.ts';
import { openUnchanged } from '../../src/store/open.ts';
import {
  idOf,
  makeAuditPartitions,
  monthAfter,
  monthOf,
  stampOf,
} from '../../src/store/partitions.ts';
import type { Store } from '../../src/store/store.ts';
import { emptyDatabase } from '../kit/database.ts';

const DAY_MS = 86_400_000;

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
  it('is divided by month with every entry, and what has been kept long enough goes as a table', async (t) => {
    const { databaseUrl, dataDir } = await emptyDatabase('postgres', t);
    const store = await openUnchanged({ databaseUrl, dataDir });
    t.after(() => store.close());
    await migrate(store, changesUpTo('0028_legal_holds'));
    const now = Date.now();
    const [thisMonth, next] = [monthOf(now), monthAfter(monthOf(now))];
    const later = monthAfter(next);
    const until = `audit_until_${stampOf(thisMonth)}`;
    const [second, third] = [`audit_${stampOf(next)}`, `audit_${stampOf(later)}`];
    for (const id of [now - 400 * DAY_MS, now, next + 1, later + 1, later + 2, 'no time'])
      await tell(store, id);

    await migrate(store);
    assert.deepEqual(await entries(store), { audit_other: 4, [until]: 2 }, 'carried over');
    // As nodes that start together do.
    await Promise.all([makeAuditPartitions(store, now), makeAuditPartitions(store, now)]);
    assert.deepEqual(
      await entries(store),
      { audit_other: 1, [until]: 2, [second]: 1, [third]: 2 },
      'to their months',
    );
    await tell(store, next + 2);
    assert.equal((await entries(store))[second], 2, 'where a new entry goes');
    await assert.rejects(tell(store, next + 2), /duplicate key/, 'an id is taken once');

    const kept = retentionDays(loadConfig({ AUDIT_KEPT_DAYS: '30' }));
    const audit = purgesOf(kept).find(({ name }) => name === 'audit')!;
    const inTime = monthAfter(later) + 32 * DAY_MS;
    assert.deepEqual(await store.read((db) => audit.count(db, now)), { rows: 1, tables: [] });
    assert.deepEqual(await store.read((db) => audit.count(db, inTime)), {
      rows: 6,
      tables: [second, third, until],
    });
    assert.equal((await entries(store))[third], 2, 'what only looks changes nothing');
    const removed = await Promise.all([audit.run(store, inTime), audit.run(store, inTime)]);
    assert.ok(Math.max(...removed) > 0);
    assert.deepEqual(await entries(store), { audit_other: 1 });
    assert.deepEqual(await store.read((db) => audit.count(db, inTime)), { rows: 0, tables: [] });
    await makeAuditPartitions(store, inTime);
    await tell(store, inTime);
    assert.equal((await entries(store))[`audit_${stampOf(monthOf(inTime))}`], 1);
  });
});
