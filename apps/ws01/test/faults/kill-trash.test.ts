import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { filesIn } from '../../../../packages/asmx/test/kit/folder.ts';
import { someOf } from '../../../../packages/asmx/test/kit/lane.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { newNameOfFile } from '../../src/domain/images/file-names.ts';
import { TEST_BINDINGS } from '../kit/bindings.ts';
import { ws01 } from '../kit/command.ts';
import { spawnWs01 } from '../kit/command-process.ts';
import { freshDatabase } from '../kit/database.ts';
import { FILE_PLACES } from '../kit/file-places.ts';
import { keep, names } from '../kit/file-stores.ts';
import { processEnv } from '../kit/fixed.ts';
import { blackPng } from '../kit/images/containers.ts';
import { startService, TOKEN } from '../kit/service.ts';

const [soap11, , get] = TEST_BINDINGS;

/** Files without a record; those of the one picture that has one. */
const ORPHANS = 6;
const RECORDED = 3;

/** Which move of `files sweep`, of all: the orphans, then the files of the picture, which were in the trash. */
const MOVES = [1, ORPHANS, ORPHANS + 2];

/** See `killed-amid-moves.ts`: before a move, right after it, and before the sync of each of the two folders. */
const OPENS = [-1, 0, 1, 2];

/** The bytes of each file in a folder of the store, by its name. */
async function contentsOf(folder: string): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>();
  for (const [name, path] of await filesIn(folder)) found.set(name, await readFile(path));
  return found;
}

it('kill -9 amid moves to the trash and back: each file is whole in one of both places, and all come back', async (t) => {
  const place = await FILE_PLACES.disk(t);
  const files = await place.open();
  const folder = place.env.FILES_URL!;
  const database = await freshDatabase('sqlite', t);
  const start = () => startService(t, database, place.env);
  const run = (args: readonly string[]) => ws01(database, args, '', place.env);

  const first = await start();
  await until(async () => (await files.store.owner()) !== undefined);
  const picture = {
    verifyCode: TOKEN,
    FileGuid: 'picture',
    FileImg: blackPng(64, 64).toString('base64'),
  };
  assert.equal((await soap11!.call(first.url, 'InsertArticleImageFile', picture)).result, 'true');
  await first.app.stop();
  const recorded = await names(files);
  assert.equal(recorded.length, RECORDED);
  for (let index = 0; index < ORPHANS; index++) {
    const bytes = randomBytes(1 + index * 30_000);
    await keep(files, newNameOfFile(createHash('sha256').update(bytes).digest('hex')), bytes);
  }
  await place.age();
  const all = await contentsOf(join(folder, 'kept'));
  assert.equal(all.size, ORPHANS + RECORDED);

  /** @returns how many files are in the trash; each is in one of both places, whole, and there is no other. */
  const trashed = async (when: string) => {
    const [kept, trash] = [
      await contentsOf(join(folder, 'kept')),
      await contentsOf(join(folder, 'trash')),
    ];
    for (const name of trash.keys())
      assert.ok(!kept.has(name), `${when}: ${name} is in both places`);
    const found = new Map([...kept, ...trash]);
    assert.deepEqual([...found.keys()].sort(), [...all.keys()].sort(), when);
    for (const [name, bytes] of all)
      assert.ok(found.get(name)!.equals(bytes), `${when}: ${name} is whole`);
    return trash.size;
  };
  const runKilled = async (args: readonly string[], moves: number, opens: number) => {
    const module = new URL(
      `../kit/killed-amid-moves.ts?moves=${moves}&opens=${opens}`,
      import.meta.url,
    );
    const env = { ...place.env, ...processEnv({}, module.href) };
    const { code, stderr } = await spawnWs01(database, args, '', env);
    assert.equal(
      code,
      null,
      `${args.join(' ')} was not killed at move ${moves}, ${opens}: ${stderr}`,
    );
  };

  for (const [round, opens] of someOf([...OPENS.entries()], 2)) {
    const done = opens === -1 ? 1 : 0;
    const moves = MOVES[round % MOVES.length]!;
    const when = `sweep, move ${moves}, open ${opens}`;
    for (const name of recorded) await files.store.trash.take(name, '2026-11-27');
    await runKilled(['files', 'sweep', '--all'], moves, opens);
    const whole = moves - done;
    const expected = whole <= ORPHANS ? RECORDED + whole : RECORDED + ORPHANS - (whole - ORPHANS);
    assert.equal(await trashed(when), expected, when);
    // The next one goes on where it was.
    assert.equal((await run(['files', 'sweep', '--all'])).code, 0);
    assert.equal(await trashed(`after ${when}`), ORPHANS);

    const back = 1 + round;
    await runKilled(['files', 'put-back', '--all'], back, opens);
    assert.equal(await trashed(`put-back, move ${back}, open ${opens}`), ORPHANS - back + done);
    assert.equal((await run(['files', 'put-back', '--all'])).code, 0);
    assert.equal(await trashed('after all were put back'), 0);
  }

  const again = await start();
  const { items } = JSON.parse((await get!.call(again.url, 'QueryImgData', {})).result!);
  const address = again.url + new URL(items[0].url).pathname;
  assert.equal((await fetch(address)).status, 200);
  assert.equal(await trashed('after a start'), 0);
});
