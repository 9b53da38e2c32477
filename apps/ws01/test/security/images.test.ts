// alone: it counts and kills the decoders of its process

import assert from 'node:assert/strict';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { BY_NIGHT, someOf } from '../../../../packages/asmx/test/kit/lane.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { forEachEngine } from '../kit/database.ts';
import type { ServiceEnv } from '../kit/fixed.ts';
import {
  blackPng,
  gif,
  gifFrame,
  interlacedPng,
  pictureOf,
  png,
  pngChunk,
  pngHeader,
  riff,
  riffChunk,
  webpCanvas,
  withAvifSize,
  withJpegSize,
} from '../kit/images/containers.ts';
import { decoderProcesses } from '../kit/images/decoder-processes.ts';
import { largeJpeg, phoneAvif, slowJpeg } from '../kit/images/photographs.ts';
import { assertPictureRefused, sendPicture, uploaded } from '../kit/images/upload.ts';
import { keptLog } from '../kit/log.ts';
import { serviceForSuite, startService, type TestService } from '../kit/service.ts';

const MIB = 1024 ** 2;
/** By day photographs of half the sides, and a quarter of the memory for their pixels. */
const SCALE = BY_NIGHT ? 1 : 2;

const refused = ({ url }: TestService, file: Buffer, code: string) =>
  assertPictureRefused(url, file, code);
const accepted = ({ url }: TestService, file: Buffer) => uploaded(url, file);

/** Every file in the store and on its way there. */
async function files({ database }: TestService): Promise<readonly string[]> {
  const all = await readdir(join(database.dataDir, 'files'), {
    recursive: true,
    withFileTypes: true,
  });
  // The store says whose it is from its start on.
  return all
    .filter((entry) => entry.isFile() && entry.name !== 'database-id')
    .map(({ name }) => name);
}

/** What none has had that has not begun with a large image: an idle one takes 64 MiB. */
const BUSY_BYTES = 96 * MIB;

/** Kills the decoders that have ever had more than so many bytes. */
async function killDecoders(bytes = 0): Promise<void> {
  const found = () => decoderProcesses().filter(({ peak }) => peak > bytes);
  for (const { pid } of found()) process.kill(pid, 'SIGKILL');
  await until(() => found().length === 0);
}

/** Says of itself to have so many pixels; whoever believed it would fill the memory. */
async function bombs(): Promise<Readonly<Record<string, Buffer>>> {
  const progressive = await sharp({
    create: { width: 64, height: 64, channels: 3, background: '#68a' },
  })
    .jpeg({ progressive: true, chromaSubsampling: '4:4:4' })
    .toBuffer();
  const lossless = Buffer.from([0x2f, 0, 0, 0, 0]);
  return {
    'AVIF of 49 megapixels': withAvifSize(await phoneAvif(), 7_000, 7_000),
    'interlaced PNG of 50 megapixels, 16 bits': png(
      pngHeader(7_071, 7_071, 16, 6, true),
      pngChunk('IDAT', Buffer.alloc(9)),
      pngChunk('IEND'),
    ),
    'progressive JPEG of 50 megapixels': withJpegSize(progressive, 7_071, 7_071),
    'WebP of 50 megapixels': riff('WEBP', webpCanvas(7_071, 7_071), riffChunk('VP8L', lossless)),
  };
}

/** What was received is removed when its turn at the disk comes, perhaps after the answer. */
async function untilNothingIsKept(service: Parameters<typeof files>[0]): Promise<void> {
  await until(
    async () => (await files(service)).length === 0,
    () => files(service),
  );
}

/** Of a PNG: its mark, and the chunk that has its size. */
const END_OF_HEADER = 8 + 25;
/** 50 megapixels, as many as an image may have, whose decoding takes 150 MB beside what a decoder takes. */
const LARGEST = interlacedPng(7_071, 7_071);

/** It once more, with a text that no other has: what is there already is not decoded again. */
const largestOf = (key: string) =>
  Buffer.concat([
    LARGEST.subarray(0, END_OF_HEADER),
    pngChunk('tEXt', Buffer.from(`Key\0${key}`)),
    LARGEST.subarray(END_OF_HEADER),
  ]);

