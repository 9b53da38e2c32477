import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { SERVER_CORE } from './cores.ts';

/** A server to be measured, in a process of its own on a core of its own. */
export interface Side {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  /** The first process of its PostgreSQL. */
  readonly databasePid?: number | undefined;
  /** Sends it a message and returns its answer, where it was started as one that is `told`. */
  tell(message: object): Promise<unknown>;
  /** Ends it, waits, and removes what it left. */
  stop(): Promise<void>;
}

export interface SideOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Where it may run, as `taskset` writes it; the core of servers when absent. */
  readonly cores?: string;
  /** Its working directory; that of this process when absent. */
  readonly cwd?: string;
  /** Whether it is a Node program that takes messages from {@link Side.tell}. */
  readonly told?: boolean;
}

/** Starts a Node program that prints its URL. */
export function startNode(
  name: string,
  args: readonly string[],
  options: SideOptions = {},
): Promise<Side> {
  return startSide(name, [process.execPath, ...args], options);
}

/** Starts any program that prints its URL, pinned to the core of servers unless told otherwise. */
export async function startSide(
  name: string,
  command: readonly string[],
  options: SideOptions = {},
): Promise<Side> {
  const child = spawn('taskset', ['-c', options.cores ?? SERVER_CORE, ...command], {
    cwd: options.cwd,
    env: { PATH: process.env.PATH ?? '', NODE_ENV: 'production', ...options.env },
    stdio: ['ignore', 'pipe', 'pipe', ...(options.told ? (['ipc'] as const) : [])],
  });
  const ended = once(child, 'exit');
  const lastResort = () => child.kill();
  process.on('exit', lastResort);
  let output = '';
  let url: string | undefined;
  const port = await new Promise<number>((resolve, reject) => {
    const listen = (chunk: Buffer) => {
      if (url !== undefined) return;
      output += chunk;
      url = /https?:\/\/[^\s/]+:([0-9]+)/.exec(output)?.[1];
      if (url !== undefined) resolve(Number(url));
    };
    child.stdout?.on('data', listen);
    child.stderr?.on('data', listen);
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`${name} ended with ${code}: ${output}`)));
  });
  return {
    name,
    port,
    pid: child.pid!,
    async tell(message) {
      const answered = once(child, 'message');
      child.send(message);
      return (await answered)[0];
    },
    async stop() {
      child.kill('SIGTERM');
      await ended;
      process.off('exit', lastResort);
    },
  };
}
