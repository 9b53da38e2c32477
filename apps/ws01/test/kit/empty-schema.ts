import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { openStore } from '../../src/store/open.ts';
import { postgresUrl } from './postgres-server.ts';

/**
 * Databases with the schema of this version and no rows, made once and copied for each test.
 */
const STORE = fileURLToPath(new URL('../../src/store/', import.meta.url));
const CACHE = fileURLToPath(
  new URL('../../../../node_modules/.cache/test-databases/', import.meta.url),
);

let version: string | undefined;
/** In memory: another process removes the files when the sources change. */
let sqlite: Promise<ReadonlyMap<string, Buffer>> | undefined;
const postgres = new Map<number, Promise<string>>();

/** Puts a copy of the SQLite database into a folder that has none. */
export async function copySchemaTo(dataDir: string): Promise<void> {
  sqlite ??= sqliteWithSchema().then(
    (folder) =>
      new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))])),
  );
  await Promise.all(
    [...(await sqlite)].map(([name, bytes]) => writeFile(join(dataDir, name), bytes)),
  );
}

/** The name of the database to copy on a PostgreSQL server, which nobody is connected to. */
export function postgresWithSchema(port: number): Promise<string> {
  let made = postgres.get(port);
  if (made === undefined) {
    made = makePostgres(port);
    postgres.set(port, made);
  }
  return made;
}

/** Kept beside what else is made of the sources, for all runs until the sources change. */
async function sqliteWithSchema(): Promise<string> {
  const folder = join(CACHE, schemaVersion());
  if (existsSync(folder)) return folder;
  const earlier = existsSync(CACHE)
    ? readdirSync(CACHE).filter((name) => !name.startsWith('making-'))
    : [];
  mkdirSync(CACHE, { recursive: true });
  const making = mkdtempSync(join(CACHE, 'making-'));
  await (await openStore({ databaseUrl: undefined, dataDir: making })).close();
  for (const name of readdirSync(making)) if (/-(wal|shm)$/.test(name)) rmSync(join(making, name));
  // For runs of other users, too.
  chmodSync(making, 0o755);
  for (const name of readdirSync(making)) chmodSync(join(making, name), 0o644);
  try {
    renameSync(making, folder);
  } catch (error) {
    rmSync(making, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
  for (const name of earlier) rmSync(join(CACHE, name), { recursive: true, force: true });
  return folder;
}

/** Test processes that want it at the same moment make it once; it goes with the server. */
async function makePostgres(port: number): Promise<string> {
  const name = `schema_${schemaVersion()}`;
  const client = new pg.Client({ connectionString: postgresUrl(port, 'postgres') });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock(1)');
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    if (rowCount === 0) {
      await client.query('drop database if exists schema_making with (force)');
      await client.query('create database schema_making');
      await (
        await openStore({ databaseUrl: postgresUrl(port, 'schema_making'), dataDir: CACHE })
      ).close();
      await client.query(`alter database schema_making rename to ${name}`);
    }
    return name;
  } finally {
    await client.end();
  }
}

/** Other sources may make another schema. */
function schemaVersion(): string {
  version ??= hashOfStore();
  return version;
}

function hashOfStore(): string {
  const hash = createHash('sha256');
  for (const file of globSync('**/*.{ts,sql}', { cwd: STORE }).sort()) {
    hash.update(file).update(readFileSync(join(STORE, file)));
  }
  return hash.digest('hex').slice(0, 16);
}
