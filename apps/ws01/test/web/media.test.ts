import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, readlink, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { DAY_MS } from '@ws01/asmx/time';
import { RawConnection } from '../../../../packages/asmx/test/kit/http.ts';
import { BY_NIGHT } from '../../../../packages/asmx/test/kit/lane.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { DecoderPool } from '../../src/adapters/images/decoders.ts';
import { TEST_BINDINGS } from '../kit/bindings.ts';
import { forEachEngine } from '../kit/database.ts';
import { blackPng } from '../kit/images/containers.ts';
import { largeJpeg, noisyPng } from '../kit/images/photographs.ts';
import { uploaded } from '../kit/images/upload.ts';
import { serviceForSuite, startService, type TestService, TOKEN } from '../kit/service.ts';

const [soap11] = TEST_BINDINGS;

const upload = ({ url }: TestService, FileGuid: string, picture: Buffer) =>
  uploaded(url, picture, FileGuid);

async function remove({ url }: TestService, FileGuid: string): Promise<void> {
  assert.equal(
    (await soap11!.call(url, 'DeleImgById', { verifyCode: TOKEN, FileGuid })).result,
    FileGuid,
  );
}

/** Takes away the renditions in full that an upload made. */
async function loseRenditions({ database }: TestService): Promise<void> {
  const kept = `${database.dataDir}/files/kept`;
  for (const name of await readdir(kept, { recursive: true }))
    if (name.endsWith('.full')) await rm(join(kept, name));
}

