import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { refuseMessage, type UnreadableMessage } from './unreadable-message.ts';

/**
 * For each connection, its requests that are not answered or not completely read, including those
 * that wait for their turn.
 */
export class OpenRequests {
  readonly #open = new Map<Socket, Set<ServerResponse>>();

  /** Adds a request; it leaves by itself. */
  add(socket: Socket, res: ServerResponse): void {
    const responses = this.#open.get(socket) ?? this.#begin(socket);
    responses.add(res);
    res.on('close', () => {
      // If the body of an answered request breaks off, nobody needs another answer.
      if (res.req.complete) responses.delete(res);
      else res.req.once('end', () => responses.delete(res));
    });
  }

  #begin(socket: Socket): Set<ServerResponse> {
    const responses = new Set<ServerResponse>();
    this.#open.set(socket, responses);
    // Requests that wait for their turn at that time are not told separately.
    socket.on('close', () => this.forget(socket));
    // A client that closes its side may wait for an answer, but not for an endless stream: half a
    // minute would pass until a write to it fails.
    socket.on('end', () => {
      for (const res of responses) if (isEventStream(res)) socket.destroy();
    });
    return responses;
  }

  /** The requests of a connection, the oldest first. */
  on(socket: Socket): readonly ServerResponse[] {
    return [...(this.#open.get(socket) ?? [])];
  }

  all(): readonly ServerResponse[] {
    return [...this.#open.values()].flatMap((responses) => [...responses]);
  }

  forget(socket: Socket): void {
    this.#open.delete(socket);
  }
}

const isEventStream = (res: ServerResponse): boolean =>
  String(res.getHeader('Content-Type')).startsWith('text/event-stream');

/**
 * Refuses unreadable data on a connection after the answers to its earlier requests, so that each
 * client reads its own answer; not at all if an answer to the broken request was sent.
 */
export async function refuseInTurn(
  error: UnreadableMessage,
  socket: Socket,
  unanswered: readonly ServerResponse[],
): Promise<void> {
  const complete = unanswered.filter((res) => res.req.complete);
  await Promise.all(complete.map((res) => new Promise((resolve) => res.once('close', resolve))));
  const broken = unanswered.find((res) => !res.req.complete);
  if (broken?.headersSent) socket.end();
  else refuseMessage(error, socket);
}
