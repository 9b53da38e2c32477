import type { Worker } from 'node:cluster';

/**
 * The parts of node:cluster's internal messages that are used here: a connection for a worker, and a worker's reply.
 */
interface ClusterMessage {
  readonly cmd?: string;
  readonly act?: string;
  readonly seq?: number;
  readonly ack?: number;
}

interface HandedConnection {
  close(): void;
}

/**
 * Handles a connection that is being passed to a worker when the worker dies. The primary process accepts connections,
 * passes one at a time to each worker, and closes its own copy when the worker acknowledges it. If the worker dies
 * first, Node (26) waits for the acknowledgement for ever: the client gets no answer, and node:cluster never releases
 * the port.
 *
 * This function reports the end to node:cluster, and supplies the reply of the dead worker: "not accepted". So the
 * connection goes to another worker, like those that a stopping worker returns. It only observes the messages of
 * node:cluster; if a later Node sends others, it has no effect.
 *
 * @param othersServe whether another worker is there to take the connection; else it is closed.
 */
export function watchHandOver(worker: Worker, othersServe: () => boolean): void {
  const channel = worker.process;
  const onTheirWay = new Map<number, HandedConnection>();
  const send = channel.send.bind(channel) as (...args: unknown[]) => boolean;
  const watched = (message: ClusterMessage, connection?: HandedConnection, ...rest: unknown[]) => {
    if (message.act === 'newconn' && message.seq !== undefined && connection !== undefined) {
      onTheirWay.set(message.seq, connection);
    }
    return send(message, connection, ...rest);
  };
  Object.assign(channel, { send: watched });
  channel.on('internalMessage', ({ ack }: ClusterMessage) => {
    if (ack !== undefined) onTheirWay.delete(ack);
  });
  let disconnected = false;
  channel.once('disconnect', () => {
    disconnected = true;
  });
  // It has ended, and all that it ever said has been read.
  channel.once('close', () => {
    if (!disconnected) channel.emit('disconnect');
    for (const [ack, connection] of onTheirWay) {
      if (othersServe()) channel.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack, accepted: false });
      else connection.close();
    }
    onTheirWay.clear();
  });
}
