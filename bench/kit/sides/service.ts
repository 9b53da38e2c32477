import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine } from '../../../apps/ws01/src/store/store.ts';
import {
  postgresUrl,
  postmasterOf,
  startPostgresServer,
} from '../../../apps/ws01/test/kit/postgres-server.ts';
import { type Side, type SideOptions, startNode } from './side.ts';

/** The credential of every request: a service token with all scopes and a registered sender. */
export const TOKEN = 'bench-token-0123456789';

/** A database for the service, which outlives its processes. */
export interface ServiceDatabase {
  /** Settings of a service that uses it. */
  readonly env: Readonly<Record<string, string>>;
  /** The first process of its PostgreSQL. */
  readonly pid?: number;
  remove(): Promise<void>;
}

/** An empty database and an empty folder for files. PostgreSQL is one of the tests': in memory, without fsync. */
export async function createServiceDatabase(engine: Engine): Promise<ServiceDatabase> {
  const dataDir = await mkdtemp(join(tmpdir(), 'ws01-bench-'));
  const lastResort = () => rmSync(dataDir, { recursive: true, force: true });
  process.on('exit', lastResort);
  const removeFolder = async () => {
    await rm(dataDir, { recursive: true, force: true });
    process.off('exit', lastResort);
  };
  if (engine === 'sqlite') return { env: { DATA_DIR: dataDir }, remove: removeFolder };
  const server = await startPostgresServer('ws01-bench-');
  return {
    env: { DATA_DIR: dataDir, DATABASE_URL: postgresUrl(server.port, 'postgres') },
    pid: postmasterOf(server.folder),
    async remove() {
      await server.dispose();
      await removeFolder();
    },
  };
}

/**
 * Starts the service as its operator does, on a database that is there; budgets are off, refusals
 * would be measured.
 */
export async function startServiceOn(
  database: ServiceDatabase,
  env: Readonly<Record<string, string>> = {},
  options: Pick<SideOptions, 'cores' | 'cwd'> = {},
): Promise<Side> {
  const side = await startNode('this service', ['bin/ws01.js', 'serve'], {
    ...options,
    env: {
      PORT: '0',
      BOOTSTRAP_TOKEN: TOKEN,
      RATE_LIMITS: 'off',
      LOG_LEVEL: 'warn',
      ...database.env,
      ...env,
    },
  });
  return { ...side, databasePid: database.pid };
}

/** Starts the service with a database of its own, which goes when it stops. */
export async function startService(engine: Engine = 'sqlite'): Promise<Side> {
  const database = await createServiceDatabase(engine);
  try {
    const side = await startServiceOn(database);
    return {
      ...side,
      async stop() {
        await side.stop();
        await database.remove();
      },
    };
  } catch (error) {
    await database.remove();
    throw error;
  }
}
