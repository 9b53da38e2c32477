import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { BY_NIGHT } from '../../../../packages/asmx/test/kit/lane.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import type { Store } from '../../src/store/store.ts';
import { COUNT_STEPS } from '../../src/store/tables/tables.ts';
import { JSON_BINDING } from '../kit/bindings.ts';
import { forEachEngine } from '../kit/database.ts';
import { spawnService } from '../kit/process.ts';
import { TOKEN } from '../kit/service.ts';

const ROUNDS = BY_NIGHT ? 3 : 1;
const CALLERS = 4;

/** How many calls the database has, by step; and how many failed ones it lists. */
async function countedIn(store: Store) {
  return store.read(async (db) => {
    const rows = await db
      .selectFrom('call_counts')
      .select((eb) => ['step', eb.fn.sum('calls').as('calls')])
      .groupBy('step')
      .execute();
    const [failed] = await db
      .selectFrom('failed_calls')
      .select((eb) => eb.fn.countAll().as('calls'))
      .execute();
    return {
      calls: rows.map(({ calls }) => Number(calls)),
      steps: rows.length,
      failed: Number(failed!.calls),
    };
  });
}

forEachEngine((_engine, fresh) => {
  it('kill -9 amid calls takes nothing from the history that is written, and leaves no half of a write', async (t) => {
    const database = await fresh(t);
    const store = await database.open({ guest: true });
    let answered = 0;
    let before = await countedIn(store);
    for (let round = 0; round < ROUNDS; round++) {
      const service = await spawnService(t, database, { RATE_LIMITS: 'off' });
      const call = (guid: string, token: string) =>
        JSON_BINDING.call(service.url, 'InsertArticle', {
          ...{ token, guid, caption: 'x', content: '', CreateUserId: 'ada' },
        });
      const callers = Array.from({ length: CALLERS }, async (_, caller) => {
        for (let at = 0; service.child.exitCode === null; at++)
          try {
            await call(`${round}-${caller}-${at}`, at % 5 === 0 ? 'a-wrong-token' : TOKEN);
            answered++;
            // Many calls are few here: what is counted is written every few seconds.
            await pause(50);
          } catch {
            return;
          }
      });
      // Twice written since the start, so that it is killed somewhere between two writes.
      for (let written = 0, last = before.calls[0] ?? 0; written < 2; written++) {
        await until(async () => ((await countedIn(store)).calls[0] ?? 0) > last);
        last = (await countedIn(store)).calls[0]!;
      }
      const atKill = await countedIn(store);
      await service.end('SIGKILL');
      await Promise.all(callers);
      const after = await countedIn(store);
      assert.equal(after.steps, Object.keys(COUNT_STEPS).length);
      assert.equal(new Set(after.calls).size, 1, `each step has the same calls: ${after.calls}`);
      assert.ok(after.calls[0]! >= atKill.calls[0]! && after.failed >= atKill.failed);
      assert.ok(after.failed > before.failed, 'failed calls are written with the counts');
      // A call whose connection died with the process may be counted.
      assert.ok(after.calls[0]! <= answered + (round + 1) * CALLERS, `of ${answered} calls`);
      before = after;
    }
    // What is counted after the last kill comes on top.
    const service = await spawnService(t, database, { RATE_LIMITS: 'off' });
    await JSON_BINDING.call(service.url, 'InsertArticle', {
      ...{ token: TOKEN, guid: 'last', caption: 'x', content: '', CreateUserId: 'ada' },
    });
    await service.end('SIGTERM');
    assert.deepEqual(
      (await countedIn(store)).calls,
      before.calls.map((calls) => calls + 1),
    );
  });
});
