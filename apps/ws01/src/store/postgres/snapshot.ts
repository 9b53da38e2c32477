import { randomBytes } from 'node:crypto';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { DependencyError } from '../../failure/dependency-error.ts';
import { mebibytes } from '../../failure/mebibytes.ts';
import { wholeOf } from '../partitions.ts';
import type { CopyContents, DatabaseSnapshot, NamedFile, OnStep, RowCounts } from '../snapshot.ts';
import { POSTGRES_TABLES, TABLE_NAMES } from '../tables/tables.ts';
import { connectError, postgresError, reasonOf } from './errors.ts';
import { PostgresTools, type ToolEnvironment } from './tools.ts';

/** The name of the dump in a backup. */
const DUMP_FILE = 'ws01.dump';

/** Interval of progress reports; ms. */
const TOLD_EVERY_MS = 1_000;

/** SQLSTATE for a role that may not create a database. */
const NOT_PERMITTED = '42501';

/** A consistent snapshot of a PostgreSQL database, copied by `pg_dump`. */
export class PostgresSnapshot implements DatabaseSnapshot {
  readonly engine = 'postgres';
  readonly file = DUMP_FILE;
  readonly #client: pg.Client;
  readonly #tools: PostgresTools;
  readonly #signal: AbortSignal;
  #exported = '';

  private constructor(client: pg.Client, tools: PostgresTools, signal: AbortSignal) {
    this.#client = client;
    this.#tools = tools;
    this.#signal = signal;
  }

  /**
   * @throws {DependencyError} `misconfigured` when there is no usable `pg_dump`; `unavailable` when
   *   there is no server.
   */
  static async open(
    databaseUrl: string,
    environment: ToolEnvironment,
    signal: AbortSignal,
  ): Promise<PostgresSnapshot> {
    const client = await connect(databaseUrl);
    try {
      return new PostgresSnapshot(client, await toolsFor(client, databaseUrl, environment), signal);
    } catch (error) {
      await client.end();
      throw error;
    }
  }

  async take(): Promise<void> {
    await this.release();
    await this.#query('begin isolation level repeatable read read only');
    const [row] = await this.#query('select pg_export_snapshot() as exported');
    this.#exported = String(row?.exported);
  }

  async release(): Promise<void> {
    if (this.#exported !== '') await this.#query('commit');
    this.#exported = '';
  }

  async imageFiles(): Promise<readonly NamedFile[]> {
    const rows = await this.#query(
      'select stored_as, hash from image_files where deleted_at is null',
    );
    return rows as unknown as readonly NamedFile[];
  }

  counts(): Promise<RowCounts> {
    return countRows((text) => this.#query(text));
  }

  async copyTo(path: string, onStep: OnStep): Promise<void> {
    const [row] = await this.#query('select pg_database_size(current_database()) as bytes');
    const all = mebibytes(Number(row?.bytes));
    const timer = setInterval(() => {
      stat(path).then(
        ({ size }) => onStep(Math.min(all, mebibytes(size)), all),
        () => {},
      );
    }, TOLD_EVERY_MS);
    try {
      await this.#tools.dump(path, this.#exported, this.#signal);
    } finally {
      clearInterval(timer);
    }
  }

  async close(): Promise<void> {
    await this.#client.end();
  }

  async #query(text: string): Promise<readonly Record<string, unknown>[]> {
    try {
      return (await this.#client.query(text)).rows;
    } catch (error) {
      throw postgresError(error);
    }
  }
}

/**
 * Restores a dump into a temporary database and counts its rows; if the role may not create one,
 * reads the dump to its end.
 * @throws {DependencyError} `unavailable` when the dump is damaged or cannot be restored.
 */
export async function examineDump(
  path: string,
  databaseUrl: string,
  environment: ToolEnvironment,
): Promise<CopyContents> {
  const client = await connect(databaseUrl);
  try {
    const tools = await toolsFor(client, databaseUrl, environment);
    await dropLeftBehind(client);
    const database = await newVerifyName(client);
    try {
      await client.query(`create database ${database} template template0`);
    } catch (error) {
      if ((error as { code?: unknown }).code !== NOT_PERMITTED) throw postgresError(error);
      return await readDump(path, tools);
    }
    try {
      await tools.restore(path, { database });
      const url = new URL(databaseUrl);
      url.pathname = `/${database}`;
      return await contentsOf(url.href);
    } finally {
      await client.query(`drop database if exists ${database} with (force)`);
    }
  } finally {
    await client.end();
  }
}

/**
 * What the names of temporary databases of this database begin with; other databases of the server
 * have their own.
 */
const VERIFY_PREFIX = `'ws01_verify_' || (select oid from pg_database where datname = current_database()) || '_'`;

/** The lock that the connection holds which works on a temporary database. */
const LOCKED = 'hashtextextended($1, 0)';

/**
 * Makes the name of a temporary database; as long as the connection is open, nobody else removes
 * that.
 */
async function newVerifyName(client: pg.Client): Promise<string> {
  const { rows } = await client.query(`select ${VERIFY_PREFIX} || $1 as name`, [
    randomBytes(6).toString('hex'),
  ]);
  const { name } = rows[0] as { name: string };
  await client.query(`select pg_advisory_lock(${LOCKED})`, [name]);
  return name;
}

/** Removes the temporary databases that killed processes have left. */
async function dropLeftBehind(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    `select datname as name from pg_database
    where starts_with(datname, ${VERIFY_PREFIX}) and pg_get_userbyid(datdba) = current_user`,
  );
  for (const { name } of rows as readonly { name: string }[]) {
    const tried = await client.query(`select pg_try_advisory_lock(${LOCKED}) as is_left`, [name]);
    if (!tried.rows[0].is_left) continue;
    await client.query(`drop database if exists ${client.escapeIdentifier(name)} with (force)`);
    await client.query(`select pg_advisory_unlock(${LOCKED})`, [name]);
  }
}

