import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readdir, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { DAY_MS } from '@ws01/asmx/time';
import sharp from 'sharp';
import { openFiles } from '../../src/adapters/files/open.ts';
import { sweepFiles } from '../../src/domain/images/sweep.ts';
import { TEST_BINDINGS } from '../kit/bindings.ts';
import { forEachEngine, freshDatabase } from '../kit/database.ts';
import * as photographs from '../kit/images/photographs.ts';
import { upload } from '../kit/images/upload.ts';
import { serviceForSuite, startService, type TestService, TOKEN } from '../kit/service.ts';

const [soap11] = TEST_BINDINGS;

const CHROMIUM = 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8';

interface Listed {
  readonly url: string;
  readonly srcset: string | null;
  readonly width: number;
}

/** Uploads a picture; what the public API says of it. */
async function uploaded({ url }: TestService, picture: Buffer, guid = 'a'): Promise<Listed> {
  await upload(url, picture, { FileGuid: guid, Link_Guid: `of-${guid}`, IsIcons: 'true' });
  const { origin } = new URL(url);
  const list = await fetch(`${origin}/api/v1/public/images?linkGuid=of-${guid}`);
  return ((await list.json()) as { items: Listed[] }).items[0]!;
}

async function seen(url: string, headers: Record<string, string> = {}) {
  const answer = await fetch(url, { headers });
  const body = Buffer.from(await answer.arrayBuffer());
  return { status: answer.status, headers: answer.headers, body };
}

const typeOf = async (url: string, accept?: string) => {
  const answer = await seen(url, accept === undefined ? {} : { accept });
  assert.equal(answer.status, 200);
  const { width, height } = await sharp(answer.body).metadata();
  return [answer.headers.get('content-type'), width, height];
};

const BARE_1280 = { width: 1280, height: 960, exif: undefined, xmp: undefined, icc: undefined };

/** The stored files of a service. */
async function storedNames(service: TestService): Promise<string[]> {
  const folder = join(service.database.dataDir, 'files', 'kept');
  return (await readdir(folder, { recursive: true })).filter((name) => name.includes('/'));
}