describe('images that take more than they show', () => {
  const { log, lines } = keptLog();
  const service = serviceForSuite({}, log);

  it('are refused by their structure: no decoder sees them, nothing of them is kept', async (t) => {
    await killDecoders();
    for (const [name, file] of Object.entries(await bombs())) {
      await t.test(name, async () => {
        await refused(service, file, 'ImageTooLarge');
        assert.deepEqual(decoderProcesses(), []);
      });
    }
    await untilNothingIsKept(service);
  });

  it('wide ones are counted with the rows that they take, and refused by their structure or taken within the memory', async () => {
    await killDecoders();
    const earlier = lines.length;
    const avif = withAvifSize(await phoneAvif(), 16_383, 640);
    const gifs = [600, 235].map((height) =>
      gif({ width: 65_000, height, frame: gifFrame(65_000, height) }),
    );
    for (const file of [blackPng(1_000_000, 20), ...gifs, avif])
      await refused(service, file, 'ImageTooLarge');
    const reasons = lines
      .slice(earlier)
      .filter(({ msg }) => msg === 'a file is no acceptable image')
      .map(({ reason }) => `${reason}`);
    assert.equal(
      reasons.filter((one) => one.includes('to decode; at most 192 MiB')).length,
      4,
      reasons.join('\n'),
    );
    assert.equal((await accepted(service, blackPng(200_000, 20))).width, 200_000);
    const [decoder] = decoderProcesses();
    assert.ok(decoder!.peak < 256 * MIB, `${decoder!.peak / MIB} MiB`);
  });

  it('50 megapixels of interlaced PNG are taken within the memory of a decoder, and served', async () => {
    const { url, width } = await accepted(service, LARGEST);
    assert.equal(width, 7_071);
    const [decoder, ...others] = decoderProcesses();
    assert.deepEqual(others, []);
    const score = await readFile(`/proc/${decoder!.pid}/oom_score_adj`, 'utf8');
    assert.equal(score, '1000\n', 'where memory is short, it is ended before the service');
    assert.ok(decoder!.peak < 288 * MIB, `${decoder!.peak / MIB} MiB`);
    assert.equal((await fetch(url)).status, 200);
  });

  it('photographs of phones are not: AVIF of 12.2 megapixels is taken however the phone was held', async (t) => {
    const sizes = [
      [4_656, 2_620],
      [4_032, 3_024],
      [3_024, 4_032],
    ].map((sides) => sides.map((side) => side / SCALE));
    const imageMemoryBytes = (64 + 192 / SCALE ** 2) * MIB;
    const scaled = await startService(t, undefined, { fixed: { imageMemoryBytes } });
    for (const [width, height] of someOf(sizes, 2) as readonly [number, number][]) {
      const file = await sharp({ create: { width, height, channels: 3, background: '#68a' } })
        .avif({ effort: 0, chromaSubsampling: '4:2:0' })
        .toBuffer();
      assert.equal((await accepted(scaled, file)).width, width);
    }
  });

  it('a wide JPEG is refused by its structure, too, and taken where there is a little more memory', async (t) => {
    const flat = { width: 65_000, height: 100, channels: 3, background: '#68a' } as const;
    const file = await sharp({ create: flat }).jpeg().toBuffer();
    const service = await startService(t, undefined, { fixed: { imageMemoryBytes: 140 * MIB } });
    await killDecoders();
    await refused(service, file, 'ImageTooLarge');
    assert.deepEqual(decoderProcesses(), []);
    await accepted(
      await startService(t, undefined, { fixed: { imageMemoryBytes: 142 * MIB } }),
      file,
    );
  });

  it('a palette is kept where there is memory for it, and left out where there is not', async (t) => {
    const [width, height] = [1_000, 1_000];
    const colours = pngChunk('PLTE', Buffer.from([255, 0, 0, 0, 0, 255]));
    const pixels = pngChunk('IDAT', deflateSync(Buffer.alloc((width + 1) * height)));
    const file = png(pngHeader(width, height, 8, 3), colours, pixels, pngChunk('IEND'));
    for (const [memory, kept] of [
      [80, false],
      [104, true],
    ] as const) {
      const service = await startService(t, undefined, {
        fixed: { imageMemoryBytes: memory * MIB },
      });
      const { url } = await accepted(service, file);
      const served = await sharp(Buffer.from(await (await fetch(url)).arrayBuffer())).metadata();
      assert.equal(served.isPalette ?? false, kept, `${memory} MiB`);
    }
  });

  it('a little more memory, and what was refused for it is taken', async (t) => {
    const file = png(
      pngHeader(4_000, 4_000, 8, 6, true),
      pngChunk('IDAT', Buffer.alloc(9)),
      pngChunk('IEND'),
    );
    // 64 MiB a process takes for itself, 72 MB the image.
    await refused(
      await startService(t, undefined, { fixed: { imageMemoryBytes: 128 * MIB } }),
      file,
      'ImageTooLarge',
    );
    await refused(
      await startService(t, undefined, { fixed: { imageMemoryBytes: 134 * MIB } }),
      file,
      'ImageUnreadable',
    );
  });

  it('one that lies about its size ends its decoder at most, and the next image is taken', async (t) => {
    const service = await startService(t, undefined, { fixed: { imageMemoryBytes: 128 * MIB } });
    await killDecoders();
    const large = await sharp({
      create: { width: 2_800, height: 2_800, channels: 3, background: '#68a' },
    })
      .avif({ effort: 0 })
      .toBuffer();
    const answer = await sendPicture(service.url, withAvifSize(large, 40, 30));
    assert.equal(answer.result, 'false', answer.body);
    assert.match(String(answer.headers['x-error-code']), /^Image(TooLarge|Unreadable)$/);
    for (const { peak } of decoderProcesses()) assert.ok(peak < 256 * MIB, `${peak / MIB} MiB`);
    await untilNothingIsKept(service);
    await accepted(service, blackPng(8, 8));
  });

  const deaths = [
    ['SIGKILL', 'memory', true],
    ['SIGABRT', 'a thread that the system refuses', false],
    ['SIGSEGV', 'something else', false],
  ] as const;
  for (const [signal, of, blamed] of someOf(deaths, 2)) {
    it(`decoders that die of ${of} are ${blamed ? 'its' : "the server's"} fault`, async () => {
      await killDecoders(BUSY_BYTES);
      const earlier = lines.length;
      const sending = sendPicture(service.url, largestOf(signal));
      let answered = false;
      sending.finally(() => (answered = true)).catch(() => {});
      await until(() => {
        for (const { pid, peak } of decoderProcesses())
          if (peak > BUSY_BYTES) process.kill(pid, signal);
        return answered;
      });
      const { status, result, headers } = await sending;
      const expected = blamed ? [200, 'false', 'ImageTooLarge'] : [500, undefined, 'Busy'];
      assert.deepEqual([status, result, headers['x-error-code']], expected);
      if (!blamed) {
        const logged = lines
          .slice(earlier)
          .filter(({ level }) => Number(level) >= 40)
          .map((line) => JSON.stringify(line));
        const died = `A process that decodes images has died (${signal}`;
        assert.ok(
          logged.some((line) => line.includes(died)),
          logged.join('\n'),
        );
      }
      await accepted(service, pictureOf(signal));
    });
  }

  it('one that takes too long is refused, and the next image is taken', async (t) => {
    const slow = await slowJpeg();
    const service = await startService(t, undefined, { fixed: { imageCpuMs: 30 } });
    await accepted(service, blackPng(8, 8));
    await refused(service, slow, 'ImageTooLarge');
    await accepted(service, blackPng(9, 9));
  });

  it('a large AVIF or WebP is served in a format whose encoder has room', async (t) => {
    const service = await startService(t, undefined, { fixed: { imageMemoryBytes: 96 * MIB } });
    const picture = (alpha: number) =>
      sharp({
        create: {
          width: 1_800,
          height: 1_400,
          channels: 4,
          background: { r: 9, g: 99, b: 199, alpha },
        },
      });
    for (const [file, type] of [
      [await picture(1).removeAlpha().webp({ effort: 0 }).toBuffer(), 'image/jpeg'],
      [await picture(0.5).webp({ effort: 0 }).toBuffer(), 'image/png'],
      [
        await picture(1).resize(1_200, 1_100).removeAlpha().avif({ effort: 0 }).toBuffer(),
        'image/webp',
      ],
    ] as const) {
      const item = await accepted(service, file);
      const response = await fetch(item.url);
      assert.deepEqual(
        [response.status, response.headers.get('content-type'), item.contentType],
        [200, type, type],
      );
      assert.equal(
        (await sharp(Buffer.from(await response.arrayBuffer())).metadata()).width,
        item.width,
      );
      assert.equal((await fetch(item.iconUrl)).status, 200);
    }
  });
});

