import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { exchange, type HttpAnswer } from '../../../../packages/asmx/test/kit/http.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import type { TestDatabase } from './database.ts';
import { processEnv } from './fixed.ts';
import { TOKEN } from './service.ts';

/** A line of the log. */
export type LogLine = Readonly<Record<string, unknown>> & { readonly msg: string };

/** `ws01 serve` with several workers, started as its operator starts it. */
export class ServiceOfWorkers {
  readonly child: ChildProcess;
  readonly stdout: string[] = [];
  readonly stderr: string[] = [];
  readonly #exited: Promise<unknown>;

  constructor(
    test: TestContext,
    env: Record<string, string>,
    { detached = false, listenFd }: Pick<WorkersOptions, 'detached' | 'listenFd'>,
  ) {
    const handsOver = listenFd === undefined ? ':' : 'export LISTEN_FDS=1 LISTEN_PID=$$';
    const command = [process.execPath, 'bin/ws01.js', 'serve'];
    this.child = spawn('/bin/sh', ['-c', `${handsOver}; exec "$0" "$@"`, ...command], {
      env,
      detached,
      stdio: ['ignore', 'pipe', 'pipe', ...(listenFd === undefined ? [] : [listenFd])],
    });
    this.#exited = once(this.child, 'close');
    test.after(() => this.child.kill('SIGKILL'));
    createInterface(this.child.stdout!).on('line', (line) => this.stdout.push(line));
    createInterface(this.child.stderr!).on('line', (line) => this.stderr.push(line));
  }

  get port(): number {
    return Number(/http:\/\/127\.0\.0\.1:(\d+)/.exec(this.stdout.join('\n'))?.[1]);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The log so far, or the lines of it that say something. */
  log(msg?: string): readonly LogLine[] {
    const lines = this.stderr
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as LogLine);
    return msg === undefined ? lines : lines.filter((line) => line.msg === msg);
  }

  /** The workers that have begun to serve so far, the dead ones too, by the number that the log knows them by. */
  get workers(): ReadonlyMap<number, { readonly pid: number }> {
    return new Map(
      this.log('listening').map(({ worker, pid }) => [worker as number, { pid: pid as number }]),
    );
  }

  /** Waits until something is so. @throws {Error} with what was printed, when it does not come to be. */
  async until(holds: () => boolean): Promise<void> {
    await until(holds, () => [...this.stdout, ...this.stderr].join('\n'));
  }

  /** Waits until the start has been printed. */
  started(): Promise<void> {
    return this.until(() => {
      if (this.child.exitCode !== null) throw new Error(`it ended:\n${this.stderr.join('\n')}`);
      return this.stdout.some((line) => line.includes('?WSDL'));
    });
  }

  /** Waits for its end. @returns the exit code, `null` when a signal killed it. */
  async exit(): Promise<number | null> {
    await this.#exited;
    return this.child.exitCode;
  }

  /** Stops it, and waits for its end. @throws {Error} with the log, when it does not end as it should. */
  async stop(): Promise<void> {
    this.child.kill('SIGTERM');
    assert.equal(await this.exit(), 0, this.stderr.join('\n'));
  }

  /** A call by GET on a connection of its own. */
  get(operation: string, params: Record<string, string>): Promise<HttpAnswer> {
    const query = new URLSearchParams(params);
    return exchange(`${this.url}/WS01.asmx/${operation}?${query}`, {
      headers: { Connection: 'close' },
    });
  }
}

export interface WorkersOptions {
  readonly workers?: number;
  readonly env?: Record<string, string>;
  /** Whether it leads a process group of its own, as what is started at a terminal does. */
  readonly detached?: boolean;
  /** A descriptor that listens, handed over as systemd does. */
  readonly listenFd?: number;
}

/** Begins to start the service on a free port; it is killed after the test if it still runs. */
export function beginWorkers(
  test: TestContext,
  database: Pick<TestDatabase, 'dataDir' | 'databaseUrl'>,
  { workers = 3, env = {}, ...how }: WorkersOptions = {},
): ServiceOfWorkers {
  const settings = {
    PATH: process.env.PATH ?? '',
    ...processEnv(),
    PORT: '0',
    WORKERS: String(workers),
    DATA_DIR: database.dataDir,
    BOOTSTRAP_TOKEN: TOKEN,
    // The server that tests share has few connections.
    DATABASE_POOL_SIZE: '4',
    ...(database.databaseUrl === undefined ? {} : { DATABASE_URL: database.databaseUrl }),
    ...env,
  };
  return new ServiceOfWorkers(test, settings, how);
}

/** Starts the service and waits until all its workers serve. */
export async function startWorkers(
  ...args: Parameters<typeof beginWorkers>
): Promise<ServiceOfWorkers> {
  const service = beginWorkers(...args);
  await service.started();
  // The log tells of them a moment later.
  const { workers = 3 } = args[2] ?? {};
  await service.until(() => service.workers.size >= workers);
  return service;
}

/** Whether a process is there. */
export function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
