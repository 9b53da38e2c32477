import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Kysely, sql } from 'kysely';
import { isFailureOf } from '../../src/failure/dependency-error.ts';
import type { Tables } from '../../src/store/tables/tables.ts';
import { onBehalfOf } from '../../src/turns/caller.ts';
import { freshDatabase } from '../kit/database.ts';
import { listenToPostgres } from '../kit/wire-statements.ts';

const ask = (n: number) => (db: Kysely<Tables>) =>
  sql<{ n: number }>`select ${n}::int as n`.execute(db).then(({ rows }) => rows[0]!.n);

const fail = (db: Kysely<Tables>) => sql<never>`select 1 / ${0}::int`.execute(db);

const numbers = Array.from({ length: 40 }, (_, n) => n);

it('queries of several reads on PostgreSQL', async (t) => {
  const database = await freshDatabase('postgres', t);
  const url = new URL(database.databaseUrl!);
  const wire = await listenToPostgres(t, Number(url.port));
  url.port = String(wire.port);

  const store = await database.open({ databaseUrl: url.href });

  await t.test(
    'that are asked in one turn of the event loop share flights, each with its own answer',
    async () => {
      await store.read(ask(0));
      const before = wire.flights.length;
      assert.deepEqual(await Promise.all(numbers.map((n) => store.read(ask(n)))), numbers);
      const flights = wire.flights
        .slice(before)
        .filter(({ statements }) => statements.some((text) => /::int/.test(text)));
      assert.deepEqual(flights.map(({ statements }) => statements.length).toSorted(), [16, 16, 8]);
    },
  );

  await t.test('fail alone: those after one that failed are asked again', async () => {
    const outcomes = await Promise.allSettled(
      numbers.map((n) => (n % 7 === 3 ? store.read(fail) : store.read(ask(n)))),
    );
    for (const [n, outcome] of outcomes.entries()) {
      if (n % 7 !== 3) assert.deepEqual(outcome, { status: 'fulfilled', value: n });
      else assert.match(String((outcome as PromiseRejectedResult).reason), /division by zero/);
    }
  });

  await t.test(
    'fail alone where the client refuses a value, or the connection is lost',
    async () => {
      const circular: { self?: unknown } = {};
      circular.self = circular;
      const refuse = (db: Kysely<Tables>) => sql<never>`select ${circular}::json`.execute(db);
      const end = (db: Kysely<Tables>) =>
        sql<never>`select pg_terminate_backend(pg_backend_pid())`.execute(db);
      for (const [query, message] of [
        [refuse, /circular/] as const,
        [end, /terminating connection/] as const,
      ]) {
        const reads = numbers.map((n) => (n === 3 ? store.read(query) : store.read(ask(n))));
        const [odd] = (await Promise.allSettled(reads)).splice(3, 1);
        assert.match(String((odd as PromiseRejectedResult).reason), message);
        reads.splice(3, 1);
        assert.deepEqual(await Promise.all(reads), numbers.toSpliced(3, 1));
      }
    },
  );

  await t.test(
    'are not asked again once they are answered, when another one collides',
    async () => {
      await store.write(async (tx) => {
        await sql`create sequence asked`.execute(tx);
        await sql`create sequence collisions`.execute(tx);
        await sql`create function collide_once() returns int language plpgsql as $$
        begin
          if nextval('collisions') = 1 then raise exception 'a collision' using errcode = '40001'; end if;
          return 2;
        end $$`.execute(tx);
      });
      const once = (db: Kysely<Tables>) =>
        sql<{ n: number }>`select 1 / (2 - nextval('asked'))::int as n`.execute(db);
      const collides = (db: Kysely<Tables>) =>
        sql<{ n: number }>`select collide_once() as n`.execute(db);
      const results = await Promise.all([store.read(once), store.read(collides)]);
      assert.deepEqual(
        results.map(({ rows }) => rows[0]!.n),
        [1, 2],
      );
    },
  );

  await t.test('wait for no scan, and take effect though one waits in vain', async () => {
    const hasty = await database.open({ lockTimeout: 300 });
    const lock = (db: Kysely<Tables>) => sql`select pg_advisory_xact_lock(7)`.execute(db);
    const [taken, freed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holds = store.snapshot(async (db) => {
      await lock(db);
      taken.resolve();
      await freed.promise;
    });
    await taken.promise;
    const scan = store.scan(lock);
    assert.deepEqual(await Promise.all(numbers.map((n) => store.read(ask(n)))), numbers);
    const [late, ...others] = await Promise.allSettled([
      hasty.read(lock),
      ...numbers.map((n) => hasty.read(ask(n))),
    ]);
    assert.ok(late.status === 'rejected' && isFailureOf('database', late.reason, 'busy'));
    assert.deepEqual(
      others.map((outcome) => outcome.status === 'fulfilled' && outcome.value),
      numbers,
    );
    freed.resolve();
    await Promise.all([holds, scan]);
  });

  await t.test(
    'have room as long as connections are free; one caller has half of the places, others have theirs',
    async () => {
      const narrow = await database.open({ maxWaiting: 20, poolSize: 1 });
      const held = Promise.withResolvers<void>();
      const holds = narrow.snapshot(() => held.promise);
      await new Promise(setImmediate);
      const many = numbers.map((n) => onBehalfOf('many', () => narrow.read(ask(n))));
      const one = onBehalfOf('one', () => narrow.read(ask(1)));
      const outcomes = Promise.allSettled(many);
      held.resolve();
      assert.equal(await one, 1);
      await holds;
      const refused = (await outcomes).filter(
        ({ status }) => status === 'rejected',
      ) as PromiseRejectedResult[];
      assert.deepEqual(
        refused.map(({ reason }) => reason.kind),
        numbers.slice(10).map(() => 'busy'),
      );
      const free = await Promise.all(
        numbers.slice(0, 15).map((n) => onBehalfOf('many', () => narrow.read(ask(n)))),
      );
      assert.deepEqual(free, numbers.slice(0, 15));
    },
  );
});
