import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sql } from 'kysely';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { indexAdverts } from '../../src/domain/adverts/search-index.ts';
import { indexTerms } from '../../src/store/text-index.ts';
import { publish } from '../domain/adverts/listing.ts';
import { freshDatabase } from '../kit/database.ts';
import { processEnv } from '../kit/fixed.ts';
import { OperationDesk } from '../kit/operation-desk.ts';
import { spawnService } from '../kit/process.ts';

const DUE_NOW = new URL('../kit/due-now.ts', import.meta.url).href;

it('words that release 0.2.0 left of erased adverts on PostgreSQL go after a start, those of others stay', async (t) => {
  const database = await freshDatabase('postgres', t);
  const store = await database.open();
  await publish(new OperationDesk(store), 'ada', [
    { guid: 'a', title: '公寓' },
    { guid: 'b', title: '公寓' },
  ]);
  await indexAdverts(store, { many: 1 });
  const inIndex = async () => {
    const rows = sql<{ rowid: number }>`select rowid from advert_search order by rowid`;
    return (await store.read((db) => rows.execute(db))).rows.map(({ rowid }) => Number(rowid));
  };
  await store.write(async (tx) => {
    for (const id of [3, 1_000, 1_001, 2_500]) indexTerms(tx, 'advert_search', id, ['公寓']);
  });
  assert.deepEqual(await inIndex(), [1, 2, 3, 1_000, 1_001, 2_500]);
  const service = await spawnService(t, database, processEnv({}, DUE_NOW));
  // Its regular work may begin to wait a moment after it listens.
  await until(async () => service.child.kill('SIGUSR2') && (await inIndex()).length <= 2);
  assert.deepEqual(await inIndex(), [1, 2]);
  assert.equal(await service.end('SIGTERM'), 0);
});
