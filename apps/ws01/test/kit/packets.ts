import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { type RawAnswer, RawConnection } from '../../../../packages/asmx/test/kit/http.ts';
import { PATIENCE_MS } from '../../../../packages/asmx/test/kit/until.ts';

/** The servers' ends of connections of this process, by the client's port. */
const served = new Map<number, Socket>();

subscribe('net.server.socket', (message) => {
  const { socket } = message as { socket: Socket };
  const port = socket.remotePort ?? 0;
  served.set(port, socket);
  socket.once('close', () => served.delete(port));
});

/**
 * Sends a request in packets: each is written when a server of this process has read the one before.
 *
 * @returns the answer, and `100 Continue` if it came; what was not sent yet when the answer came is not sent.
 */
export async function sendInPackets(
  test: { after(close: () => unknown): void },
  port: number,
  packets: Iterable<Uint8Array>,
): Promise<RawAnswer> {
  const connection = await RawConnection.open(test, port);
  const { socket } = connection;
  socket.setNoDelay(true);
  let isAnswered = false;
  const answered = finalAnswer(connection).finally(() => {
    isAnswered = true;
  });
  // Told by whoever waits for it below.
  answered.catch(() => {});
  let sent = 0;
  for (const packet of packets) {
    if (isAnswered || !socket.writable) break;
    socket.write(packet);
    sent += packet.length;
    await met(
      () =>
        isAnswered || socket.destroyed || (served.get(socket.localPort!)?.bytesRead ?? 0) >= sent,
    );
    // What it has read is parsed.
    await turn();
  }
  const answer = await answered;
  socket.destroy();
  return answer;
}

async function finalAnswer(connection: RawConnection): Promise<RawAnswer> {
  for (;;) {
    const answer = await connection.answer();
    if (answer.status !== 100) return answer;
  }
}

/** Looks in each turn of the event loop. @throws {Error} when it does not come to be. */
async function met(holds: () => boolean): Promise<void> {
  const latest = performance.now() + PATIENCE_MS;
  while (!holds()) {
    if (performance.now() > latest) throw new Error(`waited in vain: ${holds}`);
    await turn();
  }
}

/** A message cut into packets of at most so many bytes. */
export function* cutEvery(bytes: number, message: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < message.length; from += bytes)
    yield message.subarray(from, from + bytes);
}
