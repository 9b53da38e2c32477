import assert from 'node:assert/strict';
import { type CallAnswer, type Params, TEST_BINDINGS } from '../bindings.ts';
import { TOKEN } from '../names.ts';

const [soap11, , get] = TEST_BINDINGS;

/** What the list says of an image. */
export interface ListedImage {
  readonly url: string;
  readonly iconUrl: string;
  readonly contentType: string;
  readonly width: number;
  readonly height: number;
  readonly bytes: number;
}

/**
 * Sends a picture as a client in the field does.
 * @param more other parameters; without a key it gets a new one.
 */
export function sendPicture(url: string, picture: Buffer, more: Params = {}): Promise<CallAnswer> {
  return soap11!.call(url, 'InsertArticleImageFile', {
    verifyCode: TOKEN,
    FileGuid: crypto.randomUUID(),
    FileImg: picture.toString('base64'),
    ...more,
  });
}

/** Sends a picture that is taken. */
export async function upload(url: string, picture: Buffer, more?: Params): Promise<void> {
  const { result, headers, body } = await sendPicture(url, picture, more);
  assert.deepEqual([result, headers['x-error-code']], ['true', undefined], body);
}

/** Sends a picture that is taken. @returns what the list says of it. */
export async function uploaded(
  url: string,
  picture: Buffer,
  FileGuid: string = crypto.randomUUID(),
): Promise<ListedImage> {
  await upload(url, picture, { FileGuid });
  const listed = await listedImage(url, FileGuid);
  assert.equal(listed.bytes, picture.length);
  return listed;
}

export async function listedImage(url: string, FileGuid: string): Promise<ListedImage> {
  const { result } = await get!.call(url, 'QueryImgData', { query: FileGuid });
  const { items } = JSON.parse(result!);
  assert.equal(items.length, 1);
  return items[0];
}

/** Sends a picture that is refused, with a code. */
export async function assertPictureRefused(
  url: string,
  picture: Buffer,
  code: string,
): Promise<void> {
  const { status, result, headers, body } = await sendPicture(url, picture);
  assert.deepEqual([status, result, headers['x-error-code']], [200, 'false', code], body);
}
