import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Runs a call of curl as somebody pastes it into a shell. @returns what it prints, and at the end the status. */
export async function pasted(call: string, cwd?: string): Promise<string> {
  const { stdout } = await run('bash', ['-c', `${call} -sS -w ' %{http_code}'`], { cwd });
  return stdout;
}
