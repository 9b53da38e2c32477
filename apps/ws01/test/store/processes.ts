import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { SOURCE_ARGUMENTS } from '../../../../packages/asmx/test/kit/source-process.ts';
import type { ChildOptions } from './child.ts';

const SCRIPT = fileURLToPath(new URL('./child.ts', import.meta.url));

/** A process that runs a task of `child.ts`. */
export interface Child {
  readonly process: ChildProcess;
  /** What it has said since it began, a line each. */
  readonly lines: readonly string[];
  /** What it has written to its error stream. */
  readonly errors: () => string;
  /** Lets it begin. */
  begin(): void;
  /** Resolves when it has said so many lines, or has ended. */
  said(count: number): Promise<void>;
  /** Resolves with its exit code when it has ended; `null` when a signal killed it. */
  readonly ended: Promise<number | null>;
}

/**
 * Starts a process that waits for {@link Child.begin}; it is killed after the test if it still runs.
 * @param wrapper a shell script that runs the process as `exec "$@"`.
 */
export async function startChild(
  test: TestContext,
  task: 'open' | 'write' | 'fill',
  options: ChildOptions,
  wrapper = 'exec "$@"',
): Promise<Child> {
  const command = [process.execPath, ...SOURCE_ARGUMENTS, SCRIPT, task, JSON.stringify(options)];
  const child = spawn('sh', ['-c', wrapper, 'sh', ...command], { stdio: 'pipe' });
  test.after(() => child.kill('SIGKILL'));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    errors += chunk;
  });
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout });
  const ready = Promise.race([
    once(reader, 'line'),
    ended.then(() => Promise.reject(new Error(errors))),
  ]);
  reader.once('line', () => reader.on('line', (line) => lines.push(line)));
  await ready;
  return {
    process: child,
    lines,
    errors: () => errors,
    ended,
    begin: () => child.stdin.write('go\n'),
    said: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (lines.length >= count) {
            resolve();
          }
        };
        reader.on('line', look);
        ended.then(() => resolve());
        look();
      }),
  };
}
