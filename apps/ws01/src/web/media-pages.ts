import { PassThrough, Readable } from 'node:stream';
import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import type { Logger } from 'pino';
import { streamOf } from '../adapters/files/hot-files.ts';
import type { Media, MediumLookup } from '../domain/images/serving/media.ts';
import { UNREAD } from './direct-answers.ts';
import { imageAnswer, SAFE_HEADERS } from './image-answer.ts';
import { CACHED } from './image-answers.ts';

type WebContext = Context<{ Bindings: HttpBindings }>;

/** Serves the images that {@link createImageAnswers} leaves, at every form of their URLs (semantics 5.5). */
export function createMediaPages(
  media: Pick<Media, 'find'>,
  log: Logger,
): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.use(async (c, next) => {
    await next();
    for (const [name, value] of Object.entries(SAFE_HEADERS)) c.header(name, value);
  });
  app.get('/:name', (c) =>
    answerImage(c, (gone) => media.find(c.req.param('name'), gone), log, CACHED),
  );
  return app;
}

/**
 * Answers with an image or an error.
 * @param cached the Cache-Control of the image.
 */
export async function answerImage(
  c: WebContext,
  find: (gone: () => AbortSignal) => Promise<MediumLookup>,
  log: Logger,
  cached: string,
): Promise<Response> {
  const { signal } = c.req.raw;
  try {
    const found = await find(() => signal);
    const answer = await imageAnswer(
      (name) => c.req.header(name),
      found,
      cached,
      c.req.method !== 'HEAD',
    );
    const { status, length, body, open } = answer;
    const headers =
      length === undefined
        ? answer.headers
        : { ...answer.headers, 'content-length': String(length) };
    if (open === undefined)
      return new Response(body === '' ? null : (body as Uint8Array<ArrayBuffer> | string), {
        status,
        headers,
      });
    const wire = untilBroken(streamOf(await open(signal)), (err) => {
      log.error({ path: c.req.path, err }, 'an image broke off while it was sent');
      c.env.outgoing.destroy();
    });
    return new Response(Readable.toWeb(wire) as ReadableStream, { status, headers });
  } catch (error) {
    // The client has gone.
    if (signal.aborted) return new Response(null, { status: UNREAD.status });
    throw error;
  }
}

/**
 * Passes the bytes through. If the source fails, it is too late for another answer: the connection is cut. The stream
 * itself does not fail, because the adapter would print the error.
 */
function untilBroken(bytes: Readable, onBroken: (error: Error) => void): Readable {
  const wire = new PassThrough();
  bytes.on('error', onBroken);
  wire.on('close', () => bytes.destroy());
  return bytes.pipe(wire);
}
