import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { it } from 'node:test';
import { type RawBuilder, sql } from 'kysely';
import { BY_NIGHT } from '../../../../packages/asmx/test/kit/lane.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import type { Store } from '../../src/store/store.ts';
import { environmentOf } from '../kit/command.ts';
import { forEachEngine } from '../kit/database.ts';
import { processEnv } from '../kit/fixed.ts';
import { spawnService } from '../kit/process.ts';

const DUE_NOW = new URL('../kit/due-now.ts', import.meta.url).href;

/** Old creations: seconds of work for a service that goes on until all are gone. */
const PORTIONS = BY_NIGHT ? 4 : 2;
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

/** The lowest number that is left. */
const firstOf = (store: Store) => numberOf(store, sql`select min(id) as n from postings`);
const rowsOf = (store: Store) => numberOf(store, sql`select count(*) as n from postings`);

async function numberOf(store: Store, query: RawBuilder<unknown>): Promise<number> {
  const { rows } = await store.read((db) => query.execute(db));
  return Number((rows[0] as { n: unknown }).n);
}

forEachEngine((_engine, fresh) => {
  it('SIGTERM amid a purge of many rows waits for none of the others, and the next start goes on', async (t) => {
    const database = await fresh(t);
    const store = await database.open();
    await seed(store);
    for (let stops = 0; stops < 2; ) {
      if ((await rowsOf(store)) === 0) await seed(store);
      const service = await spawnService(t, database, processEnv({}, DUE_NOW));
      const before = await firstOf(store);
      await until(async () => service.child.kill('SIGUSR2') && (await firstOf(store)) !== before);
      assert.equal(await service.end('SIGTERM'), 0, service.output());
      assert.doesNotMatch(service.output(), /"level":"error"|stopped waiting/);
      const rows = await rowsOf(store);
      // It was through before the signal came.
      if (rows === 0) continue;
      stops++;
      assert.equal(rows, PORTIONS * PORTION - (await firstOf(store)) + 1);
    }
  });

  it('Ctrl-C amid ws01 purge says in a line that what was deleted stays deleted', async (t) => {
    const database = await fresh(t);
    const store = await database.open();
    for (let isStopped = false; !isStopped; ) {
      await seed(store);
      const command = spawn(process.execPath, ['bin/ws01.js', 'purge'], {
        env: environmentOf(database),
        stdio: 'pipe',
      });
      t.after(() => command.kill('SIGKILL'));
      const ended = once(command, 'close');
      const [stdout, stderr] = [text(command.stdout), text(command.stderr)];
      await until(async () => (await firstOf(store)) !== 1);
      command.kill('SIGINT');
      const [code] = await ended;
      const rows = await rowsOf(store);
      isStopped = rows > 0;
      // It was through before the signal came.
      if (!isStopped) continue;
      assert.equal(code, 1);
      assert.match(
        await stderr,
        /^ws01: Stopped; what was deleted stays deleted\. The service deletes the rest, or ws01 purge\.$/m,
      );
      assert.equal(await stdout, '');
      assert.equal(rows, PORTIONS * PORTION - (await firstOf(store)) + 1);
    }
  });
});
