import assert from 'node:assert/strict';
import { chown, mkdir, readdir, rm, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { TEST_BINDINGS } from '../kit/bindings.ts';
import { ws01 } from '../kit/command.ts';
import { emptyDatabase, freshDatabase, type TestDatabase } from '../kit/database.ts';
import { failedStart } from '../kit/failed-start.ts';
import { blackPng } from '../kit/images/containers.ts';
import { startService, TOKEN } from '../kit/service.ts';

const [soap11] = TEST_BINDINGS;
const OTHER = 12_345;
const options = {
  skip: process.geteuid?.() === 0 ? false : 'only root can give a file to another user',
};

describe('files of another user', () => {
  for (const name of ['ws01.sqlite', 'ws01.commits', 'ws01.lock']) {
    it(
      `${name}: serve and commands refuse, with the command that mends it, and leave nothing`,
      options,
      async (t) => {
        const database = await emptyDatabase('sqlite', t);
        const { dataDir } = database;
        const { app } = await startService(t, database);
        await app.stop();
        const before = await readdir(dataDir);
        await chown(join(dataDir, name), OTHER, OTHER);
        const { code, told } = await failedStart(t, database);
        assert.equal(code, 78, told);
        assert.match(told, new RegExp(`^.*/${name} belongs to the user with the id ${OTHER}, `));
        assert.ok(told.includes(`chown -R 0 ${dataDir}`), told);
        const listed = await ws01(database, ['token', 'list']);
        assert.equal(listed.code, 78);
        assert.match(listed.stderr, /belongs to the user with the id 12345, .* sudo -u '#12345'/);
        assert.deepEqual(await readdir(dataDir), before);
      },
    );
  }

  for (const folder of ['kept', 'kept/ab', 'incoming', 'trash']) {
    it(`files/${folder}: serve refuses, with the command that mends it`, options, async (t) => {
      const database = await freshDatabase('sqlite', t);
      const files = join(database.dataDir, 'files');
      await mkdir(join(files, folder), { recursive: true });
      await chown(join(files, folder), OTHER, OTHER);
      const { code, told } = await failedStart(t, database);
      assert.equal(code, 78, told);
      assert.ok(told.includes(`/${folder} belongs to the user with the id ${OTHER}`), told);
      assert.ok(told.includes(`chown -R 0 ${files}`), told);
      assert.equal((await stat(join(files, folder))).uid, OTHER);
    });
  }

  it(
    'a data folder of another user, as a container mounts it, is served by root',
    options,
    async (t) => {
      const dataDir = await temporaryFolder(t, 'ws01-owner-');
      await mkdir(join(dataDir, 'files'));
      for (const folder of ['files', '.']) await chown(join(dataDir, folder), OTHER, OTHER);
      const database = { dataDir } as TestDatabase;
      for (let start = 0; start < 2; start++) {
        const { app, url } = await startService(t, database);
        const FileImg = blackPng(20, 20).toString('base64');
        const call = { verifyCode: TOKEN, FileGuid: 'one', FileImg };
        assert.equal((await soap11!.call(url, 'InsertArticleImageFile', call)).result, 'true');
        await app.stop();
      }
    },
  );
});

it('/readyz says so where one of the folders of files cannot be written', async (t) => {
  const { app, url, database } = await startService(t, await freshDatabase('sqlite', t));
  const state = async () => (await fetch(`${url}/readyz`)).text();
  assert.equal(await state(), 'ready\n');
  const kept = join(database.dataDir, 'files/kept');
  await mkdir(kept, { recursive: true });
  // A link to nowhere is no folder for anybody, root included.
  await symlink('/no/such/folder', join(kept, 'ab'));
  assert.equal(await state(), 'degraded: files\n');
  await rm(join(kept, 'ab'));
  assert.equal(await state(), 'ready\n');
  await app.stop();
});
