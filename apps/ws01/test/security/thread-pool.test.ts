import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { promisify } from 'node:util';
import { TEST_BINDINGS } from '../kit/bindings.ts';
import { forEachEngine } from '../kit/database.ts';
import { blackPng } from '../kit/images/containers.ts';
import { startService, TOKEN } from '../kit/service.ts';

const [soap11, , get] = TEST_BINDINGS;

/** More than Node has threads for files. */
const READERS = 12;

forEachEngine((_engine, fresh) => {
  it('writes are answered while every thread for files waits for a disk that does not', async (t) => {
    const database = await fresh(t);
    const { url } = await startService(t, database);
    const image = { verifyCode: TOKEN, FileGuid: 'a', FileImg: blackPng(8, 8).toString('base64') };
    assert.equal((await soap11!.call(url, 'InsertArticleImageFile', image)).result, 'true');
    const list = JSON.parse((await get!.call(url, 'QueryImgData', { query: 'a' })).result!);
    // To open a pipe waits until somebody writes, as to read from a dead disk waits.
    const kept = join(database.dataDir, 'files', 'kept');
    const name = (await readdir(kept, { recursive: true })).find((one) => one.endsWith('.full'))!;
    const pipe = join(kept, name);
    await rm(pipe);
    await promisify(execFile)('mkfifo', [pipe]);

    const reading = Array.from({ length: READERS }, () => fetch(list.items[0].url));
    let released = false;
    const answers = Promise.allSettled(reading);
    for (let call = 0; call < 20; call++) {
      const article = { token: TOKEN, guid: `g-${call}`, caption: 'c', content: 'text' };
      const { result } = await soap11!.call(url, 'InsertArticle', article);
      assert.equal(result, `g-${call}`);
    }
    const first = await Promise.race([...reading, 'none']);
    assert.equal(first, 'none', 'the threads have been waiting all the time');

    // Readers find a writer that says nothing, and end one after another.
    const writer = openSync(pipe, constants.O_RDWR);
    const release = setInterval(() => {
      if (!released) closeSync(openSync(pipe, constants.O_RDWR));
    }, 10);
    await answers;
    released = true;
    clearInterval(release);
    closeSync(writer);
  });
});
