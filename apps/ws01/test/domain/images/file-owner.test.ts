import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { DAY_MS } from '@ws01/asmx/time';
import { temporaryFolder } from '../../../../../packages/asmx/test/kit/folder.ts';
import { type Files, openFiles } from '../../../src/adapters/files/open.ts';
import { newNameOfFile } from '../../../src/domain/images/file-names.ts';
import {
  countUnknown,
  filesIdOf,
  handOver,
  lookAtOwner,
} from '../../../src/domain/images/file-owner.ts';
import { TRASHED_MS } from '../../../src/domain/images/file-trash.ts';
import { LEFT_BEHIND_MS, lookBeforeSweep, sweepFiles } from '../../../src/domain/images/sweep.ts';
import { lostCommits, noteLoss } from '../../../src/store/lost-commits.ts';
import type { Store } from '../../../src/store/store.ts';
import { ws01 } from '../../kit/command.ts';
import { forEachEngine, freshDatabase, type TestDatabase } from '../../kit/database.ts';
import { FILE_PLACES, type FilePlace } from '../../kit/file-places.ts';
import { keep, names } from '../../kit/file-stores.ts';
import { startS3 } from '../../kit/s3.ts';
import { startS3Gate } from '../../kit/s3-gate.ts';

/** Stores a file. @param record what the database has of it. */
async function put(
  files: Files,
  store: Store,
  key: string,
  record: 'live' | 'deleted' | 'none',
): Promise<string> {
  const hash = createHash('sha256').update(key).digest('hex');
  const name = newNameOfFile(hash);
  await keep(files, name, Buffer.from(key));
  if (record === 'none') return name;
  const row = {
    hash,
    stored_as: name,
    served_format: null,
    width: 1,
    height: 1,
    frames: 1,
    bytes: key.length,
  };
  const deleted_at = record === 'deleted' ? 1 : null;
  await store.write((tx) =>
    tx
      .insertInto('image_files')
      .values({ ...row, format: 'png', stored_at: 0, deleted_at })
      .execute(),
  );
  return name;
}

/** Sweeps as a node does when so much time has passed. */
async function sweep(files: Files, store: Store, later = 2 * LEFT_BEHIND_MS, all = false) {
  const [ofStore, ofSpool] = [await files.store.now(), await files.spool.now()];
  return sweepFiles(
    { store, files, clock: Date.now },
    { store: ofStore + later, spool: ofSpool + later },
    { all },
  );
}

const trashed = async ({ store }: Files) =>
  (await Array.fromAsync(store.trash.list())).map(({ name }) => name).sort();

async function open(t: TestContext, database: TestDatabase, placeOf = FILE_PLACES.disk) {
  const place = await placeOf(t);
  return { place, files: await place.open(), store: await database.open() };
}

const run = (database: TestDatabase, place: FilePlace, ...args: string[]) =>
  ws01(database, args, '', place.env);

