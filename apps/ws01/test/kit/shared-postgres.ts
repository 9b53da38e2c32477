import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { PATIENCE_MS } from '../../../../packages/asmx/test/kit/until.ts';

const KEEPER = fileURLToPath(new URL('./postgres-keeper.ts', import.meta.url));

/** In a container the user may have no name. */
const USER = process.getuid?.() ?? userInfo().username;
/** One for each user and checkout, so that different versions of the kit never meet. */
const NAME = `ws01-test-postgres-${createHash('sha256').update(`${USER}\n${KEEPER}`).digest('hex').slice(0, 16)}`;

/** Sockets that vanish with their process where the system has them. */
const SOCKET_PATH =
  process.platform === 'linux'
    ? `\0${NAME}`
    : process.platform === 'win32'
      ? `\\\\.\\pipe\\${NAME}`
      : join(tmpdir(), `${NAME}.sock`);

let port: Promise<number> | undefined;

/** The port of the PostgreSQL server that this machine's test processes share; starts it when there is none. */
export function sharedPostgresPort(): Promise<number> {
  port ??= findServer();
  return port;
}

async function findServer(): Promise<number> {
  const deadline = Date.now() + PATIENCE_MS;
  for (let attempt = 0; Date.now() < deadline; attempt++) {
    const socket = await knock();
    if (socket !== undefined) {
      const answer = await Promise.race([
        firstLine(socket),
        sleep(deadline - Date.now(), 'PostgreSQL does not come up for the tests.', { ref: false }),
      ]);
      if (/^\d+$/.test(answer)) {
        // Held, without keeping this process alive, until it ends: that is what the keeper counts.
        socket.unref();
        return Number(answer);
      }
      if (answer !== '') {
        throw new Error(answer);
      }
    } else if (attempt % 20 === 0) {
      // It serves later runs, too: the temporary folder of this one goes with it.
      const { TMPDIR: _, ...env } = process.env;
      const args = [KEEPER, SOCKET_PATH.replace('\0', '@')];
      spawn(process.execPath, args, { detached: true, stdio: 'ignore', env }).unref();
    }
    await sleep(50);
  }
  throw new Error('No PostgreSQL server came up for the tests.');
}

/** A connection to the keeper, or `undefined` when nobody keeps. */
function knock(): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(SOCKET_PATH);
    socket.once('connect', () => resolve(socket));
    socket.on('error', () => resolve(undefined));
  });
}

/** What the keeper says; empty when it left without a word. */
function firstLine(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (text.includes('\n')) {
        resolve(text.split('\n')[0] ?? '');
      }
    });
    socket.on('close', () => resolve(text.trim()));
  });
}
