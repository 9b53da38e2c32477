import assert from 'node:assert/strict';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { SQLITE_FILE } from '../../src/store/sqlite/file.ts';
import { quickCheck } from '../../src/store/sqlite/quick-check.ts';
import { freshDatabase } from '../kit/database.ts';

it('the quick check says nothing of a sound file, and each problem of a damaged one in a line', async (t) => {
  const { dataDir, open: openDatabase } = await freshDatabase('sqlite', t);
  await (await openDatabase()).close();
  const look = () => quickCheck(dataDir, new AbortController().signal);
  assert.deepEqual(await look(), []);
  // The number of free pages (the file format of SQLite, 1.3.9): there is none.
  const handle = await open(join(dataDir, SQLITE_FILE), 'r+');
  await handle.write(Buffer.from([0, 0, 0, 5]), 0, 4, 36);
  await handle.close();
  assert.match((await look()).join('\n'), /Freelist: size is 0 but should be 5$/);
});
