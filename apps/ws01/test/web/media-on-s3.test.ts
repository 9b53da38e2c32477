// waits: for a connection that is cut
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { it } from 'node:test';
import { someOf } from '../../../../packages/asmx/test/kit/lane.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { noisyPng } from '../kit/images/photographs.ts';
import { uploaded } from '../kit/images/upload.ts';
import { startS3 } from '../kit/s3.ts';
import { startS3Gate } from '../kit/s3-gate.ts';
import { startService } from '../kit/service.ts';

for (const FAST_PATH of someOf(['on', 'off'], 2))
  it(`a picture in S3 is sent whole to a client that pauses for longer than S3 may: FAST_PATH=${FAST_PATH}`, async (t) => {
    const { endpoint, bucket } = await startS3(t);
    let connection: Socket | undefined;
    const gate = await startS3Gate(t, endpoint, ({ socket }) => {
      connection = socket;
      return true;
    });
    const FILES_URL = `s3://${bucket}?endpoint=${encodeURIComponent(gate)}`;
    const service = await startService(t, undefined, {
      FILES_URL,
      FAST_PATH,
    });
    const { url } = await uploaded(service.url, await noisyPng(1_800));
    const whole = Buffer.from(await (await fetch(url)).arrayBuffer());
    const socket = connect(service.app.port, '127.0.0.1');
    socket.write(`GET ${new URL(url).pathname} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    const [first] = await once(socket, 'data');
    const pieces: Buffer[] = [first];
    socket.pause();
    await until(() => connection!.destroyed);
    socket.on('data', (piece: Buffer) => pieces.push(piece));
    socket.resume();
    await once(socket, 'close');
    const answer = Buffer.concat(pieces);
    assert.equal(answer.length - answer.indexOf('\r\n\r\n') - 4, whole.length);
    assert.ok(answer.subarray(-whole.length).equals(whole));
  });
