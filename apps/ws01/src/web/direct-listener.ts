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
    else await writeDirect(res, answer);
  };
  return (req, res, next) => {
    const answering = direct(directRequest(req, res));
    if (answering === undefined) next();
    else serve(res, answering, next);
  };
}

/** The request of an exchange of `node:http`. */
export function directRequest(req: IncomingMessage, res: ServerResponse): DirectRequest {
  return {
    method: req.method ?? '',
    target: req.url ?? '',
    headers: req.headers,
    remoteAddress: req.socket.remoteAddress ?? '',
    requestId: () => requestIdOf({ outgoing: res }),
    gone: () => req.signal,
  };
}

/** Writes an answer; resolves when its last part is on its way. Never rejects. */
export async function writeDirect(res: ServerResponse, answer: DirectAnswer): Promise<void> {
  if (res.destroyed) return;
  const { stream } = answer;
  if (stream === undefined) return send(res, answer);
  const { signal } = res.req;
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
}

function send(res: ServerResponse, answer: DirectAnswer): void {
  writeHead(res, answer);
  // Node leaves out the body for HEAD.
  res.end(answer.body);
}

function writeHead(res: ServerResponse, { status, headers, length }: DirectAnswer): void {
  res.writeHead(status, length === undefined ? headers : { ...headers, 'Content-Length': length });
}
