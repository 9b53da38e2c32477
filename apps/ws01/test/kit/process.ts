import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import { closeClients } from '../../../../packages/asmx/test/kit/clients.ts';
import type { TestDatabase } from './database.ts';
import { processEnv } from './fixed.ts';
import { TOKEN } from './service.ts';

/** The service as a process of its own, started as its operator starts it. */
export interface ServiceProcess {
  readonly url: string;
  readonly child: ChildProcess;
  /** What it has printed so far, both streams. */
  output(): string;
  /** Resolves with its exit code when it has ended; `null` when a signal killed it. */
  readonly ended: Promise<number | null>;
  /** Ends it with a signal and waits. @returns the exit code, `null` when the signal killed it. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/**
 * Starts `ws01 serve` on a free port; it is killed after the test if it still runs.
 * @param limits a shell command that it is started behind, such as `ulimit -n 100`.
 */
export async function spawnService(
  test: TestContext,
  database: TestDatabase,
  env: Record<string, string> = {},
  limits = ':',
): Promise<ServiceProcess> {
  const command = [process.execPath, 'bin/ws01.js', 'serve'];
  const child = spawn('/bin/sh', ['-c', `${limits}; exec "$0" "$@"`, ...command], {
    env: {
      PATH: process.env.PATH ?? '',
      PORT: '0',
      DATA_DIR: database.dataDir,
      BOOTSTRAP_TOKEN: TOKEN,
      LOG_LEVEL: 'warn',
      ...processEnv(),
      ...(database.databaseUrl === undefined ? {} : { DATABASE_URL: database.databaseUrl }),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // When all that it wrote has been read, too.
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const stop = () => closeClients(test).finally(() => child.kill('SIGKILL'));
  database.users?.push(stop);
  test.after(stop);
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk;
  });
  const port = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk;
      const found = /https?:\/\/[^\s/]+:(\d+)/.exec(output);
      if (found !== null) resolve(found[1]!);
    });
    ended.then(() => reject(new Error(`The service ended before it listened:\n${output}`)));
  });
  return {
    url: `http://127.0.0.1:${port}`,
    child,
    output: () => output,
    ended,
    end(signal) {
      child.kill(signal);
      return ended;
    },
  };
}
