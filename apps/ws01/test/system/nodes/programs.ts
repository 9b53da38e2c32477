import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { chown, mkdir, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { temporaryFolder } from '../../../../../packages/asmx/test/kit/folder.ts';

/** How long is waited for what must come; ms. */
const PATIENCE_MS = 180_000;

/** Whom PostgreSQL runs as: it refuses root. */
export const POSTGRES_IDS = ((): { readonly uid: number; readonly gid: number } => {
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
})();

/** Where Debian keeps PostgreSQL's own programs: the newest. */
export const BIN_DIR = globSync('/usr/lib/postgresql/*/bin').sort().at(-1)!;

/** What ends its own when a test is over. */
export interface Ending {
  after(end: () => unknown): unknown;
}

/** A program of the system that runs until the test is over. The end of what it prints is kept, each line with its time. */
export class Program {
  readonly child: ChildProcess;
  readonly exited: Promise<unknown>;
  #output = '';

  constructor(
    t: Ending,
    command: string,
    args: readonly string[],
    options: Record<string, unknown> = {},
  ) {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
    this.child = child;
    this.exited = once(child, 'exit');
    child.on('error', (error) => this.#keep(error.message));
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (bytes: Buffer) => this.#keep(String(bytes)));
    t.after(() => this.kill());
  }

  get output(): string {
    return this.#output;
  }

  async kill(): Promise<void> {
    this.child.kill('SIGCONT');
    this.child.kill('SIGKILL');
    if (this.child.exitCode === null && this.child.signalCode === null) await this.exited;
  }

  #keep(text: string): void {
    const time = new Date().toISOString().slice(11, 23);
    this.#output = `${this.#output}${text.replace(/^(?=.)/gm, `${time} `)}`.slice(-30_000);
  }
}

/** Waits until something is so. @throws {Error} that says what was waited for. */
export async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (const since = performance.now(); !(await holds().catch(() => false)); ) {
    if (performance.now() - since > PATIENCE_MS) throw new Error(`waited in vain for ${what}`);
    await sleep(100);
  }
}

/** A file of deploy/ with the addresses and paths of a test. @throws {Error} when it has none of what is replaced. */
export async function adapted(
  file: string,
  replacements: readonly (readonly [string | RegExp, string])[],
): Promise<string> {
  let text = await readFile(join('deploy', file), 'utf8');
  for (const [from, to] of replacements) {
    if (text.search(typeof from === 'string' ? RegExp.escape(from) : from) < 0)
      throw new Error(`deploy/${file} has no ${from}`);
    text = typeof from === 'string' ? text.replaceAll(from, to) : text.replace(from, to);
  }
  return text;
}

/** A folder that is removed after the test. */
export async function folderOf(t: Ending): Promise<string> {
  const folder = await temporaryFolder(t, 'ws01-nodes-');
  return folder;
}

const run = promisify((await import('node:child_process')).execFile);

/** A small disk of PostgreSQL's own, on a folder. */
export async function mountDisk(t: TestContext, folder: string, size: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const { uid, gid } = POSTGRES_IDS;
  await run('mount', [
    '-t',
    'tmpfs',
    '-o',
    `size=${size},uid=${uid},gid=${gid},mode=700`,
    'tmpfs',
    folder,
  ]);
  t.after(async () => {
    await run('umount', ['--lazy', folder]);
    await rm(folder, { recursive: true, force: true });
  });
}

/** Writes a file that PostgreSQL's user may read. */
export async function writeForPostgres(path: string, text: string): Promise<void> {
  await writeFile(path, text, { mode: 0o600 });
  await chown(path, POSTGRES_IDS.uid, POSTGRES_IDS.gid);
}

/**
 * PostgreSQL's processes with their data in a folder: all work in it, and the first one names it, also when its disk is
 * no longer mounted.
 */
export async function postgresIn(folder: string): Promise<readonly number[]> {
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const at = await readlink(`/proc/${name}/cwd`).catch(() => '');
    const command = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '');
    if (at.startsWith(folder) || command.includes(`-D\0${folder}\0`)) found.push(Number(name));
  }
  return found;
}
