import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { freePort, listen } from '../../../../packages/asmx/test/kit/listen.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import type { Engine } from '../../src/store/store.ts';
import { environmentOf } from '../kit/command.ts';
import { spawnWs01 } from '../kit/command-process.ts';
import { freshDatabase, type TestDatabase } from '../kit/database.ts';
import { startService, TOKEN } from '../kit/service.ts';

/** A port of the loopback that somebody else listens on. */
async function takenPort(t: TestContext): Promise<number> {
  return listen(t, createServer());
}

/** Two ports of a loopback address that no other test uses, for the side ports of a service. */
async function sidePorts() {
  const host = `127.${[1, 2, 3].map(() => 1 + randomInt(250)).join('.')}`;
  const ports = [await freePort(), await freePort()] as const;
  const [metrics, console] = ports;
  return {
    env: {
      ...{
        METRICS_HOST: host,
        METRICS_PORT: String(metrics),
        CONSOLE_HOST: host,
        CONSOLE_PORT: String(console),
      },
    },
    console,
    open: async () =>
      (await Promise.all(ports.map((port) => listens(port, host)))).some((open) => open),
  };
}

/** Whether somebody listens at a port. */
function listens(port: number, host: string): Promise<boolean> {
  const socket = connect(port, host);
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  }).then((answer) => {
    socket.destroy();
    return answer as boolean;
  });
}

interface Start {
  readonly engine?: Engine;
  /** What keeps it from starting. @param side a port that nobody else has. */
  readonly settings: (t: TestContext, database: TestDatabase) => Promise<Record<string, string>>;
  /** What it says last. */
  readonly says: RegExp;
}

/** Each step of a start that fails, with the side ports that are open by then. */
const STARTS: Readonly<Record<string, Start>> = {
  PORT: {
    settings: async (t) => ({ PORT: String(await takenPort(t)) }),
    says: /the address is in use/,
  },
  METRICS_PORT: {
    settings: async (t) => ({
      METRICS_HOST: '127.0.0.1',
      METRICS_PORT: String(await takenPort(t)),
    }),
    says: /the address is in use/,
  },
  CONSOLE_PORT: {
    settings: async (t) => ({
      CONSOLE_HOST: '127.0.0.1',
      CONSOLE_PORT: String(await takenPort(t)),
    }),
    says: /the address is in use/,
  },
  SOCKET_PATH: {
    settings: async (_, { dataDir }) => ({ SOCKET_PATH: join(dataDir, 'none/http.sock') }),
    says: /http\.sock/,
  },
  'SOCKET_PATH of another service': {
    settings: async (t, { dataDir }) => {
      const path = join(dataDir, 'http.sock');
      const server = createServer().listen(path);
      await once(server, 'listening');
      t.after(() => server.close());
      return { SOCKET_PATH: path };
    },
    says: /another program listens there/,
  },
  'a certificate': {
    settings: async (_, { dataDir }) => {
      const path = join(dataDir, 'no.pem');
      await writeFile(path, 'none');
      return { TLS_CERT_FILE: path, TLS_KEY_FILE: path };
    },
    says: /TLS_CERT_FILE/,
  },
  'the database': {
    settings: async (_, { dataDir }) => {
      await writeFile(join(dataDir, 'ws01.sqlite'), 'not a database'.repeat(1_000));
      return {};
    },
    says: /database/,
  },
  'a library of traces': {
    settings: async () => ({
      OTEL_TRACES_EXPORTER: 'otlp',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'nonsense',
    }),
    says: /OTEL/,
  },
  'METRICS_PORT of workers': {
    engine: 'postgres',
    settings: async (t) => ({
      ...{ METRICS_HOST: '127.0.0.1', METRICS_PORT: String(await takenPort(t)), WORKERS: '2' },
    }),
    says: /the address is in use/,
  },
  'PORT of workers': {
    engine: 'postgres',
    settings: async (t) => ({ PORT: String(await takenPort(t)), WORKERS: '2' }),
    says: /the address is in use/,
  },
};

describe('a start that fails', () => {
  for (const [step, { engine = 'sqlite', settings, says }] of Object.entries(STARTS)) {
    test(`at ${step} says why in one line, ends, and leaves nothing open`, async (t) => {
      const database = await freshDatabase(engine, t);
      const sides = await sidePorts();
      const env = {
        ...{ HOST: '127.0.0.1', PORT: '0', ...sides.env },
        ...{ BOOTSTRAP_TOKEN: TOKEN, LOG_LEVEL: 'error' },
        ...(await settings(t, database)),
      };
      const { code, stderr } = await spawnWs01(database, ['serve'], '', env);
      assert.ok(code === 1 || code === 78, `${code} ${stderr}`);
      const told = stderr.split('\n').filter((line) => line.startsWith('ws01: '));
      assert.equal(told.length, 1, stderr);
      assert.match(told[0]!, says);
      assert.equal(await sides.open(), false);
    });
  }

  test('in this process, too, closes its side ports, and another one can start on them', async (t) => {
    const database = await freshDatabase('sqlite', t);
    const { env, open, console } = await sidePorts();
    const PORT = String(await takenPort(t));
    await assert.rejects(startService(t, database, { ...env, PORT }), /the address is in use/);
    assert.equal(await open(), false);
    const { app } = await startService(t, database, env);
    assert.equal(app.consolePort, console);
    await app.stop();
    assert.equal(await open(), false);
  });
});

describe('one SIGTERM ends a start', () => {
  /** Starts the service, sends SIGTERM once when it has said something, and returns how it ended. */
  async function endedAt(t: TestContext, said: RegExp, env: Record<string, string>) {
    const database = await freshDatabase('sqlite', t);
    const child = spawn(process.execPath, ['bin/ws01.js', 'serve'], {
      env: {
        ...environmentOf(database),
        LOG_LEVEL: 'info',
        PORT: '0',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    t.after(() => child.kill('SIGKILL'));
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => (output += chunk));
    const exited = once(child, 'exit');
    await until(
      () => said.test(output),
      () => output,
    );
    child.kill('SIGTERM');
    return (await exited)[0];
  }

  test('that waits for its database', async (t) => {
    const env = { DATABASE_URL: `postgres://ws01@127.0.0.1:${await freePort()}/ws01` };
    assert.equal(await endedAt(t, /Trying again/, env), 0);
  });

  test('between its side ports and its own', async (t) => {
    assert.equal(
      await endedAt(t, /metrics are served/, { METRICS_PORT: '0', CONSOLE_PORT: '0' }),
      0,
    );
  });

  test('that has just ended', async (t) => {
    assert.equal(await endedAt(t, /"listening"|listening/, {}), 0);
  });
});
