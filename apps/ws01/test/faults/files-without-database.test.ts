import assert from 'node:assert/strict';
import { cp, mkdir, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { someOf } from '../../../../packages/asmx/test/kit/lane.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import type { Files } from '../../src/adapters/files/open.ts';
import { TEST_BINDINGS } from '../kit/bindings.ts';
import { ws01 } from '../kit/command.ts';
import { freshDatabase, type TestDatabase } from '../kit/database.ts';
import { FILE_PLACES } from '../kit/file-places.ts';
import { names } from '../kit/file-stores.ts';
import { blackPng, pngChunk } from '../kit/images/containers.ts';
import { type ServiceProcess, spawnService } from '../kit/process.ts';
import { TOKEN } from '../kit/service.ts';

const [soap11, , get] = TEST_BINDINGS;
const PICTURES = 2;

interface Part {
  readonly state: string;
  readonly reason?: string;
}

async function partsOf({ url }: ServiceProcess): Promise<Readonly<Record<string, Part>>> {
  return ((await (await fetch(`${url}/readyz?verbose`)).json()) as { parts: Record<string, Part> })
    .parts;
}

/** Waits until the part `sweep` has a state, and says why in `/readyz?verbose` and in the log. */
const sweepIs = (service: ServiceProcess, state: string, reason = /(?:)/) =>
  until(async () => {
    const { sweep } = await partsOf(service);
    return (
      sweep?.state === state && reason.test(sweep.reason ?? '') && reason.test(service.output())
    );
  });

async function upload({ url }: ServiceProcess): Promise<void> {
  for (let index = 0; index < PICTURES; index++) {
    const FileImg = blackPng(64, 64, pngChunk('tEXt', Buffer.from(`Key\0${index}`))).toString(
      'base64',
    );
    const call = { verifyCode: TOKEN, FileGuid: `picture-${index}`, FileImg };
    assert.equal((await soap11!.call(url, 'InsertArticleImageFile', call)).result, 'true');
  }
}

/** Whether all pictures are listed and shown. */
async function shown({ url }: ServiceProcess): Promise<readonly number[]> {
  const { items } = JSON.parse((await get!.call(url, 'QueryImgData', {})).result!);
  const addresses: string[] = items.map(
    (item: { url: string }) => url + new URL(item.url).pathname,
  );
  return Promise.all(addresses.map(async (address) => (await fetch(address)).status));
}

/** A ground that moved: what is in DATA_DIR at the next start, and what is then said. */
interface Ground {
  readonly what: string;
  /** @param right what was there when the service was killed. @param older what was there before the pictures. */
  readonly prepare: (dataDir: string, right: string, older: string) => Promise<void>;
  readonly reason: RegExp;
}

const LOGS = ['ws01.sqlite-wal', 'ws01.sqlite-shm'];
const remove = (dataDir: string, names: readonly string[]) =>
  Promise.all(names.map((name) => rm(join(dataDir, name), { force: true })));
const as = (folder: string, dataDir: string) => cp(folder, dataDir, { recursive: true });

const ANOTHER = /belong to another database.*ws01 files adopt/;
const LOST = /has lost commits.*ws01 restore.*ws01 db accept-loss/;

const GROUNDS: readonly Ground[] = [
  { what: 'a fresh DATA_DIR', prepare: async () => {}, reason: ANOTHER },
  {
    what: 'an emptied database',
    prepare: async (dataDir, right) => {
      await as(right, dataDir);
      await truncate(join(dataDir, 'ws01.sqlite'));
      await remove(dataDir, LOGS);
    },
    reason: ANOTHER,
  },
  {
    what: 'no database file',
    prepare: async (dataDir, right) => {
      await as(right, dataDir);
      await remove(dataDir, ['ws01.sqlite', ...LOGS]);
    },
    reason: ANOTHER,
  },
  {
    what: 'no write-ahead log',
    prepare: async (dataDir, right) => {
      await as(right, dataDir);
      await remove(dataDir, LOGS);
    },
    reason: LOST,
  },
  {
    what: 'the database of an earlier day',
    prepare: async (dataDir, right, older) => {
      await as(right, dataDir);
      await remove(dataDir, LOGS);
      await cp(join(older, 'ws01.sqlite'), join(dataDir, 'ws01.sqlite'));
    },
    reason: LOST,
  },
];

for (const [kind, placeOf] of Object.entries(FILE_PLACES)) {
  const grounds = kind === 'disk' ? GROUNDS : someOf(GROUNDS, 3);
  it(`${kind}: no picture is lost by a start with ${grounds.map(({ what }) => what).join(', ')}`, async (t) => {
    const place = await placeOf(t);
    const files = await place.open();
    const { dataDir } = await freshDatabase('sqlite', t);
    const [right, older] = [`${dataDir}-right`, `${dataDir}-older`];
    t.after(() =>
      Promise.all([right, older].map((folder) => rm(folder, { recursive: true, force: true }))),
    );
    const start = (test: TestContext = t) =>
      spawnService(test, { dataDir } as TestDatabase, place.env);

    const first = await start();
    await until(async () => (await files.store.owner()) !== undefined);
    await first.end('SIGTERM');
    await as(dataDir, older);
    const second = await start();
    await upload(second);
    await second.end('SIGKILL');
    await as(dataDir, right);
    await place.age();
    const pictures = await names(files);
    assert.equal(pictures.length, 3 * PICTURES);

    for (const { what, prepare, reason } of grounds) {
      await rm(dataDir, { recursive: true });
      await mkdir(dataDir);
      await prepare(dataDir, right, older);
      const service = await start();
      t.diagnostic(what);
      await sweepIs(service, 'degraded', reason);
      assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
      await assertKept(files, pictures, { dataDir, env: place.env }, reason);
      await service.end('SIGTERM');
    }

    // An earlier day's database of which nothing tells that it is not the last one.
    await rm(dataDir, { recursive: true });
    await as(older, dataDir);
    const old = await start();
    await sweepIs(old, 'ok');
    await assertKept(files, pictures, { dataDir, env: place.env }, /6 of 6/);
    await sweepIs(old, 'degraded');
    await old.end('SIGTERM');

    await rm(dataDir, { recursive: true });
    await as(right, dataDir);
    const again = await start();
    assert.deepEqual(await shown(again), Array(PICTURES).fill(200));
    await sweepIs(again, 'ok');
    const swept = await ws01(
      { dataDir, databaseUrl: undefined },
      ['files', 'sweep'],
      '',
      place.env,
    );
    assert.deepEqual([swept.code, await names(files)], [0, pictures]);
  });
}

/** A sweep that an operator asks for is refused, and moves nothing. */
async function assertKept(
  files: Files,
  pictures: readonly string[],
  { dataDir, env }: { readonly dataDir: string; readonly env: Readonly<Record<string, string>> },
  reason: RegExp,
): Promise<void> {
  const { code, stderr } = await ws01(
    { dataDir, databaseUrl: undefined },
    ['files', 'sweep'],
    '',
    env,
  );
  assert.equal(code, 1);
  assert.match(stderr, reason);
  assert.deepEqual(await names(files), pictures);
  assert.deepEqual(await Array.fromAsync(files.store.trash.list()), []);
}
