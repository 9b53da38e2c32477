import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests of one connection that may wait for their turn; a client that sends more at once is disconnected. */
export const MOST_WAITING = 100;

/** @param awaitsContinue whether it is asked for by the server's `checkContinue` event. */
type Listener = (req: IncomingMessage, res: ServerResponse, awaitsContinue: boolean) => void;

/** The requests of a connection that are not answered, the one that is being served first. */
const unanswered = new WeakMap<Socket, (() => void)[]>();

/**
 * A listener that serves the requests of a connection one after another, each when its client has taken the answer to
 * the one before. `node:http` hands over at once all that came in one packet, which may be hundreds, and keeps all of
 * their answers for a client that reads none.
 */
export function inTurn(serve: Listener): (req: IncomingMessage, res: ServerResponse, awaitsContinue?: boolean) => void {
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
    else if (waiting > MOST_WAITING) socket.destroy();
  };
}
