import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import type { Store } from '../../src/store/store.ts';
import { forEachEngine } from '../kit/database.ts';
import { spawnService } from '../kit/process.ts';

const DUE_NOW = fileURLToPath(new URL('../kit/due-now.ts', import.meta.url));

/** Old creations: seconds of work for a service that goes on until all are gone. */
const PORTIONS = 4;
const PORTION = 25_000;

async function seed(store: Store): Promise<void> {
  for (let portion = 0; portion < PORTIONS; portion++) {
    const first = portion * PORTION + 1;
    await store.write((tx) =>
      sql`insert into postings (id, kind, record_key, user_id, network, at)
        with recursive numbers (id) as
          (select ${sql.lit(first)} union all select id + 1 from numbers where id < ${sql.lit(first + PORTION - 1)})
        select id, 1, 'old-' || id, 'ada', '192.0.2.0', 1 from numbers`.execute(tx),
    );
  }
}

forEachEngine((_engine, fresh) => {
  it('SIGTERM amid a purge of many rows waits for none of the others, and the next start goes on', async (t) => {
    const database = await fresh(t);
    const store = await database.open();
    await seed(store);
    const left = async () => {
      const { rows } = await store.read((db) =>
        sql<{ first: number; rows: number }>`select min(id) as first, count(*) as rows from postings`.execute(db),
      );
      return { first: Number(rows[0]!.first), rows: Number(rows[0]!.rows) };
    };
    for (let starts = 0; starts < 2; starts++) {
      const service = await spawnService(t, database, { NODE_OPTIONS: `--import=${DUE_NOW}` });
      const before = await left();
      service.child.kill('SIGUSR2');
      await until(async () => (await left()).first > before.first);
      assert.equal(await service.end('SIGTERM'), 0, service.output());
      assert.doesNotMatch(service.output(), /"level":"error"|stopped waiting/);
      const after = await left();
      assert.deepEqual(after, { first: after.first, rows: PORTIONS * PORTION - after.first + 1 });
    }
  });
});
