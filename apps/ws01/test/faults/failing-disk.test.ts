import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { exchange } from '../../../../packages/asmx/test/kit/http.ts';
import { SQLITE_FILE } from '../../src/store/sqlite/file.ts';
import { JSON_BINDING } from '../kit/bindings.ts';
import { freshDatabase } from '../kit/database.ts';
import { failSyncs } from '../kit/failing-sync.ts';
import { processEnv } from '../kit/fixed.ts';
import { spawnService } from '../kit/process.ts';
import { startService, TOKEN } from '../kit/service.ts';
import { insertCategory } from '../store/rows.ts';

const FAILING_SYNC = new URL('../kit/failing-sync.ts', import.meta.url).href;

const article = (guid: string) => ({ token: TOKEN, guid, caption: guid, CreateUserId: 'u' });

describe('a disk that fails to sync', () => {
  it('leaves the write under way unknown; later ones are refused before they are tried, and so are reads and probes', async (t) => {
    const { service, database, hit } = await hitService(t);
    assert.deepEqual(
      [hit.status, hit.code, hit.headers['retry-after']],
      [503, 'StorageUnavailable', '5'],
    );
    assert.match(hit.body, /not known whether this was done; send the same again/);
    const log = join(database.dataDir, `${SQLITE_FILE}-wal`);
    const { size } = await stat(log);
    for (let i = 0; i < 10; i++) {
      const later = await JSON_BINDING.call(service.url, 'InsertArticle', article(`later-${i}`));
      assert.deepEqual([later.status, later.code], [503, 'StorageUnavailable']);
      assert.match(later.body, /nothing was done/);
    }
    const read = await JSON_BINDING.call(service.url, 'countUserPosted', {
      tokenId: TOKEN,
      userId: 'u',
    });
    assert.equal(read.code, 'StorageUnavailable');
    const probes = await Promise.all(
      ['healthz', 'readyz'].map((name) => exchange(`${service.url}/${name}`)),
    );
    assert.deepEqual(
      probes.map(({ status }) => status),
      [503, 503],
    );
    await assert.rejects(service.app.failed, {
      kind: 'unavailable',
      message: /The disk of DATA_DIR failed/,
    });
    assert.equal((await stat(log)).size, size);
  });

  it('leaves open only what it may have taken: of one batch, a failed write and one without changes are not in doubt', async (t) => {
    const database = await freshDatabase('sqlite', t);
    const store = await database.open();
    failSyncs();
    const own = new Error('its own reason');
    const [changed, failed, unchanged] = await Promise.allSettled([
      store.write((tx) => insertCategory(tx, 'changed')),
      store.write(() => Promise.reject(own)),
      store.write(async () => {}),
    ]);
    const reasonOf = (settled: PromiseSettledResult<unknown>) =>
      settled.status === 'rejected' && settled.reason;
    assert.equal(reasonOf(changed).kind, 'outcomeUnknown');
    assert.equal(reasonOf(failed), own);
    assert.equal(reasonOf(unchanged).kind, 'unavailable');
  });

  it('ends the process with exit code 1 and its log as it was; the next one finds what was answered', async (t) => {
    const database = await freshDatabase('sqlite', t);
    const service = await spawnService(t, database, processEnv({}, FAILING_SYNC));
    assert.equal((await JSON_BINDING.call(service.url, 'InsertArticle', article('a'))).status, 200);
    service.child.kill('SIGUSR2');
    const written = await writeUntilItFails(service.url);
    assert.equal(await service.ended, 1);
    assert.match(
      service.output(),
      /^ws01: The disk of DATA_DIR failed .* start ws01 again when the disk is well\.$/m,
    );
    assert.ok(
      (await stat(join(database.dataDir, `${SQLITE_FILE}-wal`))).size > 0,
      'the log was not moved',
    );

    const next = await spawnService(t, database);
    assert.equal((await JSON_BINDING.call(next.url, 'InsertArticle', article('hit'))).status, 200);
    assert.equal(await next.end('SIGTERM'), 0);
    const store = await database.open();
    const rows = await store.read((db) =>
      db.selectFrom('articles').select('guid').orderBy('guid').execute(),
    );
    assert.deepEqual(
      rows.map(({ guid }) => guid),
      ['a', ...written, 'hit'].toSorted(),
    );
  });
});

/** A service whose disk has failed in the write of a call. Where it was one of the service itself, there comes another. */
async function hitService(t: TestContext) {
  for (;;) {
    const database = await freshDatabase('sqlite', t);
    const service = await startService(t, database);
    assert.equal((await JSON_BINDING.call(service.url, 'InsertArticle', article('a'))).status, 200);
    // A read is answered when the disk has what it may have seen.
    const counted = { tokenId: TOKEN, userId: 'u' };
    assert.equal((await JSON_BINDING.call(service.url, 'countUserPosted', counted)).status, 200);
    failSyncs();
    const hit = await JSON_BINDING.call(service.url, 'InsertArticle', article('hit'));
    if (!/nothing was done/.test(hit.body)) return { service, database, hit };
  }
}

/**
 * @returns the keys that were answered, and one whose outcome was called unknown, for it is in the log; `hit` is repeated
 *   later.
 */
async function writeUntilItFails(url: string): Promise<readonly string[]> {
  const written: string[] = [];
  // The write that the disk fails at may have been one of the service itself: it may have ended, too, by the next call.
  const insert = (guid: string) =>
    JSON_BINDING.call(url, 'InsertArticle', article(guid)).catch(() => undefined);
  for (let i = 0; ; i++) {
    if ((await insert('hit'))?.status !== 200) return written;
    const other = await insert(`b-${i}`);
    if (other?.status !== 200)
      return other && /It is not known/.test(other.body) ? [...written, `b-${i}`] : written;
    written.push(`b-${i}`);
  }
}
