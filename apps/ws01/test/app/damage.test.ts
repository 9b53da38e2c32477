import assert from 'node:assert/strict';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { it } from 'node:test';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { SQLITE_FILE } from '../../src/store/sqlite/file.ts';
import { ws01 } from '../kit/command.ts';
import { freshDatabase } from '../kit/database.ts';
import { keptLog } from '../kit/log.ts';
import { startService } from '../kit/service.ts';

it('a page that was damaged while the service was down is reported soon after the start, which goes on, and by db check', async (t) => {
  const database = await freshDatabase('sqlite', t);
  const store = await database.open();
  await store.write(async (tx) => {
    for (let i = 0; i < 2_000; i++) {
      await tx
        .insertInto('categories')
        .values({ key: `category-${i}`, created_at: i })
        .execute();
    }
  });
  await store.close();
  const path = join(database.dataDir, SQLITE_FILE);
  const file = new DatabaseSync(path);
  const { pageno } = file
    .prepare(
      `select pageno from dbstat where name = 'categories' and pagetype = 'leaf' order by pageno desc limit 1`,
    )
    .get() as { pageno: number };
  const { page_size: size } = file.prepare('pragma page_size').get() as { page_size: number };
  file.close();
  const handle = await open(path, 'r+');
  await handle.write(Buffer.alloc(size, 0xa5), 0, size, (pageno - 1) * size);
  await handle.close();

  const { log, lines } = keptLog();
  const service = await startService(t, database, {}, log);
  const told = () =>
    lines.find(({ msg }) => /the database is damaged; run ws01 db check/.test(msg ?? ''));
  await until(() => told() !== undefined);
  assert.equal(told()!.level, 50);
  assert.ok((told()!.damage as string[]).length > 0);
  assert.equal((await fetch(`${service.url}/healthz`)).status, 200);

  const { code, stdout, stderr } = await ws01(database, ['db', 'check', '--json']);
  const { sound, wrong } = JSON.parse(stdout) as { sound: boolean; wrong: string[] };
  assert.deepEqual([code, sound, wrong.length > 0], [1, false, true]);
  assert.match(
    stderr,
    /The database is damaged or changed; restore a backup: ws01 backup --list, ws01 restore/,
  );
});
