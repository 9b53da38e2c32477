import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import pg from 'pg';
import { ws01 } from '../kit/command.ts';
import { freshDatabase } from '../kit/database.ts';

test('what docs/postgresql.md advises for large tables can be done, and leaves the database sound', async (t) => {
  const page = await readFile('docs/postgresql.md', 'utf8');
  const [, statements] = /^## Large tables\n[\s\S]*?^```sql\n([^`]*)```$/m.exec(page)!;
  const database = await freshDatabase('postgres', t);
  const client = new pg.Client({ connectionString: database.databaseUrl });
  await client.connect();
  const all = statements!.trim().split('\n');
  assert.ok(all.length >= 4);
  // Each by itself: one of them may not be in a transaction.
  for (const statement of all) await client.query(statement);
  await client.end();
  const { code, stdout } = await ws01(database, ['db', 'check']);
  assert.equal(code, 0);
  assert.match(stdout, /^Sound/);
});
