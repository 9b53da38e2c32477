import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import sharp from 'sharp';
import { someOf } from '../../../../../packages/asmx/test/kit/lane.ts';
import { chromium } from '../../console/kit/browser.ts';
import { newContext } from '../../kit/chromium.ts';
import { ANY_DAMAGE, damagedPictures } from '../../kit/images/damaged.ts';
import { CAMERAS, camerasPictures, servedFor, verdictsOn } from '../../kit/images/verdicts.ts';
import { serviceForSuite } from '../../kit/service.ts';

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

suite('damaged pictures', () => {
  const service = serviceForSuite();

  test('are taken where Chromium shows them whole, and served as it shows them', async (t) => {
    const { url } = service;
    const context = await newContext(await chromium());
    t.after(() => context.close());
    const page = await context.newPage();
    const pictures = someOf([...(await damagedPictures()), ...camerasPictures()], 4);
    const tried = pictures.map(({ damage }) => damage);
    const known = [...Object.values(TAKEN), ...Object.values(REFUSED)].flat();
    const unused = new Set(known.filter((damage) => tried.includes(damage)));
    for (const picture of pictures) {
      const { damage } = picture;
      const { taken, whole, difference } = await verdictsOn(picture, url, page);
      const wrong = `${picture.format}, ${damage}: ${taken ? 'taken' : 'refused'}`;
      const exceptions = Object.values(taken ? TAKEN : REFUSED).flat();
      if (taken !== whole) assert.ok(exceptions.includes(damage), wrong);
      if (taken !== whole) unused.delete(damage);
      if (taken && whole) assert.ok(difference! < 8, `${wrong}, ${difference}`);
    }
    assert.deepEqual([...unused], [], 'an exception that is none');
  });

  test('of phones, as HEIC: taken whole, of 8 and of 10 bits, and served as JPEG', async () => {
    const { url } = service;
    for (const name of ['phone', 'deep']) {
      const bytes = readFileSync(new URL(`${name}.heic`, CAMERAS));
      const served = await servedFor(url, { bytes });
      const { format, width, height } = await sharp(served!).metadata();
      assert.deepEqual([format, width, height], ['jpeg', 320, 240]);
      const raw = { width: 320, height: 240, channels: 3 } as const;
      const wanted = await sharp(heicSource(), { raw }).png().toBuffer();
      const difference = await differenceOf(served!, wanted);
      assert.ok(difference < 4, `${name}: ${difference}`);
    }
  });

  test('of phones, damaged: taken or refused, never an error', async () => {
    const { url } = service;
    const whole = readFileSync(new URL('phone.heic', CAMERAS));
    const verdicts = new Set<boolean>();
    for (const [damage, hurt] of ANY_DAMAGE) {
      const served = await servedFor(url, { bytes: hurt(whole) });
      verdicts.add(served !== undefined);
      if (damage.startsWith('cut')) assert.equal(served, undefined, damage);
    }
    assert.equal(verdicts.size, 2);
  });
});

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
