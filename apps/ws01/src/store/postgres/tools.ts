import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { DependencyError } from '../../failure/dependency-error.ts';

const run = promisify(execFile);

/** Maximum length of a tool's output in an error; characters. */
const SAID = 500;

/** The environment of the process that starts the tools; `PATH` locates them. */
export type ToolEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * PostgreSQL's client programs, for one server. They get the password in their environment, which
 * other users cannot read.
 */
export class PostgresTools {
  readonly #url: URL;
  readonly #folder: string;
  readonly #environment: ToolEnvironment;

  private constructor(url: URL, folder: string, environment: ToolEnvironment) {
    this.#url = url;
    this.#folder = folder;
    const password = decodeURIComponent(url.password);
    this.#environment = { ...environment, ...(password === '' ? {} : { PGPASSWORD: password }) };
  }

  /**
   * Finds programs that are not older than the server: in Debian's folder for its version, else in
   * `PATH`.
   * @param major the version of the server.
   * @throws {DependencyError} `misconfigured` when there are none, with what to install.
   */
  static async find(
    databaseUrl: string,
    major: number,
    environment: ToolEnvironment,
  ): Promise<PostgresTools> {
    const debian = `/usr/lib/postgresql/${major}/bin`;
    const folder = existsSync(join(debian, 'pg_dump')) ? debian : '';
    const version = await run(join(folder, 'pg_dump'), ['--version'], {
      env: { ...environment },
    }).then(
      ({ stdout }) => Number(/ (\d+)/.exec(stdout)?.[1]),
      () => undefined,
    );
    const remedy = `install postgresql-client-${major} (Debian: from its own archive or apt.postgresql.org), or back the database up where it runs.`;
    if (version === undefined) {
      throw new DependencyError(
        'database',
        'misconfigured',
        `A copy of PostgreSQL needs pg_dump, which is not in PATH: ${remedy}`,
      );
    }
    if (version < major) {
      throw new DependencyError(
        'database',
        'misconfigured',
        `pg_dump ${version} cannot copy PostgreSQL ${major}: ${remedy}`,
      );
    }
    return new PostgresTools(new URL(databaseUrl), folder, environment);
  }

  /**
   * Dumps the database as of an exported snapshot.
   * @throws {DependencyError} `unavailable` with pg_dump's message; the signal's reason.
   */
  async dump(path: string, snapshot: string, signal: AbortSignal): Promise<void> {
    const args = [
      '--format=custom',
      '--no-owner',
      '--no-privileges',
      `--snapshot=${snapshot}`,
      `--file=${path}`,
    ];
    await finished(
      'pg_dump',
      this.#start('pg_dump', [...args, this.#target()], 'ignore', signal),
      signal,
    );
  }

  /**
   * Runs the statements of a dump in one transaction.
   * @param database replaces that of the URL.
   * @param before statements to run first.
   * @throws {DependencyError} `unavailable` with psql's message; then nothing was changed.
   */
  async restore(
    file: string,
    { database, before = '' }: { database?: string; before?: string } = {},
  ): Promise<void> {
    const args = ['-X', '-q', '-v', 'ON_ERROR_STOP=1', this.#target(database)];
    const psql = this.#start('psql', args, 'pipe');
    const outcome = finished('psql', psql);
    const broken = pipeline(this.#statements(file, before), psql.stdin!).then(
      () => undefined,
      (error: unknown) => {
        psql.stdin!.destroy();
        return { error };
      },
    );
    // A psql that fails early stops reading; its message is the reason.
    await outcome;
    // One whose input breaks off has committed nothing, and says that all is well.
    const failure = await broken;
    if (failure !== undefined) throw failure.error;
  }

  /**
   * Wraps the statements in one transaction. The end of the input does not commit, because it also
   * comes when this process is killed.
   */
  async *#statements(file: string, before: string): AsyncGenerator<Buffer | string> {
    yield `set client_min_messages = warning;\nbegin;\n${before}`;
    yield* this.sql(file);
    yield '\ncommit;\n';
  }

  /**
   * Converts a dump to SQL. Dumps are foreign: with the key psql takes no command of its own from
   * them, such as one of the shell, until it has read the same key again. Programs that have no
   * such key are refused.
   * @throws {DependencyError} `unavailable` when it is damaged, before its end.
   */
  async *sql(file: string): AsyncGenerator<Buffer> {
    const key = randomBytes(16).toString('hex');
    const reader = this.#start(
      'pg_restore',
      ['--no-owner', '--no-privileges', `--restrict-key=${key}`, '--file=-', file],
      'ignore',
    );
    const outcome = finished('pg_restore', reader);
    outcome.catch(() => {});
    try {
      yield* reader.stdout!;
      await outcome;
    } finally {
      reader.kill();
    }
  }

  #start(
    tool: string,
    args: readonly string[],
    input: 'ignore' | 'pipe',
    signal?: AbortSignal,
  ): ChildProcess {
    return spawn(join(this.#folder, tool), args, {
      env: { ...this.#environment },
      stdio: [input, 'pipe', 'pipe'],
      ...(signal === undefined ? {} : { signal }),
    });
  }

  #target(database?: string): string {
    const url = new URL(this.#url);
    url.password = '';
    if (database !== undefined) url.pathname = `/${database}`;
    return `--dbname=${url}`;
  }
}

/**
 * Resolves when a program has ended.
 * @throws {DependencyError} `unavailable` with its message when it failed.
 */
async function finished(tool: string, child: ChildProcess, signal?: AbortSignal): Promise<void> {
  let said = '';
  child.stderr?.on('data', (chunk) => {
    said = `${said}${chunk}`.slice(-SAID);
  });
  if (tool !== 'pg_restore') child.stdout?.resume();
  const code = await new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('close', resolve),
  ).catch((error: unknown) => {
    said ||= String(error);
    return null;
  });
  signal?.throwIfAborted();
  if (code === 0) return;
  throw new DependencyError(
    'database',
    'unavailable',
    `${tool} failed: ${said.trim().replaceAll(/\s*\n\s*/g, ' ')}`,
  );
}
