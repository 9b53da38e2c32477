// night: a service is killed at many places of an upload

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { it } from 'node:test';
import { HOUR_MS } from '@ws01/asmx/time';
import { filesIn } from '../../../../packages/asmx/test/kit/folder.ts';
import { SOURCE_ARGUMENTS } from '../../../../packages/asmx/test/kit/source-process.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { openFiles } from '../../src/adapters/files/open.ts';
import { sweepFiles } from '../../src/domain/images/sweep.ts';
import { TEST_BINDINGS } from '../kit/bindings.ts';
import { forEachEngine, type TestDatabase } from '../kit/database.ts';
import { pictureOf } from '../kit/images/containers.ts';
import { spawnService } from '../kit/process.ts';
import { TOKEN } from '../kit/service.ts';

const ROUNDS = 3;
const PARALLEL = 60;
const HOURS = 2 * HOUR_MS;

const soap11 = TEST_BINDINGS[0]!;

/** Sweeps in a process of its own, which is killed a moment after it has begun. */
async function sweepAndKill(
  { dataDir, databaseUrl = '' }: TestDatabase,
  afterMs: number,
): Promise<void> {
  const args = [...SOURCE_ARGUMENTS, 'apps/ws01/test/kit/images/sweeper.ts', dataDir, databaseUrl];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  await Promise.race([once(child.stdout, 'data'), ended]);
  setTimeout(() => child.kill('SIGKILL'), afterMs);
  await ended;
}

forEachEngine((_engine, fresh) => {
  it(`${ROUNDS} rounds of kill -9 amid uploads, deletions and sweeps: no record without its file, no file without a record`, async (t) => {
    const database = await fresh(t);
    const files = await openFiles(
      { kind: 'disk', folder: `${database.dataDir}/files` },
      database.dataDir,
    );
    const acknowledged = new Set<string>();
    const deletionsBegun = new Set<string>();
    const deleted = new Set<string>();
    for (let round = 0; round < ROUNDS; round++) {
      const service = await spawnService(t, database, { RATE_LIMITS: 'off' });
      // Files that are nobody's yet, and mostly without a record, would not be swept.
      await until(async () => (await files.store.owner()) !== undefined);
      const killAfter = Math.floor(((round + 0.5) / ROUNDS) * PARALLEL);
      const old = [...acknowledged].filter((key) => !deletionsBegun.has(key)).slice(0, 10);
      let answered = 0;
      const settle = async (call: Promise<{ status: number }>, set: Set<string>, key: string) => {
        const answer = await call.catch(() => undefined);
        if (answer?.status === 200) set.add(key);
        if (++answered === killAfter + 1) service.child.kill('SIGKILL');
      };
      const uploads = Array.from({ length: PARALLEL }, (_, index) => {
        const FileGuid = `round-${round}-${index}`;
        const FileImg = pictureOf(FileGuid).toString('base64');
        const call = soap11.call(service.url, 'InsertArticleImageFile', {
          verifyCode: TOKEN,
          FileGuid,
          FileImg,
        });
        return settle(call, acknowledged, FileGuid);
      });
      const deletions = old.map((FileGuid) => {
        deletionsBegun.add(FileGuid);
        return settle(
          soap11.call(service.url, 'DeleImgById', { verifyCode: TOKEN, FileGuid }),
          deleted,
          FileGuid,
        );
      });
      await Promise.all([...uploads, ...deletions]);
      await service.end('SIGKILL');
      await sweepAndKill(database, round * 3);
    }

    const store = await database.open();
    const rows = await store.read((db) =>
      db
        .selectFrom('images')
        .innerJoin('image_files', 'image_files.hash', 'images.hash')
        .select(['guid', 'images.hash', 'stored_as', 'deleted_at'])
        .execute(),
    );
    assert.ok(
      acknowledged.size > 0 && acknowledged.size < ROUNDS * PARALLEL,
      `${acknowledged.size} acknowledged`,
    );
    const before = await filesIn(`${database.dataDir}/files/kept`);
    for (const { guid, hash, stored_as, deleted_at } of rows) {
      assert.equal(deleted_at, null);
      const bytes = await readFile(
        before.get(stored_as) ?? assert.fail(`${guid} has lost its file`),
      );
      assert.equal(createHash('sha256').update(bytes).digest('hex'), hash);
      assert.deepEqual(bytes, pictureOf(guid));
    }
    const kept = new Set(rows.map(({ guid }) => guid));
    for (const key of acknowledged)
      assert.ok(kept.has(key) || deletionsBegun.has(key), `${key} is lost`);
    for (const key of deleted) assert.equal(kept.has(key), false, `${key} is there again`);

    const later = Date.now() + HOURS;
    const { doubt } = await sweepFiles(
      { store, files, clock: Date.now },
      { store: later, spool: later },
      { all: true },
    );
    assert.equal(doubt, undefined);
    const after = await filesIn(`${database.dataDir}/files/kept`);
    const named = rows.flatMap(({ stored_as }) => [
      stored_as,
      `${stored_as}.full`,
      `${stored_as}.icon`,
    ]);
    assert.deepEqual(
      [...after.keys()].filter((name) => !named.includes(name)),
      [],
    );
    for (const { stored_as } of rows) assert.ok(after.has(stored_as));
    assert.deepEqual(await filesIn(`${database.dataDir}/files/incoming`), new Map());
  });
});
