import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { LoadFindings, LoadSettings } from './load.ts';

const SERVER_CORE = '0';
const LOAD_CORE = '1';
const LOAD = new URL('./load.ts', import.meta.url).pathname;

/** A server to be measured, in a process of its own on a core of its own. */
export interface Side {
  readonly name: string;
  readonly port: number;
  readonly child: ChildProcess;
}

/** Starts a Node program that prints its URL, pinned to the servers' core. */
export function startSide(name: string, args: readonly string[], env: Record<string, string> = {}): Promise<Side> {
  const child = spawn('taskset', ['-c', SERVER_CORE, process.execPath, ...args], {
    env: { PATH: process.env.PATH ?? '', NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk;
      const port = /https?:\/\/[^\s/]+:(\d+)/.exec(output)?.[1];
      if (port !== undefined) resolve({ name, port: Number(port), child });
    });
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`${name} ended with ${code}: ${output}`)));
  });
}

/** Ends a side and waits for it. */
export function stopSide(side: Side): Promise<void> {
  return new Promise((resolve) => {
    side.child.removeAllListeners('exit');
    side.child.on('exit', () => resolve());
    side.child.kill('SIGTERM');
  });
}

/** Drives one side from the other core. */
export async function measure(settings: LoadSettings): Promise<LoadFindings> {
  const args = ['-c', LOAD_CORE, process.execPath, LOAD, JSON.stringify(settings)];
  const { stdout } = await promisify(execFile)('taskset', args, { maxBuffer: 1024 * 1024 });
  return JSON.parse(stdout) as LoadFindings;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** CPU time a side has used since it began, user and system together; µs. Steadier than rates on a shared machine. */
export async function cpuMicros(side: Side): Promise<number> {
  const stat = await readFile(`/proc/${side.child.pid}/stat`, 'utf8');
  // The fields behind the command's closing parenthesis; utime and stime are in clock ticks of 10 ms.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}
