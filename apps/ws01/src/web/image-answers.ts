import type { Logger } from 'pino';
import type { Media } from '../domain/images/serving/media.ts';
import { MEDIA_PATH } from '../domain/images/serving/urls.ts';
import { createFailureAnswers, type FailureAnswer } from './failures.ts';
import { type ImageAnswer, imageAnswer, SAFE_HEADERS } from './image-answer.ts';

/** An image never changes under its URL, which contains the hash of its file. */
export const CACHED = 'public, max-age=31536000, immutable';

/** The URLs of images as this service writes them, with or without a query. */
const TARGET = new RegExp(`^${MEDIA_PATH}/([0-9a-f]{64}(?:-icon)?\\.[a-z]{3,4})(?:\\?[!$&-;=?-\\[\\]_a-z~]*)?$`);

/** Hosts with which a {@link TARGET} makes a URL; not all of them. */
const HOST = /^[a-z0-9._-]+(?::(?:[1-5]\d{3,4}|[6-9]\d{3}))?$/;

/** A request, as every server has it. */
export interface ImageRequest {
  readonly method: string;
  readonly target: string;
  /** Values by lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly requestId: () => string;
  /** Ends the wait for a busy disk; called if there is one. */
  readonly gone?: (() => AbortSignal) | undefined;
}

/** Answers requests for images (semantics 5.5), whichever server has them. */
export interface ImageAnswers {
  /** Answers a request; `undefined`: it is for others. Never rejects. */
  answer(request: ImageRequest): Promise<ImageAnswer> | undefined;
  /** Answers a request whose image cannot be read, and logs why. */
  failed(error: unknown, request: ImageRequest): ImageAnswer;
}

/**
 * Creates the answers to requests whose method, URL and host are the usual ones. Others are left to the pages, which
 * understand every form of a URL, and take several times as long.
 */
export function createImageAnswers(media: Pick<Media, 'find'>, log: Logger): ImageAnswers {
  const answerFailure = createFailureAnswers(log);
  const failed = (error: unknown, { method, target, requestId }: ImageRequest) =>
    failedAnswer(answerFailure(error, { method, path: pathOf(target), requestId: requestId() }));
  const answer = async (name: string, request: ImageRequest) => {
    const { method, headers, gone } = request;
    let signal: AbortSignal | undefined;
    const goneOnce = gone && (() => (signal ??= gone()));
    const header = (wanted: string) => {
      const value = headers[wanted];
      return typeof value === 'object' ? value[0] : value;
    };
    try {
      return await imageAnswer(header, await media.find(name, goneOnce), CACHED, method !== 'HEAD');
    } catch (error) {
      return signal?.aborted ? UNREAD : failed(error, request);
    }
  };
  return {
    failed,
    answer(request) {
      const { method, target, headers } = request;
      if ((method !== 'GET' && method !== 'HEAD') || !target.startsWith(MEDIA_PATH)) return undefined;
      const [, name] = TARGET.exec(target) ?? [];
      if (name === undefined || headers.host === undefined || !HOST.test(String(headers.host))) return undefined;
      return answer(name, request);
    },
  };
}

/** The path of a target, without the query, which may contain anything. */
export function pathOf(target: string): string {
  return target.split('?', 1)[0]!;
}

/** With nginx's status for a client that closed the connection before the answer. */
export const UNREAD: ImageAnswer = { status: 499, headers: {}, length: undefined, body: '' };

/** Every server writes the request id itself. */
function failedAnswer({ status, headers, body }: FailureAnswer): ImageAnswer {
  const own = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  const { 'x-request-id': _, ...rest } = Object.fromEntries(own) as Record<string, string>;
  return { status, headers: { ...rest, ...SAFE_HEADERS }, length: Buffer.byteLength(body), body };
}
