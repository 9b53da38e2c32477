import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sql } from 'kysely';
import { keptDays, loadConfig } from '../../src/config/config.ts';
import { TRASH_MS } from '../../src/domain/articles/purge.ts';
import { keepHouse } from '../../src/domain/housekeeping.ts';
import { forEachEngine } from '../kit/database.ts';
import { OperationDesk } from '../kit/operation-desk.ts';
import { PhoneDesk } from '../kit/phone.ts';

forEachEngine((_engine, fresh) => {
  it('removes what has had its time, and one table that cannot be cleaned does not keep the others full', async (t) => {
    const store = await (await fresh(t)).open();
    const phone = new PhoneDesk(store, { rates: { codesPerPhone: [{ limit: 9, window: 60_000 }] } });
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
    const kept = keptDays(loadConfig({}));
    const onFailure = (error: unknown) => failures.push(error);
    const keep = (now: number) => keepHouse({ store, kept, clock: () => now, onFailure });

    await keep(desk.now);
    assert.deepEqual(await left(), [1, 1, 1]);
    await store.write((tx) => sql`alter table budgets rename to away`.execute(tx));
    await keep(desk.now + TRASH_MS);
    await store.write((tx) => sql`alter table away rename to budgets`.execute(tx));
    assert.deepEqual([await left(), failures.length], [[0, 0, 1], 1]);
    await keep(desk.now + TRASH_MS);
    assert.deepEqual([await left(), failures.length], [[0, 0, 0], 1]);
  });
});
