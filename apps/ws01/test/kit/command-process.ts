import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { type CommandResult, environmentOf, type Place, type Settings } from './command.ts';
import { processEnv } from './fixed.ts';

/** As `ws01` of `command.ts`, in a process of its own: for tests of what only a process has, such as its end. */
export async function spawnWs01(
  database: Place,
  args: readonly string[],
  input = '',
  env: Settings = {},
): Promise<CommandResult> {
  const child = spawn(process.execPath, ['bin/ws01.js', ...args], {
    env: { ...environmentOf(database), ...processEnv(), ...env },
    stdio: 'pipe',
  });
  // A command that fails early does not read what it is given.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code, stdout, stderr };
}
