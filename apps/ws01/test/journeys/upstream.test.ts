import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { exchange, postTo } from '../../../../packages/asmx/test/kit/http.ts';
import { originOf } from '../../../../packages/asmx/test/kit/listen.ts';
import { TEST_BINDINGS } from '../kit/bindings.ts';
import { ws01 } from '../kit/command.ts';
import { startService, TOKEN } from '../kit/service.ts';

const LOCAL = '127.0.0.0/8';

/** The server that is replaced: it says what it was asked. */
async function oldServer(t: TestContext) {
  const asked: { url: string; body: Buffer }[] = [];
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req as AsyncIterable<Buffer>) chunks.push(chunk);
    asked.push({ url: req.url!, body: Buffer.concat(chunks) });
    res
      .writeHead(200, { 'content-type': 'text/xml; charset=utf-8' })
      .end('<string xmlns="urn:ws01">old</string>');
  });
  const origin = await originOf(t, server);
  return { asked, origin: origin };
}

describe('a service with UPSTREAM_URL', () => {
  for (const FAST_PATH of ['on', 'off']) {
    it(`passes unknown and chosen operations on, and answers the others (FAST_PATH=${FAST_PATH})`, async (t) => {
      const { asked, origin } = await oldServer(t);
      const env = {
        UPSTREAM_URL: `${origin}/old/WS01.asmx`,
        UPSTREAM_OPERATIONS: 'QueryAdvert',
      };
      const { url } = await startService(t, undefined, { ...env, FAST_PATH });
      assert.match((await exchange(`${url}/WS01.asmx/OnlyThere?a=%E4`)).body, />old</);
      assert.match((await exchange(`${url}/WS01.asmx/QueryAdvert?userId=ada`)).body, />old</);
      const soap = `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><OnlyThere xmlns="urn:ws01"/></s:Body></s:Envelope>`;
      const headers = {
        'content-type': 'text/xml; charset=utf-8',
        soapaction: '"urn:ws01/OnlyThere"',
      };
      assert.match((await postTo(`${url}/WS01.asmx`, soap, headers)).body, />old</);
      assert.deepEqual(
        asked.map(({ url: path, body }) => [path, body.toString()]),
        [
          ['/old/WS01.asmx/OnlyThere?a=%E4', ''],
          ['/old/WS01.asmx/QueryAdvert?userId=ada', ''],
          ['/old/WS01.asmx', soap],
        ],
      );
      for (const binding of TEST_BINDINGS) {
        const { result } = await binding.call(url, 'countUserPosted', {
          tokenId: TOKEN,
          createuserid: 'ada',
          token: TOKEN,
        });
        assert.notEqual(result, 'old', binding.name);
      }
      assert.equal(asked.length, 3);
    });
  }
});

describe('ws01 record and ws01 replay', () => {
  it('take traffic from one server to the other', async (t) => {
    const folder = await temporaryFolder(t, 'ws01-traffic-');
    const file = join(folder, 'traffic.jsonl');
    const old = await startService(t);
    const args = [
      'bin/ws01.js',
      'record',
      file,
      '--to',
      old.url,
      '--port',
      '0',
      '--network',
      LOCAL,
    ];
    const recording = spawn(process.execPath, args, {
      env: { PATH: process.env.PATH ?? '' },
      stdio: 'pipe',
    });
    t.after(() => recording.kill());
    const [told] = await once(createInterface(recording.stderr), 'line');
    const proxy = /http:\/\/127\.0\.0\.1:\d+/.exec(String(told).split(' at ')[1] ?? '')?.[0];
    assert.ok(proxy, told);
    const article = { token: TOKEN, guid: 'g', caption: 'c', Status: '0' };
    for (const binding of TEST_BINDINGS)
      assert.equal((await binding.call(proxy, 'InsertArticle', article)).status, 200, binding.name);
    const ended = text(recording.stdout);
    recording.kill('SIGINT');
    assert.match(await ended, /: \d+ exchanges\.\n$/);
    assert.ok(!(await readFile(file, 'utf8')).includes(TOKEN));

    const secrets = join(folder, 'secrets.json');
    await writeFile(secrets, JSON.stringify({ token: TOKEN }));
    const fresh = await startService(t);
    const command = ['replay', file, '--new', fresh.url, '--network', LOCAL];
    const replayed = await ws01(old.database, [...command, '--secrets', secrets]);
    assert.deepEqual([replayed.code, replayed.stderr], [0, ''], replayed.stdout);
    assert.match(replayed.stdout, /^(\d+) replayed: \1 the same, 0 different\.\n$/);
    const without = await ws01(old.database, [...command, '--json']);
    assert.equal(without.code, 2);
    assert.equal(JSON.parse(without.stdout).replayed, 0);
  });
});
