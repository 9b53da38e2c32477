import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BY_NIGHT } from '../../../../packages/asmx/test/kit/lane.ts';
import { forBothEngines, freshDatabase } from '../kit/database.ts';
import { startChild } from './processes.ts';
import { storedKeys } from './rows.ts';

const ROUNDS = BY_NIGHT ? 4 : 2;

forBothEngines((_, fresh) => {
  it(`has every acknowledged write, whole, after a process was killed in the middle of parallel writes`, async (t) => {
    const database = await fresh(t);
    const acknowledged: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const child = await startChild(t, 'write', { ...database, prefix: `${round} ` });
      child.begin();
      await child.said(100 + 70 * round);
      child.process.kill('SIGKILL');
      assert.equal(await child.ended, null, child.errors());
      acknowledged.push(...child.lines);
    }
    assert.ok(acknowledged.length >= 100 * ROUNDS);
    const store = await database.open();
    const { articles, postings } = await store.read(storedKeys);
    assert.deepEqual(articles, postings);
    const stored = new Set(articles);
    assert.deepEqual(
      acknowledged.filter((key) => !stored.has(key)),
      [],
    );
    assert.equal(stored.size, articles.length);
  });
});

describe('a disk that takes no more', () => {
  it('fails writes as unavailable, still reads, and keeps exactly what was acknowledged', async (t) => {
    const database = await freshDatabase('sqlite', t);
    // No file may grow beyond 4 MiB; the signal that would end the process is ignored, so the write itself fails.
    const child = await startChild(t, 'fill', database, `trap '' XFSZ; ulimit -f 8192; exec "$@"`);
    child.begin();
    assert.equal(await child.ended, 0, child.errors());
    const written = child.lines.filter((line) => /^\d+$/.test(line)).length;
    assert.ok(written > 10);
    assert.equal(child.lines.at(-1), `failed unavailable with ${written}`);
    const store = await database.open();
    const { articles, postings } = await store.read(storedKeys);
    assert.deepEqual([articles.length, postings.length], [written, written]);
  });
});
