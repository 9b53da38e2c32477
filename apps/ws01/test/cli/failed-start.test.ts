import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, open, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { describe, type TestContext, test } from 'node:test';
import { heard } from '../../../../packages/asmx/test/kit/heard.ts';
import { someOf } from '../../../../packages/asmx/test/kit/lane.ts';
import { freePort, listen } from '../../../../packages/asmx/test/kit/listen.ts';
import { spawnWs01 } from '../kit/command-process.ts';
import { emptyDatabase, freshDatabase } from '../kit/database.ts';
import { failedStart } from '../kit/failed-start.ts';
import { startService } from '../kit/service.ts';

/** A port of the loopback that somebody else listens on. */
const takenPort = async (t: TestContext) => String(await listen(t, createServer()));

/** Two ports of a loopback address that no other test uses, for the side ports of a service. */
async function sidePorts() {
  const host = `127.${[1, 2, 3].map(() => 1 + randomInt(250)).join('.')}`;
  const ports = [await freePort(), await freePort()] as const;
  const [metrics, console] = ports;
  return {
    env: {
      ...{ METRICS_HOST: host, METRICS_PORT: String(metrics) },
      ...{ CONSOLE_HOST: host, CONSOLE_PORT: String(console) },
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
  /** What keeps it from starting. */
  readonly settings: (t: TestContext, dataDir: string) => Promise<Record<string, string>>;
  /** The whole line that it says. */
  readonly says: RegExp;
  readonly code?: 78;
}

/** A folder in the place of a file. */
const insteadOf = (file: string): Start => ({
  settings: async (_, dataDir) => {
    await mkdir(join(dataDir, file));
    return {};
  },
  says: new RegExp(`^/.*/${file} is no file; move it away, or set DATA_DIR to another folder\\.$`),
});

/** Each step of a start that fails, with the side ports that are open by then. */
const STARTS: Readonly<Record<string, Start>> = {
  'a name of no host': {
    settings: async () => ({ HOST: 'nosuch.invalid' }),
    says: /^HOST=nosuch\.invalid: there is no host of that name; set HOST to .*\.$/,
  },
  'an address of no interface': {
    settings: async () => ({ HOST: '192.0.2.77' }),
    says: /^HOST=192\.0\.2\.77: this machine has no such address; set HOST to .*\.$/,
  },
  'an address of any interface': {
    settings: async () => ({ HOST: 'fe80::1' }),
    says: /^HOST=fe80::1: .*(fe80::1%eth0|set HOST to ).*\.$/,
  },
  PORT: {
    settings: async (t) => ({ PORT: await takenPort(t) }),
    says: /^HOST=127\.0\.0\.1 PORT=\d+: the address is in use; .* set PORT to another one\.$/,
  },
  METRICS_PORT: {
    settings: async (t) => ({ METRICS_HOST: '127.0.0.1', METRICS_PORT: await takenPort(t) }),
    says: /^METRICS_HOST=127\.0\.0\.1 METRICS_PORT=\d+: the address is in use; .* set METRICS_PORT to .*\.$/,
  },
  CONSOLE_PORT: {
    settings: async (t) => ({ CONSOLE_HOST: '127.0.0.1', CONSOLE_PORT: await takenPort(t) }),
    says: /^CONSOLE_HOST=127\.0\.0\.1 CONSOLE_PORT=\d+: the address is in use; .* set CONSOLE_PORT to .*\.$/,
  },
  'SOCKET_PATH in no folder': {
    settings: async (_, dataDir) => ({ SOCKET_PATH: join(dataDir, 'none/http.sock') }),
    says: /^SOCKET_PATH=.*\/none\/http\.sock: there is no such folder; make it for the user of the service, as .*\.$/,
  },
  'SOCKET_PATH of a file': {
    settings: async (_, dataDir) => {
      const SOCKET_PATH = join(dataDir, 'a file');
      await writeFile(SOCKET_PATH, 'kept');
      return { SOCKET_PATH };
    },
    says: /^SOCKET_PATH=.*\/a file: this is a file and no socket; move it away, or set SOCKET_PATH to another path\.$/,
  },
  'SOCKET_PATH that is too long': {
    settings: async () => ({ SOCKET_PATH: `/${'x'.repeat(107)}` }),
    says: /^SOCKET_PATH must be a path of at most 107 bytes.*\.$/,
    code: 78,
  },
  'a certificate': {
    settings: async (_, dataDir) => {
      const path = join(dataDir, 'no.pem');
      await writeFile(path, 'none');
      return { TLS_CERT_FILE: path, TLS_KEY_FILE: path };
    },
    says: /^.*TLS_CERT_FILE.*$/,
    code: 78,
  },
  'the database': {
    settings: async (_, dataDir) => {
      await writeFile(join(dataDir, 'ws01.sqlite'), 'not a database'.repeat(1_000));
      return {};
    },
    says: /^.*database.*$/,
  },
  'the file of the database': insteadOf('ws01.sqlite'),
  'the file of the lock': insteadOf('ws01.lock'),
  'a data folder that is too deep': {
    settings: async (_, dataDir) => {
      const DATA_DIR = join(dataDir, ...Array.from({ length: 5 }, () => 'd'.repeat(100)));
      await mkdir(DATA_DIR, { recursive: true });
      return { DATA_DIR };
    },
    says: /^The path .* is longer than the \d+ bytes that SQLite takes; set DATA_DIR to a shorter one\.$/,
  },
};

/** What only a process of its own shows: its end, its environment, and the socket that it would take the place of. */
const PROCESSES: Readonly<Record<string, Start>> = {
  'PORT of a process': STARTS.PORT!,
  'SOCKET_PATH of another service': {
    settings: async (t, dataDir) => {
      const SOCKET_PATH = join(dataDir, 'http.sock');
      const server = createServer().listen(SOCKET_PATH);
      await once(server, 'listening');
      t.after(() => server.close());
      return { SOCKET_PATH };
    },
    says: /^.*another program listens there.*$/,
  },
  'METRICS_PORT of workers': STARTS.METRICS_PORT!,
  'a library of traces': {
    settings: async () => ({
      OTEL_TRACES_EXPORTER: 'otlp',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'nonsense',
    }),
    says: /^.*OTEL.*$/,
    code: 78,
  },
};

describe('a start that fails', () => {
  for (const [step, { settings, says, code = 1 }] of Object.entries(STARTS)) {
    test(`at ${step} says why in one line, and leaves nothing open`, async (t) => {
      const database = await emptyDatabase('sqlite', t);
      const sides = await sidePorts();
      const env = { ...sides.env, ...(await settings(t, database.dataDir)) };
      const failed = await failedStart(t, database, env);
      assert.match(failed.told, says);
      assert.equal(failed.code, code);
      assert.equal(await sides.open(), false);
    });
  }

  for (const [step, { settings, says, code: expected = 1 }] of Object.entries(PROCESSES)) {
    test(`at ${step} says why in one line, ends, and leaves nothing open`, async (t) => {
      const workers = step.endsWith('workers');
      const database = await freshDatabase(workers ? 'postgres' : 'sqlite', t);
      const sides = await sidePorts();
      const env = {
        ...{ HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'silent', WORKERS: workers ? '2' : '1' },
        ...sides.env,
        ...(await settings(t, database.dataDir)),
      };
      const { code, stdout, stderr } = await spawnWs01(database, ['serve'], '', env);
      assert.deepEqual([code, stdout], [expected, ''], stderr);
      assert.match(stderr, /^ws01: [^\n]*\n$/);
      assert.match(stderr.slice('ws01: '.length, -1), says);
      assert.equal(await sides.open(), false);
    });
  }

  test('lets another one start on its side ports', async (t) => {
    const database = await freshDatabase('sqlite', t);
    const { env, open, console } = await sidePorts();
    const PORT = await takenPort(t);
    assert.match((await failedStart(t, database, { ...env, PORT })).told, /in use/);
    const { app } = await startService(t, database, env);
    assert.equal(app.consolePort, console);
    await app.stop();
    assert.equal(await open(), false);
  });
});

/** Starts a service with these settings, or a command. */
function start(
  t: TestContext,
  settings: Record<string, string>,
  stdout: 'pipe' | 'ignore' | number = 'ignore',
  args: readonly string[] = ['serve'],
) {
  const child = spawn(process.execPath, ['bin/ws01.js', ...args], {
    env: { PATH: process.env.PATH ?? '', PORT: '0', LOG_LEVEL: 'info', ...settings },
    stdio: ['ignore', stdout, 'pipe'],
  });
  t.after(() => child.kill('SIGKILL'));
  const stderr = child.stderr as Readable;
  let text = '';
  stderr.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const told = () => text;
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return {
    ...{ child, told, ended },
    /** Waits until it has said something. */
    async said(wanted: RegExp): Promise<RegExpExecArray> {
      for (;;) {
        const found = wanted.exec(text);
        if (found !== null) return found;
        await heard(child, 'data', stderr);
      }
    },
    async stop() {
      child.kill('SIGTERM');
      assert.equal(await ended, 0, text);
    },
  };
}

const dataDir = async (t: TestContext) => (await emptyDatabase('sqlite', t)).dataDir;

const LISTENING = /"port":(\d+).*"msg":"listening"/;

describe('one SIGTERM ends a start', () => {
  test('that waits for its database', async (t) => {
    const DATABASE_URL = `postgres://ws01@127.0.0.1:${await freePort()}/ws01`;
    const service = start(t, { DATA_DIR: await dataDir(t), DATABASE_URL });
    await service.said(/Trying again/);
    await service.stop();
  });

  test('between its side ports and its own', async (t) => {
    const sides = { METRICS_PORT: '0', CONSOLE_PORT: '0' };
    const service = start(t, { DATA_DIR: await dataDir(t), ...sides });
    await service.said(/metrics are served/);
    await service.stop();
  });
});

const ZONES = Object.entries({
  'Not/AZone': true,
  'UTC-5:45': true,
  'Asia/Kathmandu': false,
  'CST-8': false,
  UTC: false,
});

test('a time zone of the machine that counts as UTC is told in the log, one that does not is not', async (t) => {
  for (const [TZ, expected] of someOf(ZONES, 3)) {
    const service = start(t, { DATA_DIR: await dataDir(t), TZ });
    await service.said(LISTENING);
    assert.equal(service.told().includes(`TZ=${TZ} is no time zone`), expected, service.told());
    // One that has just started ends, too.
    await service.stop();
  }
});

describe('when standard output is gone', () => {
  test('the service serves on', async (t) => {
    const service = start(t, { DATA_DIR: await dataDir(t) }, 'pipe');
    service.child.stdout!.destroy();
    const [, port] = await service.said(LISTENING);
    assert.equal(await (await fetch(`http://127.0.0.1:${port}/healthz`)).text(), 'ok\n');
    await service.stop();
  });

  test('a full disk ends a command with a word, and not a service', async (t) => {
    const full = await open('/dev/full', 'w');
    t.after(() => full.close());
    const DATA_DIR = await dataDir(t);
    const service = start(t, { DATA_DIR }, full.fd);
    await service.said(LISTENING);
    const listing = start(t, { DATA_DIR }, full.fd, ['token', 'list']);
    assert.equal(await listing.ended, 1);
    assert.match(listing.told(), /^ws01: standard output: .*the disk is full\.\n$/);
    await service.stop();
  });
});
