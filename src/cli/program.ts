import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { linkDisableCommand } from './link/disable.ts';
import { linkListCommand } from './link/list.ts';
import { mailCancelCommand } from './mail/cancel.ts';
import { mailListCommand } from './mail/list.ts';
import { mailRetryCommand } from './mail/retry.ts';
import { mailShowCommand } from './mail/show.ts';
import { mailSuppressAddCommand } from './mail/suppress/add.ts';
import { mailSuppressListCommand } from './mail/suppress/list.ts';
import { mailSuppressRemoveCommand } from './mail/suppress/remove.ts';
import { serveCommand } from './serve.ts';
import { smsListCommand } from './sms/list.ts';
import { tokenCreateCommand } from './token/create.ts';
import { tokenImportCommand } from './token/import.ts';
import { tokenListCommand } from './token/list.ts';
import { tokenRevokeCommand } from './token/revoke.ts';
import { userAddCommand } from './user/add.ts';
import { userImportCommand } from './user/import.ts';
import { userListCommand } from './user/list.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

/** Every command of `ws01`. */
export function createProgram(): Command {
  const token = new Command('token')
    .description('Credentials of the applications that call the service')
    .addCommand(tokenCreateCommand())
    .addCommand(tokenImportCommand())
    .addCommand(tokenListCommand())
    .addCommand(tokenRevokeCommand());
  const user = new Command('user')
    .description('Registered users, who may send mail')
    .addCommand(userAddCommand())
    .addCommand(userImportCommand())
    .addCommand(userListCommand());
  const link = new Command('link')
    .description('Short links')
    .addCommand(linkListCommand())
    .addCommand(linkDisableCommand());
  const suppress = new Command('suppress')
    .description('Addresses that nothing is sent to')
    .addCommand(mailSuppressListCommand())
    .addCommand(mailSuppressAddCommand())
    .addCommand(mailSuppressRemoveCommand());
  const mail = new Command('mail')
    .description('Mails and what became of them')
    .addCommand(mailListCommand())
    .addCommand(mailShowCommand())
    .addCommand(mailRetryCommand())
    .addCommand(mailCancelCommand())
    .addCommand(suppress);
  const sms = new Command('sms').description('Text messages and what became of them').addCommand(smsListCommand());
  const program = new Command('ws01')
    .description('The WS01 content and messaging service, and its administration')
    .version(version)
    .addCommand(serveCommand())
    .addCommand(token)
    .addCommand(user)
    .addCommand(link)
    .addCommand(mail)
    .addCommand(sms)
    .addHelpText(
      'after',
      `
Commands read the same settings as the service (DATA_DIR or DATABASE_URL, see docs/configuration.md) and work while it
is running.

Examples:
  ws01 serve
  ws01 token create --label website
  ws01 user add ada --email ada@example.com`,
    );
  settleErrors(program, 'ws01');
  return program;
}

/** Makes every command throw instead of leaving the process, and tell what is wrong in one line with the way to its help. */
function settleErrors(command: Command, path: string): void {
  command.exitOverride().configureOutput({
    outputError: (text, write) => {
      const line = text
        .replace(/^error: /, '')
        .trim()
        .replaceAll('\n', ' ');
      write(`ws01: ${line.endsWith('.') || line.endsWith(')') ? line : `${line}.`} See ${path} --help.\n`);
    },
  });
  for (const child of command.commands) {
    settleErrors(child, `${path} ${child.name()}`);
  }
}
