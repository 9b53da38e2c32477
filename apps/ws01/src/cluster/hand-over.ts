import type { Worker } from 'node:cluster';

/** As far as it is known of node:cluster's own messages: a connection for a worker, and a worker's reply. */
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
 * Sees to the connection that is on its way to a worker when the worker dies. The primary process accepts connections,
 * hands one at a time to each worker and closes its own copy when the worker says that it has it. When a worker dies
 * first, Node (26) waits for that word for ever: the client has a connection on which nobody answers, and node:cluster
 * counts on the worker still and never lets go of the port.
 *
 * Here node:cluster is told of the end that it missed, and the dead worker's reply is made up for it: "not taken". So
 * the connection goes to another worker, as those do that a worker sends back because it is stopping. Only what
 * node:cluster sends is watched; should a later Node send something else, all is as it would be without this.
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
