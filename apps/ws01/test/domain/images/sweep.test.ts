import assert from 'node:assert/strict';
import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import type { FileStore } from '../../../src/adapters/files/file-store.ts';
import { openFiles } from '../../../src/adapters/files/open.ts';
import { newNameOfFile } from '../../../src/domain/images/file-names.ts';
import { adoptFiles } from '../../../src/domain/images/file-owner.ts';
import { LEFT_BEHIND_MS, Sweeper } from '../../../src/domain/images/sweep.ts';
import { freshDatabase } from '../../kit/database.ts';

it('files left behind are told by the clock that dated them, and by none that was just set forward', async (t) => {
  const database = await freshDatabase('sqlite', t);
  const store = await database.open();
  const folder = join(database.dataDir, 'pictures');
  const files = await openFiles({ kind: 'disk', folder }, database.dataDir);
  const keep = async () => {
    const name = newNameOfFile('0'.repeat(64));
    await files.spool.withTemporary(async (path) => {
      const upload = files.spool.receive();
      await upload.write(Buffer.from(path));
      await files.store.keep((await upload.finish()).path, name);
      await upload.release();
    });
    return name;
  };
  const here = async () => {
    const names: string[] = [];
    for await (const { name } of files.store.list()) names.push(name);
    return names.sort();
  };
  /** How far the clock of the place is off, and how much time has passed. */
  let [set, passed] = [0, 0];
  const place = {
    list: () => files.store.list(),
    owner: () => files.store.owner(),
    giveTo: (id) => files.store.giveTo(id),
    trash: files.store.trash,
    now: async () => (await files.store.now()) + set + passed,
  } as FileStore;
  const sweeper = new Sweeper(
    { store, files: { store: place, spool: files.spool }, clock: Date.now },
    () => passed,
  );
  await adoptFiles({ store, files });
  /** How many went to the trash; `undefined` while a clock is not believed. */
  const sweep = async (stopping?: AbortSignal) => (await sweeper.sweep(stopping))?.trashed;

  const [old, young] = [await keep(), await keep()];
  const [path] = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(old));
  const long = (await files.store.now()) / 1_000 - 2 * (LEFT_BEHIND_MS / 1_000);
  await utimes(join(folder, path!), long, long);
  assert.deepEqual([await sweep(AbortSignal.abort()), await here()], [0, [old, young].sort()]);
  assert.equal(await sweep(), 1);
  assert.deepEqual(await here(), [young]);

  // Set forward, an upload in progress looks old; an hour later it has ended, and what has no record is nobody's.
  set = 3 * LEFT_BEHIND_MS;
  assert.equal(await sweep(), undefined);
  passed = LEFT_BEHIND_MS - 1;
  assert.equal(await sweep(), undefined);
  passed = LEFT_BEHIND_MS;
  assert.equal(await sweep(), 1);
  assert.deepEqual(await here(), []);
});
