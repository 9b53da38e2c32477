import type { IncomingMessage, ServerResponse } from 'node:http';
import { streamOf } from '../adapters/files/hot-files.ts';
import type { DirectAnswer, DirectAnswers, DirectRequest } from './direct-answers.ts';
import { requestIdOf } from './request-ids.ts';

/**
 * Gives direct answers with `node:http`.
 * @returns a listener that calls `next` if there is none, at once or later.
 */
export function directListener(
  direct: DirectAnswers,
): (req: IncomingMessage, res: ServerResponse, next: () => void) => void {
  const serve = async (
    res: ServerResponse,
    answering: Promise<DirectAnswer | undefined>,
    next: () => void,
  ) => {
    const answer = await answering;
    if (answer === undefined) next();
    else if (res.destroyed) return;
    else if (answer.stream === undefined) send(res, answer);
    else await sendStream(res, answer, answer.stream);
  };
  const sendStream = async (
    res: ServerResponse,
    answer: DirectAnswer,
    stream: NonNullable<DirectAnswer['stream']>,
  ) => {
    const signal = goneSignal(res);
    try {
      const bytes = streamOf(await stream.open(signal));
      // It is too late for another answer then.
      bytes.on('error', () => res.destroy());
      res.on('close', () => bytes.destroy());
      if (res.destroyed) {
        bytes.destroy();
        return;
      }
      writeHead(res, answer);
      res.flushHeaders();
      bytes.pipe(res);
    } catch (error) {
      if (!signal.aborted) send(res, stream.failed(error));
    }
  };
  return (req, res, next) => {
    const request: DirectRequest = {
      method: req.method ?? '',
      target: req.url ?? '',
      headers: req.headers,
      remoteAddress: req.socket.remoteAddress ?? '',
      requestId: () => requestIdOf({ outgoing: res }),
      gone: () => goneSignal(res),
    };
    const answering = direct(request);
    if (answering === undefined) next();
    else serve(res, answering, next);
  };
}

function send(res: ServerResponse, answer: DirectAnswer): void {
  writeHead(res, answer);
  // Node leaves out the body for HEAD.
  res.end(answer.body);
}

function writeHead(res: ServerResponse, { status, headers, length }: DirectAnswer): void {
  res.writeHead(status, length === undefined ? headers : { ...headers, 'Content-Length': length });
}

/** An AbortSignal that is aborted if the connection closes before the answer was written. */
function goneSignal(res: ServerResponse): AbortSignal {
  const gone = new AbortController();
  if (res.destroyed) gone.abort();
  else res.once('close', () => res.writableFinished || gone.abort());
  return gone.signal;
}
