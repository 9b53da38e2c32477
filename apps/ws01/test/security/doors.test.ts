import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { closeBeforeServices } from '../../../../packages/asmx/test/kit/clients.ts';
import { exchange, RawConnection } from '../../../../packages/asmx/test/kit/http.ts';
import { freePort } from '../../../../packages/asmx/test/kit/listen.ts';
import { passLimits, steerTime } from '../../../../packages/asmx/test/kit/steered-time.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { freshDatabase } from '../kit/database.ts';
import { startService, TOKEN } from '../kit/service.ts';
import { startWorkers } from '../kit/workers.ts';

const MIB = 1024 * 1024;

/** Every door that listens, by the port that it is at, with a request whose body somebody reads. */
const DOORS = [
  ['main', 'POST /WS01.asmx/InsertArticle', 'application/x-www-form-urlencoded'],
  ['main', 'POST /WS01.asmx/OnlyThere', 'application/x-www-form-urlencoded'],
  ['main', 'POST /mcp', 'application/json'],
  ['main', 'POST /api/v1/articles/hide', 'application/json'],
  ['main', 'POST /api/v1/public/articles', 'application/json'],
  ['main', 'POST /mail/bounces', 'application/json'],
  ['main', 'POST /mail/unsubscribe/x', 'application/x-www-form-urlencoded'],
  ['main', 'POST /s/unknown', 'text/plain'],
  ['console', 'POST /console/sign-in', 'application/x-www-form-urlencoded'],
  ['console', 'POST /console/passkey/options', 'application/json'],
  ['metrics', 'POST /metrics', 'text/plain'],
] as const;

/** A service with every door open, and 1 MiB for what arrives. */
async function allDoors(t: TestContext) {
  const metrics = await freePort();
  const { app, url } = await startService(t, undefined, {
    ...{
      CONSOLE_PORT: '0',
      METRICS_PORT: String(metrics),
      MCP: 'on',
      MAIL_BOUNCES: 'postmark:a-secret-of-the-relay',
      UPSTREAM_URL: 'http://127.0.0.1:9/old.asmx',
    },
    fixed: { maxUnauthenticatedBytes: MIB },
  });
  return { url, ports: { main: app.port, console: app.consolePort!, metrics } };
}

describe('every listening door', () => {
  it('counts bodies that stall in one account: the oldest give way, whichever door they are at', async (t) => {
    const { url, ports } = await allDoors(t);
    const closed = new Set<Socket>();
    const all: { readonly door: string; readonly socket: Socket }[] = [];
    for (const [port, line, type] of DOORS) {
      // Small enough for what a form of the console takes.
      for (let at = 0; at < 12; at++) {
        const socket = connect(ports[port], '127.0.0.1').on('error', () => {});
        closeBeforeServices(t, () => socket.destroy());
        socket.on('close', () => closed.add(socket));
        socket.resume();
        socket.write(
          `${line} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: ${type}\r\n`,
        );
        socket.write(`Content-Length: 60000\r\n\r\n${'x'.repeat(50_000)}`);
        all.push({ door: line, socket });
      }
    }
    const most = Math.floor(MIB / 50_000);
    await until(
      () => {
        // Doors that refuse at once drop for two seconds what still comes.
        passLimits(100);
        return all.length - closed.size <= most;
      },
      () => all.filter(({ socket }) => !closed.has(socket)).map(({ door }) => door),
    );
    assert.equal((await exchange(`${url}/healthz`)).status, 200);
  });

  it('waits for bodies that pause, and ends them with a word, whichever door they are at', async (t) => {
    const { pass } = steerTime(t);
    const { ports } = await allDoors(t);
    const answers = new Map<string, string>();
    const open = new Set<string>();
    for (const [port, line, type] of DOORS) {
      const connection = await RawConnection.open(t, ports[port]);
      open.add(line);
      connection.ended().then((answer) => {
        answers.set(line, answer);
        open.delete(line);
      });
      connection.send(
        `${line} HTTP/1.1`,
        'Host: localhost',
        `Authorization: Bearer ${TOKEN}`,
        `Content-Type: ${type}`,
        'Content-Length: 9000',
        '',
        'x',
      );
      await connection.read();
    }
    for (let waited = 0; waited < 115; waited++) {
      pass(1_000);
      await new Promise(setImmediate);
    }
    for (const answer of answers.values()) assert.doesNotMatch(answer, /HTTP\/1\.1 408/);
    await until(
      () => {
        pass(1_000);
        return open.size === 0;
      },
      () => [...open],
    );
    const told = [...answers].filter(([, answer]) =>
      / 408 [\s\S]*the limit bodyPauseMs/.test(answer),
    );
    // What refuses at once has read no body, and costs nothing.
    assert.deepEqual(told.map(([door]) => door).toSorted(), [
      'POST /WS01.asmx/InsertArticle',
      'POST /WS01.asmx/OnlyThere',
      'POST /mail/bounces',
      'POST /mcp',
    ]);
  });

  it('counts heads that do not end, whichever port they are at', async (t) => {
    const { ports } = await allDoors(t);
    await headsAreBounded(t, Object.values(ports), 120, MIB);
  });

  it('that of metrics in the primary process of several workers, too', async (t) => {
    const metrics = await freePort();
    const env = { METRICS_PORT: String(metrics) };
    await startWorkers(t, await freshDatabase('postgres', t), { workers: 2, env });
    await headsAreBounded(t, [metrics], 1_400, 16 * MIB);
  });

  it('is opened in the few places that bound what arrives there', async () => {
    const opened: string[] = [];
    for (const folder of [
      'apps/ws01/src',
      'packages/asmx/src',
      'packages/asmx-tools/src',
      'packages/fast-http/src',
    ]) {
      for (const name of await readdir(folder, { recursive: true })) {
        if (!name.endsWith('.ts')) continue;
        const text = (await readFile(join(folder, name), 'utf8')).replaceAll(
          /`(?:[^`\\]|\\.)*`/gs,
          '',
        );
        if (/(?:^|[^.\w])(?:https?\.)?createServer\((?!\s*(?:\w+: |$))/m.test(text))
          opened.push(join(folder, name));
      }
    }
    assert.deepEqual(opened.toSorted(), PLACES);
  });
});

/** Where servers are made, and what bounds each. */
const PLACES = [
  // Each takes the bounds of `doors.ts`.
  'apps/ws01/src/app/app.ts',
  'apps/ws01/src/app/console.ts',
  'apps/ws01/src/app/doors.ts',
  // Hands connections to the workers.
  'apps/ws01/src/cluster/acceptor.ts',
  'apps/ws01/src/web/listening.ts',
  'apps/ws01/src/web/metrics/server.ts',
  'packages/asmx/src/node/upstream/recording-proxy.ts',
];

/** Heads of 15 kB that do not end: of so many at each port, no more stay than may be held. */
async function headsAreBounded(
  t: TestContext,
  ports: readonly number[],
  count: number,
  held: number,
): Promise<void> {
  const all: Socket[] = [];
  for (const port of ports) {
    for (let at = 0; at < count; at++) {
      const socket = connect(port, '127.0.0.1').on('error', () => {});
      closeBeforeServices(t, () => socket.destroy());
      socket.resume();
      socket.write(`GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'x'.repeat(15_000)}`);
      all.push(socket);
    }
  }
  const open = () => all.filter((socket) => !socket.destroyed && !socket.closed).length;
  await until(
    () => open() <= held / 15_000,
    () => open(),
  );
}
