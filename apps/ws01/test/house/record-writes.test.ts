import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { it } from 'node:test';

const ROOM = 'apps/ws01/src/';

/** Images of a record are found, listed and seen by what the record says: these files refresh them with each write. */
const WRITERS = { articles: 'domain/articles/rows.ts', adverts: 'domain/adverts/rows.ts' };

for (const [table, writer] of Object.entries(WRITERS)) {
  it(`${table} are created and changed in ${writer} alone, which refreshes their images`, () => {
    const write = new RegExp(`(?:insertInto|updateTable)\\('${table}'\\)`);
    const writers = globSync(`${ROOM}**/*.ts`)
      .map((path) => path.replaceAll('\\', '/').slice(ROOM.length))
      .filter((path) => write.test(readFileSync(ROOM + path, 'utf8')));
    assert.deepEqual(writers, [writer], 'use its functions, or add one there');
  });
}
