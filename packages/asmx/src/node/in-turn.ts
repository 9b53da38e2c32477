import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { DEFAULT_READER_LIMITS, type ReaderLimits } from './slow-readers.ts';

/** @param awaitsContinue whether it is asked for by the server's `checkContinue` event. */
type Listener = (req: IncomingMessage, res: ServerResponse, awaitsContinue: boolean) => void;

/** The requests of a connection that are not answered, the one that is being served first. */
const unanswered = new WeakMap<Socket, (() => void)[]>();

/**
 * A listener that serves the requests of a connection one after another, each when its client has taken the answer to
 * the one before. `node:http` hands over at once all that came in one packet, which may be hundreds, and keeps all of
 * their answers for a client that reads none.
 *
 * @param limits of which `waitingRequests` counts here.
 */
export function inTurn(
  serve: Listener,
  { waitingRequests }: Pick<ReaderLimits, 'waitingRequests'> = DEFAULT_READER_LIMITS,
): (req: IncomingMessage, res: ServerResponse, awaitsContinue?: boolean) => void {
  return (req, res, awaitsContinue = false) => {
    const { socket } = req;
    let requests = unanswered.get(socket);
    if (requests === undefined) {
      requests = [];
      unanswered.set(socket, requests);
    }
    const proceed = () => serve(req, res, awaitsContinue);
    const waiting = requests.push(proceed);
    res.on('close', () => {
      if (requests.shift() !== undefined && !socket.destroyed) requests[0]?.();
    });
    if (waiting === 1) proceed();
    else if (waiting > waitingRequests) socket.destroy();
  };
}