describe('pictures in the width that a page asks for', () => {
  const service = serviceForSuite();

  it('a photograph of 12 megapixels is shown in at most 200 kB, in the format that the browser takes', async () => {
    const { url, srcset } = await uploaded(service, await photographs.detailedJpeg(4032, 3024));
    assert.equal(
      srcset,
      [320, 640, 1280, 1920].map((width) => `${url}?w=${width} ${width}w`).join(', '),
    );
    assert.deepEqual(await typeOf(`${url}?w=320`, CHROMIUM), ['image/avif', 320, 240]);
    const kinds = [
      [CHROMIUM, 'image/avif'],
      ['image/webp,*/*', 'image/webp'],
      ['image/avif;q=0, image/WEBP;q=0.5', 'image/webp'],
      ['image/*,*/*;q=0.8', 'image/jpeg'],
      [undefined, 'image/jpeg'],
    ] as const;
    const tags = new Set<string | null>();
    for (const [accept, type] of kinds) {
      const asked = accept === undefined ? undefined : { accept };
      const answer = await seen(`${url}?w=1280`, asked);
      const { headers, body } = answer;
      assert.equal(headers.get('content-type'), type, String(accept));
      assert.equal(headers.get('vary'), 'Accept');
      assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable');
      assert.ok(body.length <= 200_000, `${type}: ${body.length}`);
      const { width, height, exif, xmp, icc } = await sharp(body).metadata();
      assert.deepEqual({ width, height, exif, xmp, icc }, BARE_1280);
      tags.add(headers.get('etag'));
      const known = { ...asked, 'if-none-match': headers.get('etag') ?? '' };
      const again = await seen(`${url}?w=1280`, known);
      assert.deepEqual([again.status, again.headers.get('vary')], [304, 'Accept']);
    }
    assert.equal(tags.size, 3);
    // Without a width it is what it was.
    const whole = await seen(url, { accept: CHROMIUM });
    assert.deepEqual(
      [whole.headers.get('content-type'), whole.headers.get('vary')],
      ['image/jpeg', null],
    );
    const wrong = await seen(`${url}?w=700`);
    assert.deepEqual([wrong.status, wrong.headers.get('x-error-code')], [400, 'InvalidParameter']);
    assert.equal(String(wrong.body), 'The parameter w must be one of 320, 640, 1280, 1920.\n');
    // A form of the URL that the pages answer.
    assert.deepEqual(await typeOf(`${url}?v=%C3%A4&w=320`, 'image/webp'), ['image/webp', 320, 240]);
  });

  it('nothing is enlarged; what lets through stays so; an animation and an icon have one size', async () => {
    const small = await uploaded(service, await photographs.largeJpeg(700, 900), 'small');
    assert.equal(
      small.srcset,
      `${small.url}?w=320 320w, ${small.url}?w=640 640w, ${small.url}?w=1280 700w`,
    );
    const before = await storedNames(service);
    for (const width of [1280, 1920])
      assert.deepEqual(await typeOf(`${small.url}?w=${width}`), ['image/jpeg', 700, 900]);
    assert.equal((await storedNames(service)).length, before.length + 1);
    const through = await uploaded(service, await photographs.transparentPng(), 'b');
    assert.equal(through.srcset, `${through.url}?w=320 300w`);
    for (const accept of ['image/avif', 'image/webp', '*/*']) {
      const { body } = await seen(`${through.url}?w=320`, { accept });
      assert.equal((await sharp(body).metadata()).hasAlpha, true, accept);
    }
    const moving = await uploaded(service, await photographs.animation('gif'), 'c');
    assert.equal(moving.srcset, null);
    const animated = await seen(`${moving.url}?w=320`, { accept: CHROMIUM });
    assert.equal(animated.headers.get('content-type'), 'image/gif');
    assert.deepEqual(animated.body, (await seen(moving.url)).body);
    const icon = moving.url.replace('.gif', '-icon.png');
    assert.deepEqual((await seen(`${icon}?w=320`)).body, (await seen(icon)).body);
  });

  forEachEngine((_engine, fresh) => {
    it('each width is made once for all who ask, goes with its picture, and is in nobody’s way', async (t) => {
      const service = await startService(t, await fresh(t));
      const { url } = await uploaded(service, await photographs.largeJpeg(2000, 1500));
      const answers = await Promise.all(
        Array.from({ length: 12 }, () => seen(`${url}?w=640`, { accept: CHROMIUM })),
      );
      for (const { status, body } of answers) {
        assert.equal(status, 200);
        assert.deepEqual(body, answers[0]!.body);
      }
      const sized = (await storedNames(service)).filter((name) => /\.w\d+-/.test(name));
      assert.equal(sized.length, 1);
      assert.match(sized[0]!, /\.w640-avif$/);
      assert.equal((await seen(`${url}?w=640`, { accept: CHROMIUM })).status, 200);
      const removed = await soap11!.call(service.url, 'DeleImgById', {
        verifyCode: TOKEN,
        FileGuid: 'a',
      });
      assert.equal(removed.result, 'a');
      assert.equal((await seen(`${url}?w=640`, { accept: CHROMIUM })).status, 410);
      assert.deepEqual(await storedNames(service), []);
    });
  });

  it('articles, adverts and feeds have the addresses, of what a phone sent, too', async () => {
    const { url } = service;
    const heic = readFileSync(new URL('../kit/images/of-cameras/phone.heic', import.meta.url));
    for (const [guid, picture] of [
      ['d', heic],
      ['e', await photographs.animation('gif')],
    ] as const) {
      const article = { guid: `of-${guid}`, caption: guid, content: 'x', Status: '0' };
      await soap11!.call(url, 'InsertArticle', { token: TOKEN, CreateUserId: 'ada', ...article });
      await uploaded(service, picture, guid);
      const advert = { guid, title: guid, CreateUserId: 'ada', isImage: 'true', imgGuid: guid };
      await soap11!.call(url, 'addNewAdvert', { tokenId: TOKEN, ...advert });
    }
    const ask = async (path: string) =>
      JSON.parse(String((await seen(`${new URL(url).origin}/api/v1/public${path}`)).body));
    const feed = await ask('/feeds/articles.json');
    const atom = String(
      (await seen(`${new URL(url).origin}/api/v1/public/feeds/articles.atom`)).body,
    );
    for (const [guid, query] of [
      ['d', '?w=1280'],
      ['e', ''],
    ] as const) {
      const [article, advert] = [await ask(`/articles/of-${guid}`), await ask(`/adverts/${guid}`)];
      const { items } = await ask(`/images?linkGuid=of-${guid}`);
      const [image] = items;
      assert.equal(article.iconUrl, image.iconUrl);
      assert.equal((await seen(article.iconUrl)).status, 200);
      assert.equal(advert.imageUrl, image.url);
      assert.deepEqual([article.iconSrcset, advert.imageSrcset], [image.srcset, image.srcset]);
      assert.equal(image.srcset === null, guid === 'e');
      const shown = feed.items.find((item: { title: string }) => item.title === guid).image;
      assert.equal(shown, `${image.url}${query}`);
      assert.equal((await seen(shown)).status, 200);
      assert.ok(atom.includes(`<link rel="enclosure" href="${shown}"/>`));
    }
  });

  it('all widths take no more than the pictures: the sweep removes the oldest', async (t) => {
    const database = await freshDatabase('sqlite', t);
    const service = await startService(t, database);
    const { url } = await uploaded(service, await photographs.largeJpeg(2000, 1500));
    await seen(`${url}?w=320`);
    await service.app.stop();
    const store = await database.open();
    const folder = join(database.dataDir, 'files');
    const files = await openFiles({ kind: 'disk', folder }, database.dataDir);
    const places = await storedNames(service);
    const sized = places.find((name) => name.endsWith('.w320-jpeg'))!;
    const sweep = () => {
      const now = Date.now() + DAY_MS;
      return sweepFiles({ store, files, clock: Date.now }, { store: now, spool: now });
    };
    const kept = await sweep();
    assert.deepEqual([kept.files, kept.removed, kept.orphans], [4, 0, 0]);
    // Sparse, so that it is large by name alone.
    await truncate(join(folder, 'kept', sized), 1_000_000_000);
    const swept = await sweep();
    assert.deepEqual([swept.files, swept.removed, swept.orphans], [4, 1, 0]);
    assert.deepEqual(
      await storedNames(service),
      places.filter((name) => name !== sized),
    );
  });
});
