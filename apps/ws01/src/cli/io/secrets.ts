import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CommandFailure } from '../failure.ts';
import { readText } from './records.ts';

/**
 * Reads secrets, one per line, from a file or standard input: piped, or typed without echo. They
 * are never command line arguments, which other users of the machine can read.
 * @param path `-` for standard input.
 */
export async function readSecrets(
  path: string,
  question: string,
): Promise<{ line: number; text: string }[]> {
  const text =
    path === '-' && process.stdin.isTTY ? await askHidden(question) : await readText(path);
  return text
    .split(/\r?\n/)
    .map((content, index) => ({ line: index + 1, text: content }))
    .filter(({ text }) => text.trim() !== '');
}

/**
 * Prompts at the terminal without echo.
 * @throws {CommandFailure} on Ctrl-C or Ctrl-D.
 */
async function askHidden(question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  process.stderr.write(`${question}: `);
  try {
    return await terminal.question('');
  } catch (error) {
    throw new CommandFailure('Nothing was entered, and nothing was done.', { cause: error });
  } finally {
    terminal.close();
    process.stderr.write('\n');
  }
}
