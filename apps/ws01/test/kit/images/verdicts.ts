import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import type { DamagedPicture } from './damaged.ts';
import { listedImage, sendPicture } from './upload.ts';

export const CAMERAS = new URL('of-cameras/', import.meta.url);

/** Pictures as cameras and phones really write them, which people could not upload. */
export function camerasPictures(): DamagedPicture[] {
  const names = readdirSync(CAMERAS).filter((name) => !name.endsWith('.heic'));
  return names.map((name) => ({
    format: name.endsWith('.gif') ? 'gif' : 'jpeg',
    damage: name,
    bytes: readFileSync(new URL(name, CAMERAS)),
  }));
}

/** Uploads a picture. @returns what visitors get of it; `undefined` if it is refused. */
export async function servedFor(
  url: string,
  { bytes }: Pick<DamagedPicture, 'bytes'>,
): Promise<Buffer | undefined> {
  const FileGuid = crypto.randomUUID();
  const answer = await sendPicture(url, bytes, { FileGuid });
  if (answer.result !== 'true') {
    assert.match(String(answer.headers['x-error-code']), /^Image(?:Unreadable|TypeRefused)$/);
    return undefined;
  }
  const response = await fetch((await listedImage(url, FileGuid)).url);
  return Buffer.from(await response.arrayBuffer());
}

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

/** What the service and Chromium make of a picture; `difference`: of 255, where both show it. */
export async function verdictsOn(
  picture: DamagedPicture,
  url: string,
  page: Page,
): Promise<Seen & { readonly taken: boolean }> {
  const served = await servedFor(url, picture);
  const bytes = [picture.bytes.toString('base64'), served?.toString('base64')];
  const seen = await page.evaluate<Seen>(`(${SEEN})(${JSON.stringify(bytes)})`);
  return { ...seen, taken: served !== undefined };
}
