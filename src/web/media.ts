import { Readable } from 'node:stream';
import { type Context, Hono } from 'hono';
import type { Media, Medium } from '../domain/images/serving/media.ts';
import { isNotModified, rangeOf } from './http-conditions.ts';

/** An image never changes under its URL, which has the hash of its file in it. */
const CACHED = 'public, max-age=31536000, immutable';
const NO_STORE = { 'Cache-Control': 'no-store' };

/** What a browser is told of any answer here: other sites may show it, and nothing may run in it. */
const SAFE_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Cross-Origin-Resource-Policy': 'cross-origin',
};

/** Images as browsers fetch them (semantics 5, 5), to be mounted at the path of their URLs. */
export function createMediaPages(media: Media): Hono {
  const app = new Hono();
  app.use(async (c, next) => {
    await next();
    for (const [name, value] of Object.entries(SAFE_HEADERS)) c.header(name, value);
  });
  app.get('/:name', async (c) => {
    const found = await find(media, c.req.param('name'));
    switch (found.kind) {
      case 'found':
        return send(c, found.medium);
      case 'gone':
        return c.text('This image was deleted.\n', 410, NO_STORE);
      case 'unknown':
        return c.text('There is no such image.\n', 404, NO_STORE);
      case 'unavailable':
        return c.text('The image cannot be read now; try again.\n', 503, { ...NO_STORE, 'Retry-After': '5' });
    }
  });
  return app;
}

async function find(media: Media, name: string): Promise<Awaited<ReturnType<Media['find']>> | { kind: 'unavailable' }> {
  try {
    return await media.find(name);
  } catch {
    return { kind: 'unavailable' };
  }
}

async function send(c: Context, medium: Medium): Promise<Response> {
  const etag = `"${medium.tag}"`;
  const modified = new Date(medium.storedAt);
  const headers: Record<string, string> = {
    'Cache-Control': CACHED,
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
  const bytes = await medium.read(range);
  return c.body(Readable.toWeb(bytes) as ReadableStream, status, headers);
}
