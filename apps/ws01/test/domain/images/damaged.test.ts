import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { useChromium } from '../../console/kit/browser.ts';
import { TEST_BINDINGS } from '../../kit/bindings.ts';
import { newContext } from '../../kit/chromium.ts';
import { ANY_DAMAGE, type DamagedPicture, damagedPictures } from '../../kit/images/damaged.ts';
import { startService, TOKEN } from '../../kit/service.ts';

/** Where the service takes what Chromium does not call whole, and why. */
const TAKEN: Readonly<Record<string, readonly string[]>> = {
  'no more than the mark of the end is missing; Chromium shows it, but waits for more': [
    'baseline: a byte too few',
    'baseline: two bytes too few',
    'progressive: a byte too few',
    'progressive: two bytes too few',
    'png: five bytes too few',
    'png: twelve bytes too few',
    'png: no end',
  ],
  'all pixels are there; Chromium shows them': ['png: a wrong checksum of the pixels'],
  'its codes are wrong in places; the decoder goes on where Chromium shows a part and stops': [
    'still: a wrong byte at 70 %',
    'still: a wrong byte at 90 %',
    'still: zeros in the place of 64 bytes at 60 %',
  ],
};

/** Where the service refuses what Chromium shows, and why. */
const REFUSED: Readonly<Record<string, readonly string[]>> = {
  'it is cut off in a later frame, where Chromium stops': [
    'animated: two bytes too few',
    'animated: five bytes too few',
    'animated: twelve bytes too few',
    'animated: cut at 95 %',
  ],
  'the decoder of AVIF (libheif) has no pixels for damaged codes': [
    'avif: a wrong byte at 40 %',
    'avif: a wrong byte at 70 %',
    'avif: zeros in the place of 64 bytes at 60 %',
  ],
};

/** Draws a picture; whether it is whole, and the mean difference of its colours to another; of 255. */
const SEEN = `async ([bytes, other]) => {
  const blobOf = (text) => new Blob([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))]);
  const pixelsOf = async (text) => {
    const bitmap = await createImageBitmap(blobOf(text)).catch(() => undefined);
    if (bitmap === undefined) return undefined;
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    const context = canvas.getContext('2d');
    context.drawImage(bitmap, 0, 0);
    return context.getImageData(0, 0, canvas.width, canvas.height).data;
  };
  const pixels = await pixelsOf(bytes);
  const others = other === undefined ? undefined : await pixelsOf(other);
  if (pixels === undefined || others === undefined) return { whole: pixels !== undefined };
  if (pixels.length !== others.length) return { whole: true, difference: 255 };
  let sum = 0;
  for (let at = 0; at < pixels.length; at++) sum += Math.abs(pixels[at] - others[at]);
  return { whole: true, difference: sum / pixels.length };
}`;

interface Seen {
  readonly whole: boolean;
  readonly difference?: number;
}