forEachEngine((_, fresh) => {
  it('an empty store becomes the database’s, and of several nodes that start at once all have one id', async (t) => {
    const { files, store } = await open(t, await fresh(t));
    const ids = await Promise.all(Array.from({ length: 4 }, () => filesIdOf(store)));
    assert.equal(new Set(ids).size, 1);
    assert.deepEqual(
      await Promise.all(ids.map(() => lookAtOwner({ store, files }))),
      ids.map(() => undefined),
    );
    assert.equal(await files.store.owner(), ids[0]);
  });

  it('a sweep takes a twentieth of the files at once, and not one more', async (t) => {
    const database = await fresh(t);
    const { files, store, place } = await open(t, database);
    const kept: string[] = [];
    for (let index = 0; index < 76; index++)
      kept.push(await put(files, store, `kept ${index}`, 'live'));
    const orphans: string[] = [];
    for (let index = 0; index < 5; index++)
      orphans.push(await put(files, store, `orphan ${index}`, 'none'));
    assert.equal(await lookBeforeSweep({ store, files, clock: Date.now }), 'unknown', '5 of 81');
    const removed = orphans.pop()!;
    await files.store.remove(removed);
    assert.equal(
      await lookBeforeSweep({ store, files, clock: Date.now }),
      undefined,
      '4 of 80 may be unknown',
    );

    const young = await sweep(files, store, 0);
    assert.deepEqual([young.orphans, young.trashed], [0, 0]);
    assert.equal((await sweep(files, store)).trashed, 4);
    assert.deepEqual(
      [await names(files), await trashed(files)],
      [[...kept].sort(), [...orphans].sort()],
    );
    const more: string[] = [];
    for (let index = 0; index < 4; index++)
      more.push(await put(files, store, `more ${index}`, 'none'));
    for (const name of [kept.pop()!]) await files.store.remove(name);
    const held = await sweep(files, store);
    assert.deepEqual([held.doubt, held.orphans, held.files, held.trashed], ['many', 4, 79, 0]);
    assert.match(
      (await run(database, place, 'status')).stdout,
      /sweep: degraded(.*\n)*.*ws01 files sweep --all/,
    );

    await place.age();
    const asked = await run(database, place, 'files', 'sweep', '--all', '--json');
    assert.equal(asked.code, 0, asked.stderr);
    assert.equal(JSON.parse(asked.stdout).trashed, 4);
    assert.deepEqual(await names(files), [...kept].sort());
    assert.doesNotMatch((await run(database, place, 'status')).stdout, /sweep:/);
    assert.match((await run(database, place, 'audit', 'list')).stdout, /files\.sweep/);
  });

  it('a folder of which half is away loses neither files nor records', async (t) => {
    const { files, store, place } = await open(t, await fresh(t));
    for (let index = 0; index < 20; index++) await put(files, store, `kept ${index}`, 'live');
    await lookAtOwner({ store, files });
    const all = await names(files);
    const kept = join(place.env.FILES_URL!, 'kept');
    const away = await temporaryFolder(t, 'ws01-away-');
    const parts = (await readdir(kept)).slice(0, 9);
    for (const part of parts) await rename(join(kept, part), join(away, part));
    assert.ok((await names(files)).length < all.length);
    const { removed, orphans, doubt } = await sweep(files, store, undefined, true);
    assert.deepEqual([removed, orphans, doubt], [0, 0, undefined]);
    for (const part of parts) await rename(join(away, part), join(kept, part));
    assert.deepEqual([await names(files), await trashed(files)], [all, []]);
    assert.equal((await countUnknown({ store, files })).unknown, 0);
  });

  it('an empty store is no store of a database with pictures, also after uploads, until it is adopted', async (t) => {
    const database = await fresh(t);
    const { files, store, place } = await open(t, database);
    const names = [];
    for (const key of ['one', 'two']) names.push(await put(files, store, key, 'live'));
    for (const name of names) await files.store.remove(name);
    assert.equal(await lookBeforeSweep({ store, files, clock: Date.now }), 'away');
    await put(files, store, 'later', 'live');
    const held = await sweep(files, store, undefined, true);
    assert.deepEqual([held.doubt, await files.store.owner()], ['away', undefined]);
    const { stdout } = await run(database, place, 'status');
    assert.match(stdout, /sweep: degraded(.*\n)*.*mount .*ws01 files adopt/);
    assert.equal((await run(database, place, 'files', 'adopt')).code, 0);
    assert.equal(await lookBeforeSweep({ store, files, clock: Date.now }), undefined);
  });

  it('files of deleted images go at once, however many; other objects are left alone', async (t) => {
    const { files, store } = await open(t, await fresh(t));
    await lookAtOwner({ store, files });
    for (let index = 0; index < 10; index++) await put(files, store, `deleted ${index}`, 'deleted');
    await keep(files, 'of-another-program.txt', Buffer.from('other'));
    const { removed, orphans, trashed: moved } = await sweep(files, store);
    assert.deepEqual([removed, orphans, moved], [10, 0, 0]);
    assert.deepEqual([await names(files), await trashed(files)], [['of-another-program.txt'], []]);
  });

  it('nothing is swept after lost commits, until somebody accepts them', async (t) => {
    const database = await fresh(t);
    const { files, store, place } = await open(t, database);
    await lookAtOwner({ store, files });
    const orphan = await put(files, store, 'orphan', 'none');
    for (const commits of [3, 4]) await noteLoss(store, { commits, mark: 100 + commits }, 1_000);
    await noteLoss(store, { commits: 4, mark: 104 }, 2_000);
    assert.deepEqual(await store.read(lostCommits), { commits: 7, since: 1_000 });
    assert.equal((await sweep(files, store, undefined, true)).doubt, 'lost');
    assert.deepEqual(await names(files), [orphan]);
    assert.match((await run(database, place, 'db', 'accept-loss')).stdout, /^Accepted: 7 commits/);
    assert.equal((await sweep(files, store)).trashed, 1);
    assert.match((await run(database, place, 'db', 'accept-loss')).stdout, /^No loss is known/);
  });
});

