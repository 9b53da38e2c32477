import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { until } from '../until.ts';

/** A folder with programs of the page, the service of the tests beside them, and packages to import. */
export function hostFolder(
  test: TestContext,
  files: Readonly<Record<string, string>>,
  modules: string,
): string {
  const folder = mkdtempSync(join(tmpdir(), 'asmx-host-'));
  test.after(() => rmSync(folder, { recursive: true }));
  symlinkSync(modules, join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeHost(folder, files);
  return folder;
}

/** Writes programs into a folder, and the service of the tests beside them. */
export function writeHost(folder: string, files: Readonly<Record<string, string>>): void {
  cpSync(new URL('orders.ts', import.meta.url), join(folder, 'orders.ts'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

/** Starts a program in a folder, and waits until it answers. @returns its origin. */
export async function startHost(
  test: TestContext,
  folder: string,
  [command, ...args]: readonly [string, ...string[]],
  port: number,
): Promise<string> {
  const child = spawn(command, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  let told = '';
  child.stdout.on('data', (text) => {
    told += text;
  });
  child.stderr.on('data', (text) => {
    told += text;
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  test.after(async () => {
    child.kill();
    await ended;
  });
  const origin = `http://localhost:${port}`;
  await until(
    async () => {
      if (child.exitCode !== null) throw new Error(`${command} ended: ${told}`);
      return fetch(origin).then(
        () => true,
        () => false,
      );
    },
    () => told,
  );
  return origin;
}
