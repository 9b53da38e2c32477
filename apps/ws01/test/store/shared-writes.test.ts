import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Kysely, sql } from 'kysely';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import type { Tables } from '../../src/store/tables/tables.ts';
import { onBehalfOf } from '../../src/turns/caller.ts';
import { freshDatabase } from '../kit/database.ts';

const keep = (key: string) => (tx: Kysely<Tables>) =>
  tx
    .insertInto('categories')
    .values({ key, created_at: 1 })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .executeTakeFirst();

it('writes of different records on PostgreSQL', async (t) => {
  const database = await freshDatabase('postgres', t);
  const store = await database.open();

  await t.test(
    'share transactions; one that fails is undone alone, and its neighbours take effect once',
    async () => {
      const before = store.metrics;
      const outcomes = await Promise.allSettled(
        Array.from({ length: 60 }, (_, n) =>
          store.write(
            async (tx) => {
              await keep(`c-${n}`)(tx);
              if (n === 30) throw new Error('refused');
              if (n === 31) await sql`select 1 / 0`.execute(tx);
              return n;
            },
            { records: [`c-${n}`] },
          ),
        ),
      );
      const failed = outcomes.flatMap(({ status }, n) => (status === 'rejected' ? [n] : []));
      assert.deepEqual(failed, [30, 31]);
      const rows = await store.read((db) => db.selectFrom('categories').select('key').execute());
      assert.equal(rows.length, 58);
      assert.equal(store.metrics.writes - before.writes, 58);
      const calm = store.metrics;
      await Promise.all(
        Array.from({ length: 60 }, (_, n) => store.write(keep(`d-${n}`), { records: [`d-${n}`] })),
      );
      assert.equal(store.metrics.writes - calm.writes, 60);
      assert.ok(
        store.metrics.commits - calm.commits < 30,
        `${store.metrics.commits - calm.commits} commits`,
      );
    },
  );

  await t.test('of one record come one after another, so that none is lost', async () => {
    await store.write(keep('one'));
    const add = async (tx: Kysely<Tables>) => {
      const found = await tx
        .selectFrom('categories')
        .select('created_at')
        .where('key', '=', 'one')
        .forUpdate()
        .execute();
      await tx
        .updateTable('categories')
        .set({ created_at: found[0]!.created_at + 1 })
        .execute();
    };
    await Promise.all(Array.from({ length: 25 }, () => store.write(add, { records: ['one'] })));
    const [row] = await store.read((db) =>
      db.selectFrom('categories').selectAll().where('key', '=', 'one').execute(),
    );
    assert.equal(row?.created_at, 26);
  });

  await t.test('do not wait for a lock that one of them meets', async () => {
    await store.write(keep('held'));
    const touch = (key: string) => (tx: Kysely<Tables>) =>
      tx.updateTable('categories').set({ created_at: 2 }).where('key', '=', key).execute();
    let release: (() => void) | undefined;
    const held = store.write(async (tx) => {
      await touch('held')(tx);
      await new Promise<void>((resolve) => {
        release = resolve;
      });
    });
    t.after(() => release?.());
    await until(() => release !== undefined);
    let ended = false;
    const blocked = store.write(touch('held'), { records: ['held'] }).then(() => {
      ended = true;
    });
    await Promise.all(
      Array.from({ length: 9 }, (_, n) => store.write(keep(`n-${n}`), { records: [`n-${n}`] })),
    );
    assert.equal(ended, false, 'the others are done, and it waits');
    release!();
    await Promise.all([held, blocked]);
  });

  await t.test('wait within one bound with all others, and their callers take turns', async () => {
    const narrow = await database.open({ maxWaiting: 20, poolSize: 1 });
    const order: string[] = [];
    const outcomes = await Promise.allSettled([
      ...Array.from({ length: 12 }, (_, n) =>
        onBehalfOf('many', () => narrow.write(keep(`m-${n}`), { records: [`m-${n}`] })).then(() =>
          order.push('many'),
        ),
      ),
      onBehalfOf('few', () => narrow.write(keep('f'), { records: ['f'] })).then(() =>
        order.push('few'),
      ),
    ]);
    const refused = outcomes.filter(
      ({ status }) => status === 'rejected',
    ) as PromiseRejectedResult[];
    assert.deepEqual(
      refused.map(({ reason }) => reason.kind),
      ['busy', 'busy'],
      'one caller has half of the places',
    );
    assert.ok(order.includes('few'));
  });

  await t.test(
    'are told that nobody knows when the connection breaks inside the commit of all',
    async () => {
      // Ends its own connection while it commits: deferred, so that the commit was sent.
      await store.write(async (tx) => {
        await sql`create function end_it() returns trigger language plpgsql as $$ begin
        perform pg_terminate_backend(pg_backend_pid()); return null; end $$`.execute(tx);
        await sql`create constraint trigger ends after insert on categories deferrable initially deferred
        for each row when (new.key = 'end') execute function end_it()`.execute(tx);
      });
      const outcomes = await Promise.allSettled(
        ['end', 'a', 'b'].map((key) =>
          store.write(
            async (tx) => {
              await keep(key)(tx);
            },
            { records: [key] },
          ),
        ),
      );
      assert.deepEqual(
        outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason.kind),
        ['outcomeUnknown', 'outcomeUnknown', 'outcomeUnknown'],
      );
      await store.write(keep('after'), { records: ['after'] });
    },
  );
});
