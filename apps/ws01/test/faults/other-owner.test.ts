import assert from 'node:assert/strict';
import { chown, mkdir, readdir, rm, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { TEST_BINDINGS } from '../kit/bindings.ts';
import { spawnWs01 } from '../kit/command-process.ts';
import { emptyDatabase, freshDatabase } from '../kit/database.ts';
import { blackPng } from '../kit/images/containers.ts';
import { spawnService } from '../kit/process.ts';
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
        const { dataDir } = await emptyDatabase('sqlite', t);
        const database = { dataDir, databaseUrl: undefined };
        const service = await spawnService(t, await emptyDatabase('sqlite', t), {
          DATA_DIR: dataDir,
        });
        await service.end('SIGTERM');
        const before = await readdir(dataDir);
        await chown(join(dataDir, name), OTHER, OTHER);
        const served = await spawnWs01(database, ['serve']);
        assert.equal(served.code, 78, served.stderr);
        assert.match(
          served.stderr,
          new RegExp(`^ws01: .*/${name} belongs to the user with the id ${OTHER}, .*`, 'm'),
        );
        assert.ok(served.stderr.includes(`chown -R 0 ${dataDir}`), served.stderr);
        const listed = await spawnWs01(database, ['token', 'list']);
        assert.deepEqual([listed.code, /sudo -u '#12345'/.test(listed.stderr)], [78, true]);
        assert.deepEqual(await readdir(dataDir), before);
      },
    );
  }

  for (const folder of ['kept', 'kept/ab', 'incoming', 'trash']) {
    it(`files/${folder}: serve refuses, with the command that mends it`, options, async (t) => {
      const { dataDir } = await freshDatabase('sqlite', t);
      await mkdir(join(dataDir, 'files', folder), { recursive: true });
      await chown(join(dataDir, 'files', folder), OTHER, OTHER);
      const served = await spawnWs01({ dataDir, databaseUrl: undefined }, ['serve']);
      assert.equal(served.code, 78, served.stderr);
      assert.ok(
        served.stderr.includes(`/${folder} belongs to the user with the id ${OTHER}`),
        served.stderr,
      );
      assert.ok(served.stderr.includes(`chown -R 0 ${join(dataDir, 'files')}`), served.stderr);
      assert.equal((await stat(join(dataDir, 'files', folder))).uid, OTHER);
    });
  }

  it(
    'a data folder of another user, as a container mounts it, is served by root',
    options,
    async (t) => {
      const dataDir = await temporaryFolder(t, 'ws01-owner-');
      await mkdir(join(dataDir, 'files'));
      for (const folder of ['files', '.']) await chown(join(dataDir, folder), OTHER, OTHER);
      for (let start = 0; start < 2; start++) {
        const service = await spawnService(t, await emptyDatabase('sqlite', t), {
          DATA_DIR: dataDir,
        });
        const FileImg = blackPng(20, 20).toString('base64');
        const call = { verifyCode: TOKEN, FileGuid: 'one', FileImg };
        assert.equal(
          (await soap11!.call(service.url, 'InsertArticleImageFile', call)).result,
          'true',
        );
        assert.equal(await service.end('SIGTERM'), 0);
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
