import type { IncomingMessage } from 'node:http';
import type { Endpoint } from '../engine/endpoint-options.ts';

/**
 * Counts the body of a request that somebody else than the endpoint reads in the endpoint's account: what has come of it
 * counts among the requests whose credential is not known, until it has ended. One that is too slow, or the oldest of too
 * many, loses its connection. Reads nothing itself; call it before anybody does.
 */
export function countBody(req: IncomingMessage, endpoint: Pick<Endpoint, 'arriving'>): void {
  const { 'content-length': length, 'transfer-encoding': coding } = req.headers;
  if (req.complete || (coding === undefined && Number(length ?? 0) === 0)) return;
  const arrival = endpoint.arriving(() => req.socket.destroy());
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
