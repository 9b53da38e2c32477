// slow: it fills the buffers of sockets
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createEndpoint, operation, service, string } from '@ws01/asmx';
import {
  DEFAULT_READER_LIMITS,
  disconnectSlowReaders,
  inTurn,
  nodeListener,
  type ReaderLimits,
} from '@ws01/asmx/node';
import { attachFastPath } from '@ws01/fast-http';
import { acknowledged } from '../../src/node/kernel-queue.ts';
import { peerOf, RawConnection } from '../kit/http.ts';
import { BY_NIGHT } from '../kit/lane.ts';
import { listen } from '../kit/listen.ts';
import { steerTime } from '../kit/steered-time.ts';
import { until } from '../kit/until.ts';

const MIB = 1024 * 1024;

const says = operation({ input: { text: string }, result: string });
/** Fill says it 16 million times. */
const SERVICE = service('Echo', { namespace: 'urn:echo', operations: { Say: says, Fill: says } });

interface Fixture {
  /** Calls that were answered. */
  readonly calls: string[];
  readonly port: number;
  open(): Promise<RawConnection>;
}

async function start(test: TestContext, limits: Partial<ReaderLimits>): Promise<Fixture> {
  const calls: string[] = [];
  const endpoint = createEndpoint(SERVICE, {
    handlers: {
      Say: ({ text = '' }) => {
        calls.push(text);
        return text;
      },
      Fill: ({ text = '' }) => {
        calls.push(text);
        return text.repeat(16 * MIB);
      },
    },
    path: '/Echo.asmx',
    baseUrl: () => 'http://localhost',
  });
  const serve = nodeListener(endpoint);
  const server = createServer(inTurn((req, res) => void serve(req, res)));
  disconnectSlowReaders(server, { ...DEFAULT_READER_LIMITS, ...limits });
  const connections = attachFastPath(server, endpoint);
  const port = await listen(test, server);
  test.after(() => connections.destroy());
  return { calls, port, open: () => RawConnection.open(test, port) };
}

/** What sends a request past `node:http`, and what to it. */
const WAYS = { 'the fast path': [], 'node:http': ['TE: trailers'] };

const get = (operation: string, text: string, headers: readonly string[]): string =>
  [`GET /Echo.asmx/${operation}?text=${text} HTTP/1.1`, 'Host: x', ...headers, '', ''].join('\r\n');

/** Asks for a long answer and reads nothing of it; the sockets have taken what they have room for. */
async function askAndStop(
  fixture: Fixture,
  text: string,
  headers: readonly string[],
): Promise<RawConnection> {
  const connection = await fixture.open();
  connection.socket.pause();
  connection.send(get('Fill', text, headers));
  const peer = await connection.peer();
  let before = 0;
  await until(() => {
    const written = peer.bytesWritten;
    const stuck = written > MIB && written === before;
    before = written;
    return stuck;
  });
  return connection;
}

/** A client that takes so many bytes at a time from its kernel, which has room for about 64 kB. */
class SlowReader {
  readonly #socket: Socket;
  readonly #pieces: Buffer[] = [];
  #wake = () => {};
  #drains = false;

  private constructor(port: number, bytes: number) {
    const buffer = Buffer.alloc(bytes);
    const callback = (length: number) => {
      this.#pieces.push(Buffer.from(buffer.subarray(0, length)));
      this.#wake();
      return this.#drains;
    };
    this.#socket = connect({ port, host: '127.0.0.1', onread: { buffer, callback } });
  }

