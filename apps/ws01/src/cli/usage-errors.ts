import type { Command } from 'commander';
import { jsonError } from './failure.ts';

/**
 * Makes commands throw instead of exiting, and report a usage error in one line that names the help.
 * @param json whether that line is JSON.
 */
export function settleErrors(command: Command, json: boolean, path = 'ws01'): void {
  command.exitOverride().configureOutput({
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
