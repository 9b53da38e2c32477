import { PassThrough, Readable } from 'node:stream';
import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import type { Logger } from 'pino';
import type { Media, Medium, MediumLookup } from '../domain/images/serving/media.ts';
import { isNotModified, rangeOf } from './http-conditions.ts';

/** An image never changes under its URL, which contains the hash of its file. */
const CACHED = 'public, max-age=31536000, immutable';
const NO_STORE = { 'Cache-Control': 'no-store' };

/** nginx's status for a client that closed the connection before the answer. */
const CLIENT_GONE = 499;

/** Security headers of all answers: other sites may embed the images, and nothing in them may run. */
export const SAFE_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Cross-Origin-Resource-Policy': 'cross-origin',
};

type WebContext = Context<{ Bindings: HttpBindings }>;

/** Serves images (semantics 5.5). Mount it at the path of their URLs. */
export function createMediaPages(media: Media, log: Logger): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.use(async (c, next) => {
    await next();
    for (const [name, value] of Object.entries(SAFE_HEADERS)) c.header(name, value);
  });
  app.get('/:name', (c) => answerImage(c, (signal) => media.find(c.req.param('name'), signal), log, CACHED));
  return app;
}

/**
 * Answers with an image or an error.
 * @param cached the Cache-Control of the image.
 */
export async function answerImage(
  c: WebContext,
  find: (signal: AbortSignal) => Promise<MediumLookup>,
  log: Logger,
  cached: string,
): Promise<Response> {
  const { signal } = c.req.raw;
  try {
    return await answer(c, await find(signal), log, cached);
  } catch (error) {
    // The client has gone.
    if (signal.aborted) return new Response(null, { status: CLIENT_GONE });
    throw error;
  }
}

async function answer(c: WebContext, found: MediumLookup, log: Logger, cached: string): Promise<Response> {
  switch (found.kind) {
    case 'found':
      return send(c, found.medium, log, cached);
    case 'gone':
      return c.text('This image was deleted.\n', 410, NO_STORE);
    case 'tooLarge':
      return c.text('Showing this image takes more memory or time than this service allows.\n', 422, {
        ...NO_STORE,
        'X-Error-Code': 'ImageTooLarge',
      });
    case 'unreadable':
      return c.text('This image is damaged and cannot be shown.\n', 422, {
        ...NO_STORE,
        'X-Error-Code': 'ImageUnreadable',
      });
    case 'unknown':
      return c.text('There is no such image.\n', 404, NO_STORE);
  }
}

async function send(c: WebContext, medium: Medium, log: Logger, cached: string): Promise<Response> {
  const etag = `"${medium.tag}"`;
  const modified = new Date(medium.storedAt);
  const headers: Record<string, string> = {
    'Cache-Control': cached,
    ETag: etag,
    'Last-Modified': modified.toUTCString(),
    'Accept-Ranges': 'bytes',
  };
  const header = (name: string) => c.req.header(name);
  if (isNotModified(header, etag, modified)) return c.body(null, 304, headers);
  const range = rangeOf(header, { bytes: medium.bytes, etag, modified });
  if (range === 'unsatisfiable') {
    return c.text('The range lies outside the image.\n', 416, {
      ...NO_STORE,
      'Content-Range': `bytes */${medium.bytes}`,
    });
  }
  headers['Content-Type'] = medium.contentType;
  headers['Content-Length'] = String(range === undefined ? medium.bytes : range.end - range.start + 1);
  if (range !== undefined) headers['Content-Range'] = `bytes ${range.start}-${range.end}/${medium.bytes}`;
  const status = range === undefined ? 200 : 206;
  if (c.req.method === 'HEAD') return c.body(null, status, headers);
  const bytes = await medium.read(range, c.req.raw.signal);
  const wire = untilBroken(bytes, (error) => {
    log.error({ path: c.req.path, err: error }, 'an image broke off while it was sent');
    c.env.outgoing.destroy();
  });
  return c.body(Readable.toWeb(wire) as ReadableStream, status, headers);
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
