import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { it } from 'node:test';
import { Upstream } from '../../src/node/upstream/ask.ts';
import { Networks } from '../../src/node/upstream/networks.ts';
import { createRecordingProxy } from '../../src/node/upstream/recording-proxy.ts';
import { listen } from '../kit/listen.ts';
import { until } from '../kit/until.ts';

const MIB = 1024 * 1024;

it('bodies that stall at the door of a recording are in one account; the oldest give way', async (t) => {
  const url = new URL('http://127.0.0.1:9/');
  const networks = new Networks(['127.0.0.0/8']);
  const upstream = new Upstream({ url, networks, timeoutMs: 1_000, answerBytes: MIB });
  const proxy = createRecordingProxy(upstream, () => {});
  const port = await listen(t, proxy);
  const sockets: Socket[] = [];
  for (let at = 0; at < 10; at++) {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    t.after(() => socket.destroy());
    socket.resume();
    socket.write('POST /Old.asmx HTTP/1.1\r\nHost: x\r\nContent-Length: 20000000\r\n\r\n');
    socket.write(Buffer.alloc(12 * MIB));
    sockets.push(socket);
  }
  await until(() => sockets.filter(({ closed }) => !closed).length <= 5);
});