describe('a store of another database', () => {
  it('is not swept, whatever is asked for, until it is adopted; then the other database loses it', async (t) => {
    const [one, other] = [await freshDatabase('sqlite', t), await freshDatabase('sqlite', t)];
    const { files, store, place } = await open(t, one);
    const name = await put(files, store, 'picture', 'live');
    assert.equal(await lookAtOwner({ store, files }), undefined);
    const wrong = await other.open();
    const held = await sweep(files, wrong, undefined, true);
    assert.deepEqual([held.doubt, await names(files)], ['foreign', [name]]);
    const adopted = await run(other, place, 'files', 'adopt');
    assert.match(adopted.stdout, /belong to this database now/);
    assert.match(adopted.stderr, /1 of 1 files have no record/);
    assert.match((await run(other, place, 'files', 'adopt')).stdout, /already/);
    assert.deepEqual(
      [await lookAtOwner({ store, files }), await lookAtOwner({ store: wrong, files })],
      ['foreign', undefined],
    );
  });

  it('that no database has claimed is not taken up by one that does not know its files', async (t) => {
    const { files, store } = await open(t, await freshDatabase('sqlite', t));
    await put(files, store, 'picture', 'none');
    assert.equal(await lookAtOwner({ store, files }), 'unknown');
    assert.equal(await files.store.owner(), undefined);
    await put(files, store, 'another', 'live');
    assert.equal(await lookAtOwner({ store, files }), 'unknown', 'one of two');
  });
});

for (const [kind, placeOf] of Object.entries(FILE_PLACES)) {
  it(`${kind}: what was swept is listed and put back by a command, and by a sweep once the record is there again`, async (t) => {
    const database = await freshDatabase('sqlite', t);
    const { files, store, place } = await open(t, database, placeOf);
    await lookAtOwner({ store, files });
    const [one, two, three] = [
      await put(files, store, 'one', 'none'),
      await put(files, store, 'two', 'none'),
      await put(files, store, 'three', 'none'),
    ] as const;
    assert.equal((await sweep(files, store)).trashed, 3);
    const listed = JSON.parse(
      (await run(database, place, 'files', 'trash', '--json')).stdout,
    ).files;
    assert.deepEqual(
      listed.map((file: { name: string }) => file.name).sort(),
      [one, two, three].sort(),
    );

    const refused = await run(
      database,
      place,
      'files',
      'put-back',
      one,
      newNameOfFile('f'.repeat(64)),
    );
    assert.deepEqual([refused.code, refused.stdout], [1, '1 file was put back.\n']);
    assert.match(refused.stderr, /Not in the trash: f{64}/);
    assert.deepEqual(await names(files), [one]);
    assert.equal((await run(database, place, 'files', 'put-back')).code, 2);

    // The record of one is there again.
    const hash = two.slice(0, 64);
    const row = {
      hash,
      stored_as: two,
      format: 'png',
      served_format: null,
      width: 1,
      height: 1,
      frames: 1,
    } as const;
    await store.write((tx) =>
      tx
        .insertInto('image_files')
        .values({ ...row, bytes: 3, stored_at: 0 })
        .execute(),
    );
    const later = TRASHED_MS + 2 * DAY_MS;
    const result = await sweep(files, store, later);
    assert.deepEqual([result.putBack, result.trashed], [1, 1]);
    assert.deepEqual(await names(files), [two]);
    assert.equal(
      (await trashed(files)).includes(three),
      false,
      'without a record its time is over',
    );
    assert.equal((await trashed(files)).includes(one), true, 'it came there anew');
  });
}

