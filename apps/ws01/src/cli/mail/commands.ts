import type { Command } from 'commander';
import { mailCancelCommand, mailUncancelCommand } from './cancel.ts';
import { mailListCommand } from './list.ts';
import { mailRetryCommand } from './retry.ts';
import { mailTestCommand } from './send-test.ts';
import { mailShowCommand } from './show.ts';
import { suppressCommand } from './suppress.ts';

export function mailCommands(): readonly Command[] {
  return [
    mailListCommand(),
    mailShowCommand(),
    mailRetryCommand(),
    mailCancelCommand(),
    mailUncancelCommand(),
    mailTestCommand(),
    suppressCommand(),
  ];
}
