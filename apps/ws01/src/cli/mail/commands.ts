import { Command } from 'commander';
import { mailCancelCommand } from './cancel.ts';
import { mailListCommand } from './list.ts';
import { mailRetryCommand } from './retry.ts';
import { mailTestCommand } from './send-test.ts';
import { mailShowCommand } from './show.ts';
import { mailSuppressAddCommand } from './suppress/add.ts';
import { mailSuppressListCommand } from './suppress/list.ts';
import { mailSuppressRemoveCommand } from './suppress/remove.ts';
import { mailUncancelCommand } from './uncancel.ts';

export function mailCommands(): readonly Command[] {
  const suppress = new Command('suppress')
    .description('Addresses that the service sends no mail to')
    .addCommand(mailSuppressListCommand())
    .addCommand(mailSuppressAddCommand())
    .addCommand(mailSuppressRemoveCommand());
  return [
    mailListCommand(),
    mailShowCommand(),
    mailRetryCommand(),
    mailCancelCommand(),
    mailUncancelCommand(),
    mailTestCommand(),
    suppress,
  ];
}
