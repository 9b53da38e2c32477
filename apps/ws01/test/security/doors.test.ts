import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { exchange } from '../../../../packages/asmx/test/kit/http.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { freePort } from '../kit/free-port.ts';
import { startService, TOKEN } from '../kit/service.ts';

const MIB = 1024 * 1024;

/** Every door that listens, by the port that it is at, with a request whose body somebody reads. */
const DOORS = [
  ['main', 'POST /WS01.asmx/InsertArticle', 'application/x-www-form-urlencoded'],
  ['main', 'POST /WS01.asmx/OnlyThere', 'application/x-www-form-urlencoded'],
  ['main', 'POST /mcp', 'application/json'],
  ['main', 'POST /api/v1/articles/hide', 'application/json'],
  ['main', 'POST /api/v1/public/articles', 'application/json'],
  ['main', 'POST /s/unknown', 'text/plain'],
  ['console', 'POST /console/sign-in', 'application/x-www-form-urlencoded'],
  ['console', 'POST /console/passkey/options', 'application/json'],
  ['metrics', 'POST /metrics', 'text/plain'],
] as const;

/** A service with every door open, and 1 MiB for what arrives. */
async function allDoors(t: TestContext, env: Record<string, string> = {}) {
  const metrics = await freePort();
  const { app, url } = await startService(t, undefined, {
    ...{
      CONSOLE_PORT: '0',
      METRICS_PORT: String(metrics),
      MCP: 'on',
      UPSTREAM_URL: 'http://127.0.0.1:9/old.asmx',
    },
    ...{ fixed: { maxUnauthenticatedBytes: MIB }, ...env },
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
        t.after(() => socket.destroy());
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
      () => all.length - closed.size <= most,
      () => all.filter(({ socket }) => !closed.has(socket)).map(({ door }) => door),
    );
    assert.equal((await exchange(`${url}/healthz`)).status, 200);
  });
});
