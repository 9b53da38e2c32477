import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { COMPILED } from './source-process.ts';
import { until } from './until.ts';

const ROOT = resolve(import.meta.dirname, '../../../..');
const MODULES = join(ROOT, 'node_modules');

/** How a program ended. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Variables that a program has of its own. */
type Env = Readonly<Record<string, string>>;
const envWith = (own: Env) => ({ PATH: process.env.PATH, ...COMPILED, ...own });

/** Runs a program to its end in a folder, with nothing else of the environment of the tests than its path. */
export function runProgram(
  folder: string,
  [program, ...args]: readonly [string, ...string[]],
  env: Env = {},
): Promise<Ended> {
  const options = { cwd: folder, env: envWith(env), maxBuffer: 1 << 28 };
  return new Promise((done) => {
    execFile(program, args, options, (error, stdout, stderr) =>
      done({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

/** Runs this Node to its end in a folder. */
export const runNode = (folder: string, ...args: readonly string[]): Promise<Ended> =>
  runProgram(folder, [process.execPath, ...args]);

/** A program that runs until it is ended, or the test is over. */
interface Running {
  readonly child: ChildProcess;
  /** The lines that it has printed so far. */
  readonly lines: readonly string[];
  /** Its line of this number, from 0. @throws {Error} when it ends before. */
  line(at: number): Promise<string>;
  /** Ends it as an operator does. @returns its exit code, and the signal that ended it. */
  end(): Promise<unknown[]>;
}

/** Starts this Node in a folder. */
export function startNode(
  test: TestContext,
  folder: string,
  args: readonly string[],
  env: Env = {},
): Running {
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: envWith(env),
    stdio: [...stdio],
  });
  let isClosed = false;
  const closed = once(child, 'close').finally(() => {
    isClosed = true;
  });
  const lines: string[] = [];
  createInterface(child.stdout!).on('line', (line) => lines.push(line));
  const end = () => {
    child.kill();
    return closed;
  };
  test.after(end);
  const line = async (at: number) => {
    // Not when it has ended: what it printed may still be on its way.
    await until(() => lines.length > at || isClosed);
    return (
      lines[at] ?? Promise.reject(new Error(`The program ended before it printed line ${at}.`))
    );
  };
  return { child, lines, line, end };
}

/** Puts into a folder what `npm install` would bring: the engine, its tools, and the types of Node. */
export async function installEngine(folder: string): Promise<void> {
  const own = join(folder, 'node_modules', '@ws01');
  await mkdir(own, { recursive: true });
  for (const name of ['asmx', 'asmx-tools'])
    await symlink(join(ROOT, 'packages', name), join(own, name));
  await symlink(join(MODULES, '@types'), join(folder, 'node_modules', '@types'));
}

/**
 * Makes a folder a project with the strict settings of this working copy, and with the builds of its packages, as their
 * users have them: to check the engine's sources takes four times as long.
 * @param include its files.
 */
export async function writeStrictProject(folder: string, include = '*.ts'): Promise<void> {
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  const compilerOptions = { customConditions: [] };
  const config = { extends: join(ROOT, 'tsconfig.json'), compilerOptions, include: [include] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
}

/** Puts all packages of this working copy into a folder. */
export const linkModules = (folder: string): Promise<void> =>
  symlink(MODULES, join(folder, 'node_modules'));
