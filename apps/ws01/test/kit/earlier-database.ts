import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import { SQLITE_FILE } from '../../src/store/sqlite/file.ts';
import type { Engine } from '../../src/store/store.ts';
import { emptyDatabase, type TestDatabase } from './database.ts';
import { runOnce } from './operator.ts';

const FOLDER = join(import.meta.dirname, '../store/earlier-releases');

/**
 * A database as version 0.2.0 left it in November 2026: made by its code, after every operation was called, an admin,
 * a legal hold, a webhook and a token were added, and text messages were switched off.
 */
export async function earlierDatabase(engine: Engine, test: TestContext): Promise<TestDatabase> {
  const database = await emptyDatabase(engine, test);
  const statements = readFileSync(join(FOLDER, `0.2.0.${engine}.sql`), 'utf8');
  if (database.databaseUrl === undefined) {
    const sqlite = new DatabaseSync(join(database.dataDir, SQLITE_FILE));
    // Hundreds of transactions, each of which would wait for the disk.
    sqlite.exec(`pragma synchronous = off; ${statements}`);
    sqlite.close();
  } else {
    await runOnce(database.databaseUrl, statements);
  }
  return database;
}