/** Replaces all data of the service in a database with a dump, in one transaction. */
export async function restoreDump(
  path: string,
  databaseUrl: string,
  environment: ToolEnvironment,
): Promise<void> {
  const client = await connect(databaseUrl);
  try {
    const tools = await toolsFor(client, databaseUrl, environment);
    const drops = POSTGRES_TABLES.map((name) => `drop table if exists ${name} cascade;\n`);
    drops.push('drop function if exists search_changed();\n');
    await tools.restore(path, { before: drops.join('') });
  } finally {
    await client.end();
  }
}

/** Counts other processes of the service that are connected to the database. */
export async function otherConnections(databaseUrl: string): Promise<number> {
  const client = await connect(databaseUrl);
  try {
    const { rows } = await client.query(
      "select count(*) as others from pg_stat_activity where datname = current_database() and application_name = 'ws01'",
    );
    return Number(rows[0].others);
  } finally {
    await client.end();
  }
}

async function connect(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'ws01 backup' });
  client.on('error', () => {});
  try {
    await client.connect();
    return client;
  } catch (error) {
    throw connectError(error);
  }
}

async function toolsFor(
  client: pg.Client,
  databaseUrl: string,
  environment: ToolEnvironment,
): Promise<PostgresTools> {
  const { rows } = await client.query(
    "select current_setting('server_version_num')::int / 10000 as major",
  );
  return PostgresTools.find(databaseUrl, Number(rows[0].major), environment);
}

async function contentsOf(databaseUrl: string): Promise<CopyContents> {
  const client = await connect(databaseUrl);
  try {
    const query = async (text: string) => (await client.query(text)).rows;
    const imageFiles = await query(
      'select stored_as, hash from image_files where deleted_at is null',
    );
    const deletedFiles = await query(
      'select stored_as, hash from image_files where deleted_at is not null',
    );
    return { counts: await countRows(query), imageFiles, deletedFiles, by: 'restored' };
  } catch (error) {
    throw new DependencyError(
      'database',
      'unavailable',
      `The dump was restored and cannot be read: ${reasonOf(error)}.`,
      { cause: error },
    );
  } finally {
    await client.end();
  }
}

async function countRows(
  query: (text: string) => Promise<readonly Record<string, unknown>[]>,
): Promise<RowCounts> {
  const tables = await query('select tablename from pg_tables where schemaname = current_schema()');
  const there = new Set(tables.map(({ tablename }) => tablename));
  const counts: Record<string, number> = {};
  for (const name of TABLE_NAMES) {
    if (!there.has(name)) continue;
    const [row] = await query(`select count(*) as rows from ${name}`);
    counts[name] = Number(row?.rows);
  }
  return counts;
}

/** Counts the rows of a dump's `COPY` blocks, and reads those of the image files. */
async function readDump(path: string, tools: PostgresTools): Promise<CopyContents> {
  const known: ReadonlySet<string> = new Set(TABLE_NAMES);
  const counts: Record<string, number> = {};
  const imageFiles: NamedFile[] = [];
  const deletedFiles: NamedFile[] = [];
  let block: { readonly table: string; readonly columns: readonly string[] } | undefined;
  for await (const line of linesOf(tools.sql(path))) {
    if (block === undefined) {
      const [, copied = '', columns = ''] =
        /^COPY (?:\w+\.)?(\w+) \((.*)\) FROM stdin;$/.exec(line) ?? [];
      if (copied === '') continue;
      const table = wholeOf(copied);
      block = { table, columns: columns.split(', ') };
      if (known.has(table)) counts[table] ??= 0;
    } else if (line === '\\.') {
      block = undefined;
    } else {
      if (known.has(block.table)) counts[block.table]! += 1;
      if (block.table === 'image_files') {
        const { file, isDeleted } = imageFileOf(block.columns, line.split('\t'));
        (isDeleted ? deletedFiles : imageFiles).push(file);
      }
    }
  }
  return { counts, imageFiles, deletedFiles, by: 'read' };
}

/**
 * Splits lines at LF only. Node's readline would also split at other line ends, which texts may
 * contain.
 */
async function* linesOf(pieces: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of pieces) {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    let start = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      yield bytes.toString('utf8', start, end);
      start = end + 1;
    }
    rest = bytes.subarray(start);
  }
}

function imageFileOf(columns: readonly string[], values: readonly string[]) {
  const text = (column: string) => values[columns.indexOf(column)] ?? '';
  const file: NamedFile = { stored_as: text('stored_as'), hash: text('hash') };
  return { file, isDeleted: text('deleted_at') !== '\\N' };
}

/** Writes a dump of the present state into a new folder. */
export async function saveDump(
  folder: string,
  databaseUrl: string,
  environment: ToolEnvironment,
  signal: AbortSignal,
): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const snapshot = await PostgresSnapshot.open(databaseUrl, environment, signal);
  try {
    await snapshot.take();
    await snapshot.copyTo(join(folder, DUMP_FILE), () => {});
  } finally {
    await snapshot.close();
  }
}
