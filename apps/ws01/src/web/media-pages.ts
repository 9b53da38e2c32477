import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono } from 'hono';
import type { Media } from '../domain/images/serving/media.ts';
import { FOREVER } from '../failure/answer-headers.ts';
import { isForPage } from './direct-answers.ts';
import { directRequest, writeDirect } from './direct-listener.ts';
import { SAFE_HEADERS } from './image-answer.ts';
import type { PictureAnswers } from './image-answers.ts';

/**
 * Serves the images that {@link createImageAnswers} leaves, at every form of their URLs
 * (semantics 5.5).
 */
export function createMediaPages(
  media: Pick<Media, 'find'>,
  pictures: PictureAnswers,
): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.use(async (c, next) => {
    await next();
    for (const [name, value] of Object.entries(SAFE_HEADERS)) c.header(name, value);
  });
  app.get('/:name', (c) =>
    answerImage(
      c,
      pictures,
      (gone) =>
        media.find(c.req.param('name'), {
          gone,
          width: c.req.query('w'),
          accept: c.req.header('accept'),
        }),
      FOREVER,
    ),
  );
  return app;
}

/**
 * Answers with an image, or why there is none, past Hono; browsers that would show a sentence get a
 * page.
 */
export async function answerImage(
  { env: { incoming, outgoing } }: { readonly env: HttpBindings },
  pictures: PictureAnswers,
  find: Parameters<PictureAnswers>[0],
  cached: string,
): Promise<Response> {
  const answer = await pictures(find, cached, directRequest(incoming, outgoing));
  if (isForPage(answer, incoming.headers)) {
    const { status, headers, body } = answer;
    return new Response(body, { status, headers });
  }
  await writeDirect(outgoing, answer);
  return RESPONSE_ALREADY_SENT;
}