describe('one store', () => {
  it('that two services sweep at once loses no picture of either', async (t) => {
    const databases = [await freshDatabase('sqlite', t), await freshDatabase('sqlite', t)];
    const place = await FILE_PLACES.disk(t);
    const services = await Promise.all(
      databases.map(async (database) => ({
        store: await database.open(),
        files: await place.open(),
      })),
    );
    const both = (work: (of: (typeof services)[number], index: number) => Promise<unknown>) =>
      Promise.all(services.map(work));
    await both((service) => lookAtOwner(service));
    const pictures = new Set<string>();
    for (let round = 0; round < 4; round++) {
      await both(async ({ files, store }, index) =>
        pictures.add(await put(files, store, `${index} ${round}`, 'live')),
      );
      // Two nodes of each sweep, and each once takes the store for itself.
      await both(async ({ files, store }, index) => {
        const [ofStore, ofSpool] = [await files.store.now(), await files.spool.now()];
        const now = { store: ofStore + 2 * LEFT_BEHIND_MS, spool: ofSpool };
        const sweeps = [0, 1].map(() =>
          sweepFiles({ store, files, clock: Date.now }, now, { all: true }),
        );
        if (round === 1 + index) await files.store.giveTo(await filesIdOf(store));
        // One may meet what another has just taken, and fail: it goes on the next time.
        await Promise.allSettled(sweeps);
      });
    }
    // What was taken for nobody's is in the trash, and comes back to whom it belongs.
    for (const { files, store } of services) {
      await files.store.giveTo(await filesIdOf(store));
      const [ofStore, ofSpool] = [await files.store.now(), await files.spool.now()];
      await sweepFiles({ store, files, clock: Date.now }, { store: ofStore, spool: ofSpool });
    }
    const [{ files } = assert.fail()] = services;
    assert.deepEqual(await names(files), [...pictures].sort());
  });

  it('in S3 keeps what two nodes move at once, also where a copy has an ETag of its own', async (t) => {
    const { endpoint, bucket } = await startS3(t);
    const folder = await temporaryFolder(t, 'ws01-moved-');
    const openAt = async (address: string) => {
      const at = { kind: 's3', bucket, prefix: '', endpoint: address, region: undefined } as const;
      const files = await openFiles(at, folder);
      t.after(() => files.store.close());
      return files;
    };
    const other = await openAt(endpoint);
    const name = newNameOfFile('a'.repeat(64));
    await keep(other, name, Buffer.from('bytes'));
    // The other node has copied it before, and removes it now.
    const removed = () => other.store.remove(name);
    const files = await openAt(await startS3Gate(t, endpoint, () => true, removed));
    await files.store.trash.take(name, '2026-11-27');
    assert.deepEqual([await names(other), await trashed(other)], [[], [name]]);
  });
});

it('s3: a stop between copy and delete leaves both, and the next sweep goes on', async (t) => {
  const { endpoint, bucket } = await startS3(t);
  let isStopped = false;
  const gate = await startS3Gate(t, endpoint, ({ method }) => !(isStopped && method === 'DELETE'));
  const folder = await temporaryFolder(t, 'ws01-stopped-');
  const files = await openFiles(
    { kind: 's3', bucket, prefix: '', endpoint: gate, region: undefined },
    folder,
  );
  t.after(() => files.store.close());
  const store = await (await freshDatabase('sqlite', t)).open();
  await lookAtOwner({ store, files });
  const live = await put(files, store, 'live', 'live');
  const orphan = await put(files, store, 'orphan', 'none');
  await files.store.trash.take(live, '2026-01-01');
  isStopped = true;
  await assert.rejects(sweep(files, store, undefined, true), { dependency: 'files' });
  assert.deepEqual([await names(files), await trashed(files)], [[orphan], [live, orphan].sort()]);
  isStopped = false;
  await sweep(files, store, undefined, true);
  assert.deepEqual([await names(files), await trashed(files)], [[live], [orphan]]);
});

it('what is in the trash stays there for its days, to the last one', async (t) => {
  const { files, store } = await open(t, await freshDatabase('sqlite', t));
  await lookAtOwner({ store, files });
  const name = await put(files, store, 'orphan', 'none');
  await sweep(files, store);
  const [file] = await Array.fromAsync(files.store.trash.list());
  const ends = Date.parse(file!.day) + TRASHED_MS;
  const at = async (now: number) => {
    await sweepFiles({ store, files, clock: Date.now }, { store: now, spool: now });
    return trashed(files);
  };
  assert.deepEqual(await at(ends), [name]);
  assert.deepEqual(await at(ends + 1), []);
});

it('a database that replaces another one gets its files, and no files of a third one', async (t) => {
  const { files } = await open(t, await freshDatabase('sqlite', t));
  assert.equal(await handOver(files.store, undefined, 'restored'), true);
  assert.equal(
    await files.store.owner(),
    undefined,
    'an unclaimed store is claimed by the service that knows its files',
  );
  await files.store.giveTo('replaced');
  assert.equal(await handOver(files.store, 'replaced', 'restored'), true);
  assert.equal(await files.store.owner(), 'restored');
  assert.equal(await handOver(files.store, 'replaced', 'another'), false);
  assert.equal(await files.store.owner(), 'restored');
  // A backup from before the files had an id.
  assert.equal(await handOver(files.store, 'restored', undefined), true);
  assert.equal(await files.store.owner(), undefined);
});
