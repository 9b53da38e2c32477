import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { TestDatabase } from './database.ts';

/** What a command came to. */
export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a command finds in its environment: nothing of ours but the path. */
export function environmentOf({ dataDir, databaseUrl }: Pick<TestDatabase, 'dataDir' | 'databaseUrl'>) {
  return {
    PATH: process.env.PATH ?? '',
    DATA_DIR: dataDir,
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
  };
}

/**
 * Runs `ws01` as a person or script does, and waits for its end.
 * @param database what the settings name; nothing else of the environment reaches the command.
 * @param input for standard input; closed at once when absent.
 * @param env further settings.
 */
export async function ws01(
  database: Pick<TestDatabase, 'dataDir' | 'databaseUrl'>,
  args: readonly string[],
  input = '',
  env: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  const child = spawn(process.execPath, ['bin/ws01.js', ...args], {
    env: { ...environmentOf(database), ...env },
    stdio: 'pipe',
  });
  // A command that fails early does not read what it is given.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, stdout, stderr };
}
