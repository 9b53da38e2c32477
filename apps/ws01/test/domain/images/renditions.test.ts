import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import * as photographs from '../../kit/images/photographs.ts';
import { assertPictureRefused, uploaded } from '../../kit/images/upload.ts';
import { serviceForSuite, startService } from '../../kit/service.ts';

async function fetched(url: string): Promise<Buffer> {
  const response = await fetch(url);
  assert.equal(response.status, 200);
  return Buffer.from(await response.arrayBuffer());
}

/** The colour at a place, as fractions of width and height: which of the three channels are bright. */
async function colourAt(picture: Buffer, x: number, y: number, page = 0): Promise<string> {
  const { data, info } = await sharp(picture, { page })
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const at =
    (Math.floor(y * info.height) * info.width + Math.floor(x * info.width)) * info.channels;
  return [...data.subarray(at, at + 3)].map((value) => (value > 110 ? '1' : '0')).join('');
}

async function assertBare(picture: Buffer): Promise<void> {
  const { exif, xmp, iptc, icc, orientation } = await sharp(picture).metadata();
  assert.deepEqual(
    [exif, xmp, iptc, icc, orientation],
    [undefined, undefined, undefined, undefined, undefined],
  );
  for (const secret of ['SECRET', 'Spycam', 'Jane']) assert.equal(picture.includes(secret), false);
}

describe('what a rendition keeps', () => {
  const service = serviceForSuite();

  it('a camera’s photograph: upright, without its place; the original had both', async () => {
    const { url } = service;
    const picture = await photographs.cameraJpeg();
    const before = await sharp(picture).metadata();
    assert.ok(before.exif !== undefined && before.xmp !== undefined && before.orientation === 6);
    const item = await uploaded(url, picture);
    assert.deepEqual([item.contentType, item.width, item.height], ['image/jpeg', 320, 480]);
    const full = await fetched(item.url);
    await assertBare(full);
    const { width, height, format } = await sharp(full).metadata();
    assert.deepEqual([width, height, format], [320, 480, 'jpeg']);
    // Turned to the right: what was below on the left is above on the left now.
    assert.equal(await colourAt(full, 0.25, 0.25), '111');
    assert.equal(await colourAt(full, 0.75, 0.25), '100');
    assert.equal(await colourAt(full, 0.75, 0.75), '010');
    const icon = await fetched(item.iconUrl);
    await assertBare(icon);
    const small = await sharp(icon).metadata();
    assert.deepEqual([small.width, small.height, small.format], [171, 256, 'jpeg']);
    assert.equal(await colourAt(icon, 0.75, 0.25), '100');
  });

  it('colours: a wide gamut, a press’ inks and 16 bits become sRGB of 8 bits', async () => {
    const { url } = service;
    for (const make of [photographs.wideGamutJpeg, photographs.cmykJpeg, photographs.deepPng]) {
      const picture = await make();
      const before = await sharp(picture).metadata();
      assert.ok(before.icc !== undefined || before.depth === 'ushort', make.name);
      const item = await uploaded(url, picture);
      for (const address of [item.url, item.iconUrl]) {
        const served = await fetched(address);
        await assertBare(served);
        const { space, depth } = await sharp(served).metadata();
        assert.deepEqual([space, depth], ['srgb', 'uchar'], make.name);
        assert.equal(await colourAt(served, 0.25, 0.25), '100', make.name);
        assert.equal(await colourAt(served, 0.75, 0.75), '001', make.name);
      }
    }
  });

  it('a PNG is served pixel by pixel, and hardly larger than it was uploaded', async () => {
    const { url } = service;
    const pixelsOf = (picture: Buffer) => sharp(picture).ensureAlpha().raw().toBuffer();
    for (const make of [photographs.palettePng, photographs.photographPng]) {
      const picture = await make();
      const full = await fetched((await uploaded(url, picture)).url);
      assert.deepEqual(await pixelsOf(full), await pixelsOf(picture), make.name);
      assert.ok(
        full.length < 1.2 * picture.length,
        `${make.name}: ${picture.length} bytes became ${full.length}`,
      );
    }
  });

  it('animations move still, their icons do not', async () => {
    const { url } = service;
    for (const format of ['gif', 'webp'] as const) {
      const item = await uploaded(url, await photographs.animation(format));
      assert.deepEqual([item.contentType, item.width, item.height], [`image/${format}`, 400, 300]);
      const full = await fetched(item.url);
      const { pages, delay, pageHeight, loop } = await sharp(full, { animated: true }).metadata();
      assert.deepEqual(
        [pages, delay, pageHeight ?? 300, loop],
        [3, [120, 120, 120], 300, 0],
        format,
      );
      assert.deepEqual(await Promise.all([0, 1, 2].map((page) => colourAt(full, 0.5, 0.5, page))), [
        '100',
        '010',
        '001',
      ]);
      const icon = await sharp(await fetched(item.iconUrl)).metadata();
      assert.deepEqual([icon.pages ?? 1, icon.width, icon.height], [1, 256, 192]);
      assert.equal(icon.format, format === 'gif' ? 'png' : 'webp');
    }
  });

  it('AVIF stays AVIF, without its place', async () => {
    const { url } = service;
    const item = await uploaded(url, await photographs.phoneAvif());
    assert.deepEqual([item.contentType, item.width, item.height], ['image/avif', 320, 240]);
    const full = await fetched(item.url);
    await assertBare(full);
    assert.equal((await sharp(full).metadata()).compression, 'av1');
    assert.equal(await colourAt(full, 0.25, 0.25), '100');
  });

  it('what is transparent stays so; a small image is not enlarged; a video behind a photograph is not served', async () => {
    const { url } = service;
    const transparent = await uploaded(url, await photographs.transparentPng());
    assert.equal((await sharp(await fetched(transparent.iconUrl)).metadata()).hasAlpha, true);
    const motion = await uploaded(url, await photographs.motionPhoto());
    const full = await fetched(motion.url);
    assert.equal(full.includes('ftypmp42'), false);
    const icon = await sharp(await fetched(motion.iconUrl)).metadata();
    assert.deepEqual([icon.width, icon.height], [200, 100]);
  });

  it('a photograph at the bound of pixels is accepted, one above it is not', async (t) => {
    const { url } = await startService(t, undefined, { MAX_IMAGE_PIXELS: '12000000' });
    const item = await uploaded(url, await photographs.largeJpeg(4_000, 3_000));
    assert.equal((await sharp(await fetched(item.iconUrl)).metadata()).width, 256);
    await assertPictureRefused(url, await photographs.largeJpeg(4_001, 3_000), 'ImageTooLarge');
  });
});