  static async open(test: TestContext, port: number, request: string, bytes: number) {
    const reader = new SlowReader(port, bytes);
    test.after(() => reader.#socket.destroy());
    reader.#socket.write(request);
    await new Promise<void>((resolve) => {
      reader.#wake = resolve;
    });
    return reader;
  }

  /** The server's side of it. */
  peer(): Promise<Socket> {
    return peerOf(this.#socket);
  }

  /** Takes the next bytes. @throws {Error} when the connection has ended. */
  async readOn(): Promise<void> {
    const socket = this.#socket;
    await new Promise<void>((resolve, reject) => {
      const onClose = () => reject(new Error('the connection ended'));
      if (socket.destroyed) onClose();
      this.#wake = () => {
        socket.off('close', onClose);
        resolve();
      };
      socket.once('close', onClose);
      socket.resume();
    });
  }

  /** All that came, once the answer has ended. */
  async rest(): Promise<string> {
    this.#drains = true;
    const end = () => Buffer.concat(this.#pieces.slice(-2)).toString('latin1');
    while (!end().includes('</string>')) await this.readOn();
    return Buffer.concat(this.#pieces).toString('latin1');
  }
}

describe('a client that does not read its answers', () => {
  it('is disconnected when it has read too little for too long, and left alone as long as it reads as much as it must', async (test) => {
    const { pass } = steerTime(test);
    const limits = { progressMs: 60_000, progressBytes: 50_000, totalUnreadBytes: 1024 * MIB };
    const fixture = await start(test, limits);
    for (const headers of Object.values(WAYS)) {
      const still = await askAndStop(fixture, 'x', headers);
      const peer = await still.peer();
      const reading = await fixture.open();
      reading.send(get('Fill', 'xx', headers));
      let waited = 0;
      // It has a minute again when the kernel has taken more of it since.
      for (; !peer.destroyed && waited < 240_000; waited += 3_000) {
        // The server hears of it when a third of what the kernel holds for it has been taken.
        const enough = Math.min(reading.socket.bytesRead + MIB / 2, 28 * MIB);
        reading.socket.resume();
        await until(() => reading.socket.bytesRead >= enough);
        reading.socket.pause();
        pass(3_000);
      }
      assert.ok(peer.destroyed);
      assert.ok(waited > 60_000, `after ${waited} ms`);
      reading.socket.resume();
      const whole = reading.answer();
      still.socket.resume();
      await assert.rejects(still.answer(), /the connection ended/);
      assert.ok((await whole).body.length > 32 * MIB - 1);
    }
  });

  for (const [at, [way, headers]] of Object.entries(WAYS).entries()) {
    /** By day every other of these in the one way, and the rest in the other. */
    const isTried = (number: number) => BY_NIGHT || number % 2 === at;

    for (const perSecond of BY_NIGHT ? [2_000, 20_000] : [2_000]) {
      if (isTried(0))
        it(`gets its answer, however slowly it reads: ${way}, ${perSecond} bytes a second`, async (test) => {
          const { pass } = steerTime(test);
          const fixture = await start(test, { totalUnreadBytes: 1024 * MIB });
          const still = await (await askAndStop(fixture, 'x', headers)).peer();
          const slow = await SlowReader.open(
            test,
            fixture.port,
            get('Fill', 'x', headers),
            perSecond,
          );
          const peer = await slow.peer();
          let [heard, unheard] = [0, 0];
          for (let seconds = 0; seconds < 600; ) {
            await slow.readOn();
            // Kernels tell each other after some 100 kB, and after times that nobody steers.
            if (unheard === 60) {
              const taken = acknowledged([peer]).get(peer)!;
              if (taken === heard) continue;
              heard = taken;
              unheard = 0;
            }
            pass(1_000);
            seconds++;
            unheard++;
          }
          assert.ok(still.destroyed);
          const rest = await slow.rest();
          const begins = rest.indexOf('xxx');
          assert.equal(rest.indexOf('<', begins) - begins, 16 * MIB);
        });
    }

    if (isTried(1))
      it(`is disconnected for others when all unread answers hold too much, the slowest first: ${way}`, async (test) => {
        const { pass } = steerTime(test);
        const fixture = await start(test, { totalUnreadBytes: 40 * MIB });
        const connections: RawConnection[] = [];
        for (const text of ['a', 'b', 'c', 'd']) {
          connections.push(await askAndStop(fixture, text, headers));
          for (let seconds = 0; seconds < 3; seconds++) pass(1_000);
        }
        const kept = await Promise.all(
          connections.map(async (connection) => {
            connection.socket.resume();
            return connection.answer().then(
              () => true,
              () => false,
            );
          }),
        );
        assert.deepEqual(kept, [false, false, true, true]);
      });

    if (isTried(0))
      it(`that reads is not cut off for others: they come whole or are refused: ${way}`, async (test) => {
        steerTime(test);
        const fixture = await start(test, { totalUnreadBytes: 20 * MIB });
        const connections = await Promise.all(Array.from({ length: 4 }, () => fixture.open()));
        const answers = await Promise.all(
          connections.map((connection) => {
            connection.send(get('Fill', 'x', headers));
            return connection.answer();
          }),
        );
        const statuses = answers.map(({ status }) => status).sort();
        assert.equal(statuses[0], 200);
        assert.equal(statuses[3], 503);
        for (const { status, body } of answers)
          assert.ok(status === 503 ? /^Busy: /.test(body) : body.length > 16 * MIB, `${status}`);
      });

    if (isTried(1))
      it(`gets its answer, when it is the only one, however large that is: ${way}`, async (test) => {
        const fixture = await start(test, { totalUnreadBytes: MIB });
        const connection = await askAndStop(fixture, 'x', headers);
        connection.socket.resume();
        assert.equal((await connection.answer()).status, 200);
      });

    if (isTried(0))
      it(`gets no further request served: ${way}`, async (test) => {
        const fixture = await start(test, {});
        const connection = await askAndStop(fixture, 'x', headers);
        connection.send(get('Say', 'y', headers).repeat(50));
        await pause(200);
        assert.deepEqual(fixture.calls, ['x']);
        connection.socket.resume();
        for (let answers = 0; answers < 51; answers++)
          assert.equal((await connection.answer()).status, 200);
        assert.equal(fixture.calls.length, 51);
      });
  }

  it('may have as many requests in node:http as waitingRequests says, and is disconnected with one more', async (test) => {
    const get = ['GET /Echo.asmx/Say?text=x HTTP/1.1', 'Host: x', 'TE: trailers', '', ''].join(
      '\r\n',
    );
    const { open } = await start(test, {});
    const within = await open();
    within.send(get.repeat(100));
    for (let answers = 0; answers < 100; answers++)
      assert.equal((await within.answer()).status, 200);
    const beyond = await open();
    beyond.send(get.repeat(101));
    await assert.rejects(beyond.answer(), /the connection ended/);
  });
});