suite('damaged pictures', () => {
  const browser = useChromium();

  test('are taken where Chromium shows them whole, and served as it shows them', async (t) => {
    const { url } = await startService(t);
    const page = await openBlank(t.after.bind(t));
    const unused = new Set([...Object.values(TAKEN), ...Object.values(REFUSED)].flat());
    for (const picture of [...(await damagedPictures()), ...camerasPictures()]) {
      const { damage, bytes } = picture;
      const served = await servedFor(url, picture);
      const seen = await page.evaluate<Seen>(
        `(${SEEN})(${JSON.stringify([bytes.toString('base64'), served?.toString('base64')])})`,
      );
      const taken = served !== undefined;
      const wrong = `${picture.format}, ${damage}: ${taken ? 'taken' : 'refused'}`;
      const exceptions = Object.values(taken ? TAKEN : REFUSED).flat();
      if (taken !== seen.whole) assert.ok(exceptions.includes(damage), wrong);
      if (taken !== seen.whole) unused.delete(damage);
      if (taken && seen.whole) assert.ok(seen.difference! < 8, `${wrong}, ${seen.difference}`);
    }
    assert.deepEqual([...unused], [], 'an exception that is none');
  });

  test('of phones, as HEIC: taken whole, of 8 and of 10 bits, and served as JPEG', async (t) => {
    const { url } = await startService(t);
    for (const name of ['phone', 'deep']) {
      const bytes = readFileSync(new URL(`${name}.heic`, CAMERAS));
      const served = await servedFor(url, { format: 'heic', damage: name, bytes });
      const { format, width, height } = await sharp(served!).metadata();
      assert.deepEqual([format, width, height], ['jpeg', 320, 240]);
      const raw = { width: 320, height: 240, channels: 3 } as const;
      const wanted = await sharp(heicSource(), { raw }).png().toBuffer();
      const difference = await differenceOf(served!, wanted);
      assert.ok(difference < 4, `${name}: ${difference}`);
    }
  });

  test('of phones, damaged: taken or refused, never an error', async (t) => {
    const { url } = await startService(t);
    const whole = readFileSync(new URL('phone.heic', CAMERAS));
    const verdicts = new Set<boolean>();
    for (const [damage, hurt] of ANY_DAMAGE) {
      const served = await servedFor(url, { format: 'heic', damage, bytes: hurt(whole) });
      verdicts.add(served !== undefined);
      if (damage.startsWith('cut')) assert.equal(served, undefined, damage);
    }
    assert.equal(verdicts.size, 2);
  });

  async function openBlank(after: (close: () => Promise<void>) => void): Promise<Page> {
    const context = await newContext(browser());
    after(() => context.close());
    return context.newPage();
  }
});

const CAMERAS = new URL('../../kit/images/of-cameras/', import.meta.url);

/** Pictures as cameras and phones really write them, which people could not upload. */
function camerasPictures(): DamagedPicture[] {
  const names = readdirSync(CAMERAS).filter((name) => !name.endsWith('.heic'));
  return names.map((name) => ({
    format: name.endsWith('.gif') ? 'gif' : 'jpeg',
    damage: name,
    bytes: readFileSync(new URL(name, CAMERAS)),
  }));
}

/** Uploads a picture. @returns what visitors get of it; `undefined` if it is refused. */
async function servedFor(url: string, { bytes }: DamagedPicture): Promise<Buffer | undefined> {
  const [soap11, , get] = TEST_BINDINGS;
  const FileGuid = crypto.randomUUID();
  const params = { verifyCode: TOKEN, FileGuid, FileImg: bytes.toString('base64') };
  const answer = await soap11!.call(url, 'InsertArticleImageFile', params);
  if (answer.result !== 'true') {
    assert.match(String(answer.headers['x-error-code']), /^Image(?:Unreadable|TypeRefused)$/);
    return undefined;
  }
  const list = await get!.call(url, 'QueryImgData', { query: FileGuid });
  const response = await fetch(JSON.parse(list.result!).items[0].url);
  return Buffer.from(await response.arrayBuffer());
}

/** The picture of the HEICs, which `heif-enc -q 50` made; that of the phone has the profile Display P3. */
function heicSource(): Buffer {
  return Buffer.from(
    Array.from({ length: 320 * 240 * 3 }, (_, at) => {
      const [x, y] = [Math.floor(at / 3) % 320, Math.floor(at / 960)];
      const wave = 80 * Math.sin(x / 8 + (at % 3)) + 40 * Math.cos(y / 12 + (x * 30) / 320);
      return Math.round(128 + wave) & 255;
    }),
  );
}

/** The mean difference of the colours of two pictures of one size, as they are shown; of 255. */
async function differenceOf(one: Buffer, other: Buffer): Promise<number> {
  const [left, right] = await Promise.all(
    [one, other].map((picture) => sharp(picture).toColourspace('srgb').raw().toBuffer()),
  );
  assert.equal(left!.length, right!.length);
  return left!.reduce((sum, value, at) => sum + Math.abs(value - right![at]!), 0) / left!.length;
}