function ask(url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> {
  return fetch(url, { method, headers });
}

describe('an image over HTTP', () => {
  const service = serviceForSuite();
  let url: string;
  before(async () => {
    ({ url } = await upload(service, 'a', blackPng(40, 30)));
  });

  it('says what it is, for ever, and can do no harm', async () => {
    const response = await ask(url);
    const bytes = Buffer.from(await response.arrayBuffer());
    assert.equal(response.status, 200);
    assert.match(url, /\/media\/[0-9a-f]{64}\.png$/);
    const { headers } = response;
    assert.deepEqual(
      {
        type: headers.get('content-type'),
        length: headers.get('content-length'),
        cache: headers.get('cache-control'),
        ranges: headers.get('accept-ranges'),
        sniff: headers.get('x-content-type-options'),
        policy: headers.get('content-security-policy'),
        resource: headers.get('cross-origin-resource-policy'),
      },
      {
        type: 'image/png',
        length: String(bytes.length),
        cache: 'public, max-age=31536000, immutable',
        ranges: 'bytes',
        sniff: 'nosniff',
        policy: "default-src 'none'; sandbox",
        resource: 'cross-origin',
      },
    );
    assert.match(headers.get('etag')!, /^"[0-9a-z-]+"$/);
    // A range is for GET alone (RFC 9110 14.2).
    const head = await ask(url, { Range: 'bytes=0-9' }, 'HEAD');
    assert.equal(head.status, 200);
    assert.equal((await head.arrayBuffer()).byteLength, 0);
    for (const name of [
      'content-type',
      'content-length',
      'etag',
      'last-modified',
      'cache-control',
    ]) {
      assert.equal(head.headers.get(name), headers.get(name), name);
    }
    assert.equal((await ask(url, {}, 'POST')).status, 404);
  });

  it('is not sent again to whom has it', async () => {
    const { headers } = await ask(url);
    const [etag, modified] = [headers.get('etag')!, headers.get('last-modified')!];
    const yesterday = new Date(Date.parse(modified) - DAY_MS).toUTCString();
    const cases: [Record<string, string>, number][] = [
      [{ 'If-None-Match': etag }, 304],
      [{ 'If-None-Match': `"other", W/${etag}` }, 304],
      [{ 'If-None-Match': '*' }, 304],
      [{ 'If-None-Match': '"other"' }, 200],
      [{ 'If-Modified-Since': modified }, 304],
      [{ 'If-Modified-Since': yesterday }, 200],
      [{ 'If-Modified-Since': 'no date' }, 200],
      [{ 'If-None-Match': '"other"', 'If-Modified-Since': modified }, 200],
    ];
    for (const [given, status] of cases) {
      const answer = await ask(url, given);
      assert.equal(answer.status, status, JSON.stringify(given));
      const body = await answer.arrayBuffer();
      if (status === 304)
        assert.deepEqual([body.byteLength, answer.headers.get('etag')], [0, etag]);
    }
  });

  it('is sent in parts', async () => {
    const whole = await ask(url);
    const bytes = Buffer.from(await whole.arrayBuffer());
    const [size, etag] = [bytes.length, whole.headers.get('etag')!];
    const cases: [Record<string, string>, number, number, number][] = [
      [{ Range: 'bytes=0-9' }, 206, 0, 9],
      [{ Range: 'bytes=10-' }, 206, 10, size - 1],
      [{ Range: 'bytes=-7' }, 206, size - 7, size - 1],
      [{ Range: `bytes=5-${size * 9}` }, 206, 5, size - 1],
      [{ Range: `bytes=-${size * 9}` }, 206, 0, size - 1],
      [{ Range: 'bytes=0-9', 'If-Range': etag }, 206, 0, 9],
      [{ Range: 'bytes=0-9', 'If-Range': '"other"' }, 200, 0, size - 1],
      [{ Range: 'bytes=0-1,5-6' }, 200, 0, size - 1],
      [{ Range: 'bytes=9-2' }, 200, 0, size - 1],
      [{ Range: 'lines=1-2' }, 200, 0, size - 1],
    ];
    for (const [given, status, start, end] of cases) {
      const answer = await ask(url, given);
      assert.equal(answer.status, status, JSON.stringify(given));
      assert.deepEqual(
        Buffer.from(await answer.arrayBuffer()),
        bytes.subarray(start, end + 1),
        JSON.stringify(given),
      );
      assert.equal(
        answer.headers.get('content-range'),
        status === 206 ? `bytes ${start}-${end}/${size}` : null,
      );
    }
    for (const Range of [`bytes=${size}-`, 'bytes=-0']) {
      const beyond = await ask(url, { Range });
      assert.deepEqual(
        [beyond.status, beyond.headers.get('content-range')],
        [416, `bytes */${size}`],
      );
    }
  });

  it('what was never an image is 404, whatever it is called', async () => {
    const base = url.slice(0, url.lastIndexOf('/'));
    const hash = url.slice(base.length + 1, -4);
    const names = [
      `${'0'.repeat(64)}.png`,
      `${hash}.jpg`,
      `${hash}`,
      `${hash}.svg`,
      `${hash.toUpperCase()}.png`,
      `${hash}-icon.gif`,
      '..%2f..%2fws01.sqlite',
      `${hash}.png%00`,
      `${hash}.png/x`,
    ];
    for (const name of names) {
      const answer = await ask(`${base}/${name}`);
      assert.equal(answer.status, 404, name);
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
    }
  });

  it('is answered alike by each server: the fast path, node:http and the pages', async (t) => {
    // An eighth of it is for one picture.
    const fixed = { imageCacheBytes: 1024 ** 2 };
    const sides = [
      await startService(t, undefined, { fixed }),
      await startService(t, undefined, { FAST_PATH: 'off', fixed }),
      await startService(t, undefined, { FAST_PATH: 'off', fixed: { imageCacheBytes: 0 } }),
    ];
    // Of one piece, of several, and more than is kept in memory.
    const pictures = [blackPng(40, 30), await noisyPng(160), await noisyPng(250)];
    const urls: Awaited<ReturnType<typeof upload>>[] = [];
    for (const [at, picture] of pictures.entries()) {
      // One after the other: nine decoders at once may each take longer than one is given.
      urls.push(await upload(sides[0]!, `p${at}`, picture));
      for (const side of sides.slice(1)) await upload(side, `p${at}`, picture);
    }
    const told = async (at: number, path: string, lines: readonly string[]) => {
      const connection = await RawConnection.open(t, sides[at]!.app.port);
      connection.send(`GET ${path} HTTP/1.1`, 'Host: a', 'Connection: close', ...lines, '', '');
      const [head = '', body] = (await connection.ended()).split(/\r\n\r\n(.*)/s);
      const [status, ...headers] = head.split('\r\n');
      const kept = headers
        .map((line) => line.replace(/^[\w-]+/, (name) => name.toLowerCase()))
        .toSorted();
      return {
        status,
        headers: kept.filter((line) => !/^(date|x-request-id|last-modified):/.test(line)),
        body,
      };
    };
    const asked = [
      [],
      // Of more than one piece.
      ['Range: bytes=10-70000'],
      ['Range: bytes=10-19'],
      ['Range: bytes=-1'],
      ['Range: bytes=999999999-'],
      ['If-None-Match: *'],
      ['If-None-Match: "other"', 'Accept-Encoding: gzip'],
    ];
    for (const [at, { url, iconUrl }] of urls.entries()) {
      for (const address of [url, iconUrl, url.replace(/[0-9a-f]{8}/, '00000000')]) {
        const { pathname } = new URL(address);
        for (const lines of asked.filter((_, index) => BY_NIGHT || (index + at) % 2 === 0)) {
          // The second time from memory.
          const answers = [await told(0, pathname, lines), await told(0, pathname, lines)];
          for (const other of [1, 2]) answers.push(await told(other, pathname, lines));
          // Another form of the URL is for the pages.
          answers.push(
            await told(0, pathname.replace('.', '%2E'), lines),
            await told(0, `${pathname}?v=1`, lines),
          );
          for (const answer of answers)
            assert.deepEqual(answer, answers[0], `${at} ${pathname} ${lines}`);
        }
      }
    }
  });

  it('its rendition is made once, though a hundred ask at once, some of whom go away', async (t) => {
    const service = await startService(t);
    const { url } = await upload(service, 'a', await largeJpeg(2_000, 1_500));
    await loseRenditions(service);
    const making = t.mock.method(DecoderPool.prototype, 'accept');
    const { pathname, port } = new URL(url);
    const impatient = Array.from({ length: 20 }, async () => {
      const socket = connect(Number(port), '127.0.0.1');
      await once(socket, 'connect');
      socket.write(`GET ${pathname} HTTP/1.1\r\nHost: a\r\n\r\n`);
      socket.destroy();
    });
    const told = async (one: Response) => ({
      status: one.status,
      bytes: Buffer.from(await one.arrayBuffer()),
    });
    const answers = await Promise.all(Array.from({ length: 100 }, () => ask(url).then(told)));
    await Promise.all(impatient);
    const first = answers[0]!.bytes;
    const others = answers.filter(({ status, bytes }) => status !== 200 || !bytes.equals(first));
    assert.deepEqual(
      others.map(({ status, bytes }) => `${status} ${bytes.toString('latin1', 0, 200)}`),
      [],
    );
    const kept = await readdir(`${service.database.dataDir}/files/kept`, { recursive: true });
    assert.equal(kept.filter((name) => name.endsWith('.full')).length, 1);
    // Who looks for it just before it is there may make it again.
    assert.ok(making.mock.callCount() < 10, String(making.mock.callCount()));
    const incoming = () => readdir(`${service.database.dataDir}/files/incoming`);
    // Who went away may have begun to make it, too.
    await until(async () => (await incoming()).length === 0, incoming);
    // What was made anew would be newer.
    const again = await ask(url);
    assert.deepEqual(Buffer.from(await again.arrayBuffer()), first);
  });

  for (const FAST_PATH of ['on', 'off'])
    it(`no file stays open for a client that left, before its first piece or amid them: FAST_PATH=${FAST_PATH}`, async (t) => {
      // More than is kept in memory, so that each request opens it.
      const service = await startService(t, undefined, {
        fixed: { imageCacheBytes: 0 },
        FAST_PATH,
      });
      const { url } = await upload(service, 'a', await noisyPng(1_500));
      const { pathname, port } = new URL(url);
      const whole = Buffer.from(await (await ask(url)).arrayBuffer());
      const openFiles = async () => {
        const kept: string[] = [];
        for (const descriptor of await readdir('/proc/self/fd')) {
          const path = await readlink(`/proc/self/fd/${descriptor}`).catch(() => '');
          if (path.startsWith(`${service.database.dataDir}/files/kept`)) kept.push(path);
        }
        return kept;
      };
      let amid = 0;
      for (let turn = 0; turn < 16; turn++) {
        const socket = connect(Number(port), '127.0.0.1');
        await once(socket, 'connect');
        socket.write(`GET ${pathname} HTTP/1.1\r\nHost: a\r\n\r\n`);
        if (turn % 2 === 0) await pause(turn / 3);
        else {
          await once(socket, 'data');
          // What it does not take is more than the system does.
          socket.pause();
          if ((await openFiles()).length > 0) amid++;
        }
        socket.destroy();
      }
      assert.ok(amid > 0);
      await until(async () => (await openFiles()).length === 0, openFiles);
      assert.deepEqual(Buffer.from(await (await ask(url)).arrayBuffer()), whole);
    });

  it('its rendition is made again where it has been lost, for the first who asks, whatever its size', async (t) => {
    // Nothing is in memory.
    const service = await startService(t, undefined, { fixed: { imageCacheBytes: 0 } });
    for (const side of [200, 700]) {
      const { url } = await upload(service, `${side}`, await noisyPng(side));
      const [head, whole] = [await ask(url, {}, 'HEAD'), await ask(url)];
      const bytes = Buffer.from(await whole.arrayBuffer());
      assert.equal(head.headers.get('content-length'), `${bytes.length}`);
      await loseRenditions(service);
      const again = await ask(url);
      assert.deepEqual(
        [again.status, Buffer.from(await again.arrayBuffer()).equals(bytes)],
        [200, true],
        `${side}`,
      );
    }
  });
});

forEachEngine((engine, fresh) => {
  describe('deletion', () => {
    const picture = blackPng(20, 20);

    it('410 at once, on every node, and nothing is left in the store', async (t) => {
      const database = await fresh(t);
      const service = await startService(t, database);
      // SQLite has one service.
      const nodes = engine === 'sqlite' ? [service] : [service, await startService(t, database)];
      const { url, iconUrl } = await upload(service, 'a', picture);
      for (const address of [url, iconUrl]) assert.equal((await ask(address)).status, 200);
      await remove(service, 'a');
      for (const address of [url, iconUrl]) {
        for (const node of nodes) {
          const gone = await ask(address.replace(service.app.url, node.app.url));
          assert.deepEqual([gone.status, gone.headers.get('cache-control')], [410, 'no-store']);
        }
      }
      const kept = await readdir(`${database.dataDir}/files/kept`, {
        recursive: true,
        withFileTypes: true,
      });
      assert.deepEqual(
        kept.filter((entry) => entry.isFile()),
        [],
      );
    });

    it('stays while another record has the same bytes; comes back with them', async (t) => {
      const service = await startService(t, await fresh(t));
      const { url } = await upload(service, 'a', picture);
      const { url: same } = await upload(service, 'b', picture);
      assert.equal(same, url);
      await remove(service, 'a');
      assert.equal((await ask(url)).status, 200);
      await remove(service, 'b');
      assert.equal((await ask(url)).status, 410);
      await upload(service, 'c', picture);
      assert.equal((await ask(url)).status, 200);
    });

    it('what a record had before it was replaced is gone, too', async (t) => {
      const service = await startService(t, await fresh(t));
      const { url } = await upload(service, 'a', picture);
      const { url: next } = await upload(service, 'a', blackPng(21, 21));
      assert.notEqual(next, url);
      assert.deepEqual([(await ask(url)).status, (await ask(next)).status], [410, 200]);
    });
  });
});