forEachEngine((_engine, fresh) => {
  describe('whoever looks at images', () => {
    it('starts no decoder: what is served was made when they came', async (t) => {
      const service = await startService(t, await fresh(t));
      const { url, iconUrl } = await accepted(service, await largeJpeg(800, 600));
      await killDecoders();
      for (const address of [url, iconUrl]) assert.equal((await fetch(address)).status, 200);
      assert.deepEqual(decoderProcesses(), []);
    });

    it('has what is missing made again within the bounds, and where that fails not again and again', async (t) => {
      const database = await fresh(t);
      const service = await startService(t, database);
      const { url, iconUrl } = await accepted(service, await slowJpeg());
      const kept = join(database.dataDir, 'files', 'kept');
      const remove = async (ending: string) => {
        const names = await readdir(kept, { recursive: true });
        for (const name of names.filter((one) => one.endsWith(ending))) await rm(join(kept, name));
      };
      await remove('.icon');
      assert.equal((await fetch(iconUrl)).status, 200);
      await remove('.full');
      await service.app.stop();
      const strict = await startService(t, database, { fixed: { imageCpuMs: 30 } });
      const address = `${strict.url}${new URL(url).pathname}`;
      const answer = await fetch(address);
      assert.deepEqual([answer.status, answer.headers.get('x-error-code')], [422, 'ImageTooLarge']);
      await killDecoders();
      assert.equal((await fetch(address)).status, 422);
      assert.deepEqual(decoderProcesses(), []);
      await strict.app.stop();
      const able = await startService(t, database);
      assert.equal((await fetch(`${able.url}${new URL(url).pathname}`)).status, 200);
    });
  });
});

