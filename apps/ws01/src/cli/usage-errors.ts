import type { Command } from 'commander';
import { jsonError } from './failure.ts';

/** Longest line of help at a terminal; columns. */
const MAX_COLUMNS = 120;

/** Breaks the paragraphs of a help text, which are lines without indentation, between words. */
export function wrapHelp(text: string, columns: number): string {
  const width = Math.min(columns, MAX_COLUMNS);
  const line = new RegExp(`(?=\\S)(.{1,${width}})(?: |$)`, 'gm');
  return text.replace(/^\S.*$/gm, (paragraph) =>
    paragraph.length <= width ? paragraph : paragraph.replace(line, '$1\n').trimEnd(),
  );
}

/**
 * Makes commands throw instead of exiting, and report a usage error in one line that names the
 * help.
 * @param json whether that line is JSON.
 */
export function settleErrors(command: Command, json: boolean, path = 'ws01'): void {
  command.exitOverride().configureOutput({
    writeOut: (text) => {
      process.stdout.write(process.stdout.isTTY ? wrapHelp(text, process.stdout.columns) : text);
    },
    writeErr: (text) => {
      process.stderr.write(text);
    },
    outputError: (text, write) => {
      const line = text
        .replace(/^error: /, '')
        .trim()
        .replaceAll('\n', ' ');
      const message = `${line.endsWith('.') || line.endsWith(')') ? line : `${line}.`} See ${path} --help.`;
      write(json ? jsonError(message, 2) : `ws01: ${message}\n`);
    },
  });
  for (const child of command.commands) settleErrors(child, json, `${path} ${child.name()}`);
}
