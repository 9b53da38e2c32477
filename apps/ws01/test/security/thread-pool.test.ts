import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { constants, openSync, renameSync, writeFileSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { promisify } from 'node:util';
import pg from 'pg';
import { TEST_BINDINGS } from '../kit/bindings.ts';
import { forEachEngine } from '../kit/database.ts';
import { blackPng } from '../kit/images/containers.ts';
import { startService, TOKEN } from '../kit/service.ts';

const [soap11, , get] = TEST_BINDINGS;

/** Far more than Node has threads. */
const READERS = 100;
const UPLOADS = 8;
const CONNECTIONS = 5;

forEachEngine((_engine, fresh) => {
  it('a disk that does not answer keeps no thread from writes, connections, cryptography and health', async (t) => {
    const { url, database } = await startService(t, await fresh(t));
    const upload = (guid: string, side: number) => {
      const image = {
        verifyCode: TOKEN,
        FileGuid: guid,
        FileImg: blackPng(side, side).toString('base64'),
      };
      return soap11!.call(url, 'InsertArticleImageFile', image);
    };
    assert.equal((await upload('a', 8)).result, 'true');
    const list = JSON.parse((await get!.call(url, 'QueryImgData', { query: 'a' })).result!);
    const kept = join(database.dataDir, 'files', 'kept');
    const name = (await readdir(kept, { recursive: true })).find((one) => one.endsWith('.full'))!;
    // To open a pipe waits until somebody writes, as to read from a dead disk waits.
    const pipe = join(kept, name);
    await rm(pipe);
    await promisify(execFile)('mkfifo', [pipe]);

    const left = new AbortController();
    const waiting: Promise<unknown>[] = [];
    try {
      const reading = Array.from({ length: READERS }, () => fetch(list.items[0].url));
      waiting.push(...reading);
      waiting.push(
        ...reading.map((_, at) =>
          fetch(list.items[0].url, { signal: at % 2 ? left.signal : null }),
        ),
      );
      // The threads that files may have are taken now; these wait behind.
      waiting.push(...Array.from({ length: UPLOADS }, (_, at) => upload(`waits-${at}`, 10 + at)));

      for (let call = 0; call < 20; call++) {
        const article = { token: TOKEN, guid: `g-${call}`, caption: 'c', content: 'text' };
        assert.equal((await soap11!.call(url, 'InsertArticle', article)).result, `g-${call}`);
      }
      for (let at = 0; at < CONNECTIONS && database.databaseUrl !== undefined; at++) {
        const client = new pg.Client({ connectionString: database.databaseUrl });
        await client.connect();
        await client.end();
      }
      await Promise.all(
        Array.from({ length: 20 }, () => crypto.subtle.digest('SHA-256', Buffer.alloc(1000))),
      );
      assert.equal(await fetch(`${url}/healthz`).then((answer) => answer.status), 200);
      assert.ok([200, 503].includes(await fetch(`${url}/readyz`).then((answer) => answer.status)));
      left.abort();
      assert.equal(
        await Promise.race([...reading, 'none']),
        'none',
        'the disk has been dead all the time',
      );
    } finally {
      // Nothing after this, and no process, ends before the disk is back. No thread is needed to bring it back: who waits
      // to open the pipe finds a writer, and cannot read at a position; who comes later finds a file.
      openSync(pipe, constants.O_RDWR);
      writeFileSync(`${pipe}.new`, 'back');
      renameSync(`${pipe}.new`, pipe);
      await Promise.allSettled(waiting);
    }
  });
});
