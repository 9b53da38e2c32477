import type { ByteRange, FilePieces } from '../adapters/files/file-store.ts';
import type { Medium, MediumLookup } from '../domain/images/serving/media.ts';
import { WIDTHS } from '../domain/values/image-url.ts';
import { NOSNIFF, UNCACHED } from '../failure/answer-headers.ts';
import type { DirectAnswer } from './direct-answers.ts';
import { isNotModified, type RequestHeader, rangeOf } from './http-conditions.ts';

/**
 * Security headers of all answers: other sites may embed the images, and nothing in them may run.
 */
export const SAFE_HEADERS = {
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
  ...NOSNIFF,
};

/** Cache-Control of a picture that is to be asked for again soon. */
const BRIEFLY = 'public, max-age=60';

/** An answer with an image or an error. */
export interface ImageAnswer extends Omit<DirectAnswer, 'stream'> {
  /**
   * Instead of the body: opens a large one.
   * @param signal ends the wait for a busy disk.
   * @throws {DependencyError} of the files.
   */
  readonly open?: (signal?: AbortSignal) => Promise<FilePieces>;
}

/**
 * Answers a request for an image.
 * @param cached the Cache-Control of the image.
 * @param wantsBody false: for HEAD, nothing is read.
 * @throws {DependencyError} of the files.
 */
export function imageAnswer(
  header: RequestHeader,
  found: MediumLookup,
  cached: string,
  wantsBody: boolean,
): ImageAnswer | Promise<ImageAnswer> {
  switch (found.kind) {
    case 'found':
      return mediumAnswer(header, found.medium, cached, wantsBody);
    case 'gone':
      return refusal(410, 'This image was deleted.\n');
    case 'tooLarge':
      return refusal(
        422,
        'Showing this image takes more memory or time than this service allows.\n',
        {
          'x-error-code': 'ImageTooLarge',
        },
      );
    case 'unreadable':
      return refusal(422, 'This image is damaged and cannot be shown.\n', {
        'x-error-code': 'ImageUnreadable',
      });
    case 'unknownWidth':
      return refusal(400, `The parameter w must be one of ${WIDTHS.join(', ')}.\n`, {
        'x-error-code': 'InvalidParameter',
      });
    case 'unknown':
      return refusal(404, 'There is no such image.\n');
  }
}

function refusal(
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): ImageAnswer {
  return {
    status,
    headers: {
      ...UNCACHED,
      'content-type': 'text/plain; charset=UTF-8',
      ...SAFE_HEADERS,
      ...headers,
    },
    length: text.length,
    body: text,
  };
}

function mediumAnswer(
  header: RequestHeader,
  medium: Medium,
  cached: string,
  wantsBody: boolean,
): ImageAnswer | Promise<ImageAnswer> {
  const etag = `"${medium.tag}"`;
  const modified = new Date(medium.storedAt);
  const headers: Record<string, string> = {
    'accept-ranges': 'bytes',
    'cache-control': medium.standsIn ? BRIEFLY : cached,
    ...(medium.varies ? { vary: 'Accept' } : {}),
    ...SAFE_HEADERS,
    etag,
    'last-modified': modified.toUTCString(),
  };
  if (isNotModified(header, etag, modified))
    return { status: 304, headers, length: undefined, body: '' };
  // A range is for GET alone (RFC 9110 14.2).
  const range = wantsBody ? rangeOf(header, { bytes: medium.bytes, etag, modified }) : undefined;
  if (range === 'unsatisfiable') {
    return refusal(416, 'The range lies outside the image.\n', {
      'content-range': `bytes */${medium.bytes}`,
    });
  }
  headers['content-type'] = medium.contentType;
  if (range !== undefined)
    headers['content-range'] = `bytes ${range.start}-${range.end}/${medium.bytes}`;
  const head = {
    status: range === undefined ? 200 : 206,
    headers,
    length: range === undefined ? medium.bytes : range.end - range.start + 1,
  };
  return wantsBody ? withBody(head, medium, range) : { ...head, body: '' };
}

function withBody(
  head: Omit<ImageAnswer, 'body' | 'open'>,
  medium: Medium,
  range: ByteRange | undefined,
): ImageAnswer | Promise<ImageAnswer> {
  const piece = medium.piece(range);
  if (piece === undefined)
    return { ...head, body: '', open: (signal) => medium.pieces(range, signal) };
  return piece instanceof Promise
    ? piece.then((body) => ({ ...head, body }))
    : { ...head, body: piece };
}
