import { describeError, jsonError } from './failure.ts';
import { harmlessLines } from './io/output.ts';
import { createProgram } from './program.ts';
import { settleErrors } from './usage-errors.ts';

/** How long a failed command may take to exit by itself; ms. */
const LINGER_MS = 500;

/**
 * Runs a command of `ws01` and sets the exit code: 0, 1 for a failure, 2 for a usage error, 78 for
 * invalid settings.
 * @param args the arguments after `ws01`.
 */
export async function main(args: readonly string[]): Promise<void> {
  // New files contain numbers, mails and keys: only their owner and group may read them.
  process.umask(process.umask() | 0o007);
  process.stdout.on('error', endWithoutOutput);
  try {
    const program = await createProgram(args);
    settleErrors(program, asked(args, '--json'));
    await program.parseAsync([...args], { from: 'user' });
  } catch (error) {
    const { text, exitCode } = describeError(error);
    if (text !== '')
      process.stderr.write(
        asked(args, '--json') ? jsonError(text, exitCode) : `ws01: ${harmlessLines(text)}\n`,
      );
    process.exitCode = exitCode;
    // What a failed start or command has left open keeps no process.
    setTimeout(() => process.exit(), LINGER_MS).unref();
  }
}

/**
 * A reader such as `head` may stop early, which is no failure. What cannot be written otherwise
 * would be missed.
 */
function endWithoutOutput(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`ws01: standard output: ${describeError(error).text}\n`);
  process.exit(1);
}

/** Whether an option is among the arguments, even if the others cannot be parsed. */
function asked(args: readonly string[], option: string): boolean {
  const end = args.indexOf('--');
  return args.slice(0, end < 0 ? undefined : end).includes(option);
}
