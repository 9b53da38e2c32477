import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { temporaryFolder } from '../../../../../packages/asmx/test/kit/folder.ts';
import { until } from '../../../../../packages/asmx/test/kit/until.ts';
import { DiskTurns } from '../../../src/adapters/files/disk-turns.ts';
import type { FilePieces } from '../../../src/adapters/files/file-store.ts';
import { openPieces, readFileStream } from '../../../src/adapters/files/file-streams.ts';
import { streamOf } from '../../../src/adapters/files/hot-files.ts';

/** Work that ends when it is told to. */
function held() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { work: () => promise, end: resolve };
}

it('as many operations at once as there are turns; the next waits for one to end', async () => {
  const turns = new DiskTurns({ atOnce: 2 });
  const [first, second] = [held(), held()];
  const began: string[] = [];
  const all = [turns.take('read', first.work), turns.take('write', second.work)];
  all.push(turns.take('read', async () => void began.push('third')));
  await nextTurn();
  assert.deepEqual(began, []);
  first.end();
  await all[0];
  await all[2];
  assert.deepEqual(began, ['third']);
  second.end();
  await Promise.all(all);
});

it('as many wait as may; one more is Busy, with the time to come back', async () => {
  const turns = new DiskTurns({ atOnce: 1, waiting: 2 });
  const first = held();
  const all = [
    turns.take('read', first.work),
    turns.take('read', nextTurn),
    turns.take('read', nextTurn),
  ];
  await assert.rejects(turns.take('read', nextTurn), {
    dependency: 'files',
    kind: 'busy',
    retryAfter: 5,
  });
  // What must go on is not refused, and neither is the other queue.
  all.push(
    turns.take('read', () => nextTurn(), { patient: true }),
    turns.take('write', () => nextTurn()),
  );
  first.end();
  await Promise.all(all);
});

it('a wait that is too long is Busy, and the turn goes to another', async () => {
  const turns = new DiskTurns({ atOnce: 1, waitMs: 1 });
  const first = held();
  const holding = turns.take('read', first.work);
  await assert.rejects(turns.take('read', nextTurn), { dependency: 'files', kind: 'busy' });
  const patient = turns.take('read', () => Promise.resolve('late'), { patient: true });
  first.end();
  await holding;
  assert.equal(await patient, 'late');
});

it('who leaves waits no longer, and is never begun', async () => {
  const turns = new DiskTurns({ atOnce: 1 });
  const [first, left] = [held(), new AbortController()];
  const holding = turns.take('read', first.work);
  const leaving = turns.take('read', () => assert.fail('begun'), { signal: left.signal });
  left.abort(new Error('gone'));
  await assert.rejects(leaving, { message: 'gone' });
  await assert.rejects(
    turns.take('read', () => assert.fail('begun'), { signal: left.signal }),
    { message: 'gone' },
  );
  first.end();
  await holding;
});

it('readers and writers take turns, whoever is more', async () => {
  const turns = new DiskTurns({ atOnce: 1 });
  const first = held();
  const order: string[] = [];
  const note = (name: string) => async () => void order.push(name);
  const all = [turns.take('read', first.work)];
  for (let at = 0; at < 4; at++) all.push(turns.take('read', note(`r${at}`)));
  for (let at = 0; at < 2; at++) all.push(turns.take('write', note(`w${at}`)));
  first.end();
  await Promise.all(all);
  assert.deepEqual(order, ['r0', 'w0', 'r1', 'w1', 'r2', 'r3']);
});

it('work that fails gives its turn back', async () => {
  const turns = new DiskTurns({ atOnce: 1 });
  await assert.rejects(
    turns.take('read', () => Promise.reject(new Error('no'))),
    { message: 'no' },
  );
  assert.equal(await turns.take('read', () => Promise.resolve('next')), 'next');
});

it('a pool gives half of its threads at most, and one at least', async () => {
  for (const [threads, expected] of [
    [1, 1],
    [4, 2],
    [16, 4],
    [1024, 4],
  ] as const) {
    const turns = DiskTurns.ofPool(threads);
    let [underWay, most] = [0, 0];
    const work = async () => {
      most = Math.max(most, ++underWay);
      await nextTurn();
      underWay--;
    };
    await Promise.all(Array.from({ length: 20 }, () => turns.take('read', work)));
    assert.equal(most, expected);
  }
});

it('a reader that pauses holds no turn, and one that leaves while it waits closes its file', async (t) => {
  const folder = await temporaryFolder(t, 'ws01-turns-');
  const path = join(folder, 'file');
  await writeFile(path, Buffer.alloc(1_000_000, 7));
  const turns = new DiskTurns({ atOnce: 1 });
  const paused = await readFileStream(path, turns);
  paused.read(0);
  let bytes = 0;
  for await (const piece of await readFileStream(path, turns)) bytes += piece.length;
  assert.equal(bytes, 1_000_000);
  const first = held();
  const holding = turns.take('write', first.work);
  const closed = new Promise((resolve) => paused.on('close', resolve));
  paused.on('data', () => {});
  paused.destroy();
  first.end();
  await Promise.all([holding, closed]);
});

it('a file that is read in pieces is closed, however its reader leaves', async (t) => {
  const folder = await temporaryFolder(t, 'ws01-turns-');
  const path = join(folder, 'file');
  const bytes = randomBytes(1_000_000);
  await writeFile(path, bytes);
  const turns = new DiskTurns({ atOnce: 1 });
  const descriptors = async () => {
    const all = (await readdir('/proc/self/fd')).map((one) =>
      readlink(`/proc/self/fd/${one}`).catch(() => ''),
    );
    return (await Promise.all(all)).filter((one) => one === path);
  };
  const ways: readonly ((pieces: FilePieces) => unknown)[] = [
    (pieces) => pieces.destroy?.(),
    (pieces) => streamOf(pieces).destroy(),
    async (pieces) => assert.deepEqual(await buffer(streamOf(pieces)), bytes),
    async (pieces) => {
      for await (const _ of pieces) break;
    },
    async (pieces) => {
      const reading = pieces[Symbol.asyncIterator]();
      await reading.next();
      pieces.destroy?.();
      await assert.rejects(reading.next());
    },
  ];
  for (const [at, leave] of ways.entries()) {
    const pieces = await openPieces(path, turns);
    assert.equal((await descriptors()).length, 1);
    await leave(pieces);
    await until(
      async () => (await descriptors()).length === 0,
      () => `${at}`,
    );
  }
});
