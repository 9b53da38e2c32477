import assert from 'node:assert/strict';
import { cp, readdir, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { someOf } from '../../../../packages/asmx/test/kit/lane.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import type { Files } from '../../src/adapters/files/open.ts';
import { TEST_BINDINGS } from '../kit/bindings.ts';
import { type Place, type Settings, ws01 } from '../kit/command.ts';
import { freshDatabase } from '../kit/database.ts';
import { FILE_PLACES } from '../kit/file-places.ts';
import { names } from '../kit/file-stores.ts';
import { blackPng, pngChunk } from '../kit/images/containers.ts';
import { keptLog } from '../kit/log.ts';
import { spawnService } from '../kit/process.ts';
import { startService, TOKEN } from '../kit/service.ts';

const [soap11, , get] = TEST_BINDINGS;
const PICTURES = 2;

interface Part {
  readonly state: string;
  readonly reason?: string;
}

interface Service {
  readonly url: string;
  /** What it has logged. */
  output(): string;
}

async function partsOf({ url }: Service): Promise<Readonly<Record<string, Part>>> {
  return ((await (await fetch(`${url}/readyz?verbose`)).json()) as { parts: Record<string, Part> })
    .parts;
}

/** Waits until the part `sweep` has a state, and says why in `/readyz?verbose` and in the log. */
const sweepIs = (service: Service, state: string, reason = /(?:)/) =>
  until(async () => {
    const { sweep } = await partsOf(service);
    return (
      sweep?.state === state && reason.test(sweep.reason ?? '') && reason.test(service.output())
    );
  });

async function upload({ url }: Service): Promise<void> {
  for (let index = 0; index < PICTURES; index++) {
    const FileImg = blackPng(64, 64, pngChunk('tEXt', Buffer.from(`Key\0${index}`))).toString(
      'base64',
    );
    const call = { verifyCode: TOKEN, FileGuid: `picture-${index}`, FileImg };
    assert.equal((await soap11!.call(url, 'InsertArticleImageFile', call)).result, 'true');
  }
}

/** Whether all pictures are listed and shown. */
async function shown({ url }: Service): Promise<readonly number[]> {
  const { items } = JSON.parse((await get!.call(url, 'QueryImgData', {})).result!);
  const addresses: string[] = items.map(
    (item: { url: string }) => url + new URL(item.url).pathname,
  );
  return Promise.all(addresses.map(async (address) => (await fetch(address)).status));
}

/** A ground that moved: what is in DATA_DIR at the next start, and what is then said. */
interface Ground {
  readonly what: string;
  /** What is done to what was there when the service was killed. @param older what was there before the pictures. */
  readonly change: (dataDir: string, older: string) => Promise<unknown>;
  readonly reason: RegExp;
}

const FILE = 'ws01.sqlite';
const LOGS = [`${FILE}-wal`, `${FILE}-shm`];
const remove = (dataDir: string, names: readonly string[]) =>
  Promise.all(names.map((name) => rm(join(dataDir, name), { recursive: true, force: true })));
/** Puts a folder in the place of another one. */
async function as(folder: string, place: string): Promise<void> {
  await rm(place, { recursive: true, force: true });
  await cp(folder, place, { recursive: true });
}

const ANOTHER = /belong to another database.*ws01 files adopt/;
const LOST = /has lost commits.*ws01 restore.*ws01 db accept-loss/;

const GROUNDS: readonly Ground[] = [
  {
    what: 'a fresh DATA_DIR',
    change: async (dataDir) => remove(dataDir, await readdir(dataDir)),
    reason: ANOTHER,
  },
  {
    what: 'an emptied database',
    change: async (dataDir) => {
      await truncate(join(dataDir, FILE));
      await remove(dataDir, LOGS);
    },
    reason: ANOTHER,
  },
  {
    what: 'no database file',
    change: (dataDir) => remove(dataDir, [FILE, ...LOGS]),
    reason: ANOTHER,
  },
  {
    what: 'no write-ahead log',
    change: (dataDir) => remove(dataDir, LOGS),
    reason: LOST,
  },
  {
    what: 'the database of an earlier day',
    change: async (dataDir, older) => {
      await remove(dataDir, LOGS);
      await cp(join(older, FILE), join(dataDir, FILE));
    },
    reason: LOST,
  },
];

/** By day one ground of each reason, and one in S3. */
const EVERY = { disk: 3, s3: GROUNDS.length };

for (const kind of ['disk', 's3'] as const) {
  const grounds = someOf(GROUNDS, EVERY[kind]);
  it(`${kind}: no picture is lost by a start with ${grounds.map(({ what }) => what).join(', ')}`, async (t) => {
    const place = await FILE_PLACES[kind](t);
    const files = await place.open();
    const database = await freshDatabase('sqlite', t);
    const { dataDir } = database;
    const [right, older] = [`${dataDir}-right`, `${dataDir}-older`];
    t.after(() =>
      Promise.all([right, older].map((folder) => rm(folder, { recursive: true, force: true }))),
    );
    const start = async () => {
      const { log, text } = keptLog();
      log.level = 'warn';
      const { app, url } = await startService(t, database, place.env, log);
      return { url, output: text, stop: () => app.stop() };
    };

    const first = await start();
    await until(async () => (await files.store.owner()) !== undefined);
    await first.stop();
    await as(dataDir, older);
    const second = await spawnService(t, database, place.env);
    await upload(second);
    await second.end('SIGKILL');
    await as(dataDir, right);
    await place.age();
    const pictures = await names(files);
    assert.equal(pictures.length, 3 * PICTURES);

    for (const { what, change, reason } of grounds) {
      await as(right, dataDir);
      await change(dataDir, older);
      const service = await start();
      t.diagnostic(what);
      await sweepIs(service, 'degraded', reason);
      assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
      await assertKept(files, pictures, database, place.env, reason);
      await service.stop();
    }

    // An earlier day's database of which nothing tells that it is not the last one.
    await as(older, dataDir);
    const old = await start();
    await sweepIs(old, 'ok');
    await assertKept(files, pictures, database, place.env, /6 of 6/);
    await sweepIs(old, 'degraded');
    await old.stop();

    await as(right, dataDir);
    const again = await start();
    assert.deepEqual(await shown(again), Array(PICTURES).fill(200));
    await sweepIs(again, 'ok');
    const swept = await ws01(database, ['files', 'sweep'], '', place.env);
    assert.deepEqual([swept.code, await names(files)], [0, pictures]);
  });
}

/** A sweep that an operator asks for is refused, and moves nothing. */
async function assertKept(
  files: Files,
  pictures: readonly string[],
  database: Place,
  env: Settings,
  reason: RegExp,
): Promise<void> {
  const { code, stderr } = await ws01(database, ['files', 'sweep'], '', env);
  assert.equal(code, 1);
  assert.match(stderr, reason);
  assert.deepEqual(await names(files), pictures);
  assert.deepEqual(await Array.fromAsync(files.store.trash.list()), []);
}