describe('many images at once', () => {
  const pictures = Array.from({ length: 12 }, (_, index) => blackPng(100 + index, 10));
  const sendAll = async (t: TestContext, env: ServiceEnv) => {
    const service = await startService(t, undefined, env);
    return Promise.all(pictures.map((file) => sendPicture(service.url, file)));
  };

  it('beyond the queue are answered Busy, with Retry-After', async (t) => {
    const answers = await sendAll(t, { fixed: { imageDecoders: 1, imageQueue: 2 } });
    const busy = answers.filter(({ code }) => code === 'Busy');
    assert.ok(busy.length > 0);
    assert.ok(busy.every(({ headers }) => Number(headers['retry-after']) > 0));
    assert.equal(
      answers.filter(({ result }) => result === 'true').length,
      answers.length - busy.length,
    );
  });

  it('within it are all taken, by no more than two processes', async (t) => {
    await killDecoders();
    const answers = await sendAll(t, { fixed: { imageQueue: 12 } });
    assert.ok(answers.every(({ result }) => result === 'true'));
    const started = decoderProcesses().length;
    assert.ok(started >= 1 && started <= 2, `${started} processes`);
  });

  it('a decoder that dies is replaced, and none is left when the service has stopped', async (t) => {
    const service = await startService(t);
    await accepted(service, blackPng(8, 8));
    await killDecoders();
    await accepted(service, blackPng(9, 9));
    assert.equal(decoderProcesses().length, 1);
    await service.app.stop();
    await until(() => decoderProcesses().length === 0);
  });
});
