import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { ImageAnswer } from './image-answer.ts';
import { type ImageAnswers, type ImageRequest, pathOf } from './image-answers.ts';
import { requestIdOf } from './request-ids.ts';

/**
 * Serves images with `node:http`.
 * @returns a listener that returns whether it answers the request.
 */
export function imageListener(
  images: ImageAnswers,
  log: Logger,
): (req: IncomingMessage, res: ServerResponse) => boolean {
  const serve = async (request: ImageRequest, res: ServerResponse, answering: Promise<ImageAnswer>) => {
    const answer = await answering;
    if (res.destroyed) return;
    if (answer.open === undefined) send(res, answer);
    else await sendStream(request, res, answer, answer.open);
  };
  const sendStream = async (
    request: ImageRequest,
    res: ServerResponse,
    answer: ImageAnswer,
    open: NonNullable<ImageAnswer['open']>,
  ) => {
    const signal = goneSignal(res);
    try {
      const bytes = await open(signal);
      // It is too late for another answer then.
      bytes.on('error', (err) => {
        log.error({ path: pathOf(request.target), err }, 'an image broke off while it was sent');
        res.destroy();
      });
      res.on('close', () => bytes.destroy());
      if (res.destroyed) {
        bytes.destroy();
        return;
      }
      writeHead(res, answer);
      res.flushHeaders();
      bytes.pipe(res);
    } catch (error) {
      if (!signal.aborted) send(res, images.failed(error, request));
    }
  };
  return (req, res) => {
    const request: ImageRequest = {
      method: req.method ?? '',
      target: req.url ?? '',
      headers: req.headers,
      requestId: () => requestIdOf({ outgoing: res }),
      gone: () => goneSignal(res),
    };
    const answering = images.answer(request);
    if (answering === undefined) return false;
    serve(request, res, answering);
    return true;
  };
}

function send(res: ServerResponse, answer: ImageAnswer): void {
  writeHead(res, answer);
  // Node leaves out the body for HEAD.
  res.end(answer.body);
}

function writeHead(res: ServerResponse, { status, headers, length }: ImageAnswer): void {
  res.writeHead(status, length === undefined ? headers : { ...headers, 'Content-Length': length });
}

/** An AbortSignal that is aborted if the connection closes before the answer was written. */
function goneSignal(res: ServerResponse): AbortSignal {
  const gone = new AbortController();
  if (res.destroyed) gone.abort();
  else res.once('close', () => res.writableFinished || gone.abort());
  return gone.signal;
}
