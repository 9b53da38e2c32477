import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServiceError } from '../contract/errors.ts';
import type { Endpoint } from '../engine/endpoint-options.ts';
import { dropRest } from './unread-request.ts';

/**
 * Counts a body in the endpoint's account that somebody else reads. What has come of it counts
 * among the requests whose credential is not known, until it has ended. The oldest of too many
 * loses its connection, and so does one that is too slow, which gets an answer first if it has
 * none. Reads nothing itself; call it before anybody does.
 */
export function countBody(
  req: IncomingMessage,
  res: ServerResponse,
  endpoint: Pick<Endpoint, 'arriving'>,
): void {
  const { 'content-length': length, 'transfer-encoding': coding } = req.headers;
  if (req.complete || (coding === undefined && Number(length ?? 0) === 0)) return;
  const arrival = endpoint.arriving((error) => stop(res, error));
  let bytes = 0;
  const push = req.push.bind(req);
  // The parser of `node:http` gives what came to it. Listening for data would be reading.
  req.push = (chunk: Buffer | null, encoding?: BufferEncoding) => {
    if (chunk !== null && !req.socket.destroyed) {
      bytes += chunk.length;
      arrival.came(chunk.length);
      try {
        arrival.carry(bytes);
      } catch {
        req.socket.destroy();
      }
      arrival.waits();
    }
    return push(chunk, encoding);
  };
  arrival.waits();
  const end = () => arrival.end();
  req.once('end', end);
  req.once('close', end);
}

/**
 * What is held of a body that gives way is free at once; one that is slow holds little, and gets an
 * answer.
 */
function stop({ req: { socket }, headersSent }: ServerResponse, error: ServiceError): void {
  if (error.code === 'Busy' || headersSent || !socket.writable) {
    socket.destroy();
    return;
  }
  const text = `${error.message}\n`;
  const head = [
    'HTTP/1.1 408 Request Timeout',
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    `X-Error-Code: ${error.code}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
  dropRest(socket);
}
