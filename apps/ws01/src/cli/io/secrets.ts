import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CommandFailure } from '../failure.ts';
import { readText } from './records.ts';

/**
 * Secrets, one a line, from a file, or from standard input: piped, or typed without being shown. Never from the command
 * line, which other users of the machine can read.
 * @param path `-` for standard input.
 */
export async function readSecrets(path: string, question: string): Promise<{ line: number; text: string }[]> {
  const text = path === '-' && process.stdin.isTTY ? await askUnseen(question) : await readText(path);
  return text
    .split(/\r?\n/)
    .map((content, index) => ({ line: index + 1, text: content }))
    .filter(({ text }) => text.trim() !== '');
}

/**
 * Asks at the terminal and shows nothing of the answer.
 * @throws {CommandFailure} when the person gives up (Ctrl-C, Ctrl-D).
 */
async function askUnseen(question: string): Promise<string> {
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
