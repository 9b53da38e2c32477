import assert from 'node:assert/strict';
import { cp, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { logOf, SQLITE_FILE } from '../../src/store/sqlite/file.ts';
import { quickCheck } from '../../src/store/sqlite/quick-check.ts';
import { SqliteSnapshot } from '../../src/store/sqlite/snapshot.ts';
import type { Store } from '../../src/store/store.ts';
import { freshDatabase } from '../kit/database.ts';

const COUNT = 40;

async function write(store: Store, name: string): Promise<void> {
  for (let index = 0; index < COUNT; index++) {
    await store.write((tx) =>
      tx
        .insertInto('categories')
        .values({ key: `${name}-${index}`, created_at: index })
        .execute(),
    );
  }
}

const keys = async (store: Store) =>
  (await store.read((db) => db.selectFrom('categories').select('key').execute())).map(
    ({ key }) => key.split('-')[0],
  );

/** A store with a log, and another database that stands in the place of its own. */
async function replaced(t: TestContext) {
  const other = await freshDatabase('sqlite', t);
  const filled = await other.open({ service: true });
  await write(filled, 'other');
  await filled.close();
  const database = await freshDatabase('sqlite', t);
  const store = await database.open({ service: true });
  await write(store, 'own');
  const file = join(database.dataDir, SQLITE_FILE);
  const content = await readFile(join(other.dataDir, SQLITE_FILE));
  await cp(join(other.dataDir, SQLITE_FILE), `${file}.new`);
  await rename(`${file}.new`, file);
  return { store, file, dataDir: database.dataDir, content, log: await readFile(logOf(file)) };
}

const GONE = /was deleted or replaced while this service has it open/;
const OTHER = /belongs to another database/;

/** All that opens the database by its name while it is open. */
const WAYS: Record<string, (store: Store, dataDir: string) => Promise<unknown>> = {
  'a search': (store) =>
    assert.rejects(
      store.scan((db) => db.selectFrom('categories').select('key').execute()),
      GONE,
    ),
  'an export': (store) =>
    assert.rejects(
      store.snapshot((db) => db.selectFrom('categories').select('key').execute()),
      GONE,
    ),
  'a backup': (_store, dataDir) => assert.rejects(SqliteSnapshot.open(dataDir), OTHER),
  'the check for damage': (_store, dataDir) =>
    assert.rejects(quickCheck(dataDir, new AbortController().signal), OTHER),
};

describe('another database is moved over the open one', () => {
  for (const [name, open] of Object.entries(WAYS)) {
    it(`${name} does not write the log of one into the other`, async (t) => {
      const { store, file, dataDir, content, log } = await replaced(t);
      await open(store, dataDir);
      assert.deepEqual(new Set(await keys(store)), new Set(['own']));
      await store.close();
      assert.ok(content.equals(await readFile(file)), 'the other database is as it was');
      assert.ok(log.equals(await readFile(logOf(file))), 'the log is as it was');
    });
  }
});
