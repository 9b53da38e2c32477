import type { Logger } from 'pino';
import type { FilePieces } from '../adapters/files/file-store.ts';
import type { Media, MediumLookup } from '../domain/images/serving/media.ts';
import { MEDIA_PATH } from '../domain/values/image-url.ts';
import { FOREVER } from '../failure/answer-headers.ts';
import {
  createDirectFailures,
  type DirectAnswer,
  type DirectAnswers,
  type DirectRequest,
  isForPage,
  isUsual,
  pathOf,
  QUERY,
  queryOf,
  UNREAD,
} from './direct-answers.ts';
import { imageAnswer, SAFE_HEADERS } from './image-answer.ts';

/** The URLs of images as this service writes them, with or without a query. */
const TARGET = new RegExp(`^${MEDIA_PATH}/([0-9a-f]{64}(?:-icon)?\\.[a-z]{3,4})${QUERY}$`);

/**
 * Answers a request for a picture, for any server.
 * @param find ends its wait for a busy disk with the signal.
 * @param cached the Cache-Control of the picture.
 */
export type PictureAnswers = (
  find: (gone: (() => AbortSignal) | undefined) => Promise<MediumLookup>,
  cached: string,
  request: DirectRequest,
) => Promise<DirectAnswer>;

export function createPictureAnswers(log: Logger): PictureAnswers {
  const answerFailure = createDirectFailures(log);
  const failed = (error: unknown, request: DirectRequest): DirectAnswer => {
    const answer = answerFailure(error, request);
    return { ...answer, headers: { ...answer.headers, ...SAFE_HEADERS } };
  };
  return async (find, cached, request) => {
    const { method, headers, gone } = request;
    let signal: AbortSignal | undefined;
    const goneOnce = gone && (() => (signal ??= gone()));
    const header = (wanted: string) => {
      const value = headers[wanted];
      return typeof value === 'object' ? value[0] : value;
    };
    try {
      const made = await imageAnswer(header, await find(goneOnce), cached, method !== 'HEAD');
      const { open } = made;
      if (open === undefined) return made;
      const openFor = async (signal?: AbortSignal) => {
        const pieces = await open(signal);
        closeWithClient(pieces, signal);
        return toldWhenBroken(pieces, (err) => {
          const path = pathOf(request.target);
          if (!signal?.aborted) log.error({ path, err }, 'an image broke off while it was sent');
        });
      };
      return { ...made, stream: { open: openFor, failed: (error) => failed(error, request) } };
    } catch (error) {
      return signal?.aborted ? UNREAD : failed(error, request);
    }
  };
}

/**
 * Creates the answers to requests whose method, URL and host are the usual ones. Others are left to
 * the pages, which understand every form of a URL, and take several times as long.
 */
export function createImageAnswers(
  media: Pick<Media, 'find'>,
  pictures: PictureAnswers,
): DirectAnswers {
  const answer = async (name: string, request: DirectRequest) => {
    const width = new URLSearchParams(queryOf(request.target)).get('w');
    const { accept } = request.headers;
    const asked = { width, accept: accept === undefined ? '' : String(accept) };
    const made = await pictures((gone) => media.find(name, { gone, ...asked }), FOREVER, request);
    return isForPage(made, request.headers) ? undefined : made;
  };
  return (request) => {
    const { target } = request;
    if (!target.startsWith(MEDIA_PATH)) return undefined;
    const [, name] = TARGET.exec(target) ?? [];
    return name !== undefined && isUsual(request) ? answer(name, request) : undefined;
  };
}

/** Closes a file whose reader may have left before it asked for the first piece. */
function closeWithClient(pieces: FilePieces, signal: AbortSignal | undefined): void {
  if (signal?.aborted) pieces.destroy?.();
  else signal?.addEventListener('abort', () => pieces.destroy?.());
}

async function* toldWhenBroken(
  pieces: FilePieces,
  tell: (err: unknown) => void,
): AsyncGenerator<Buffer> {
  try {
    yield* pieces;
  } catch (err) {
    tell(err);
    throw err;
  }
}
