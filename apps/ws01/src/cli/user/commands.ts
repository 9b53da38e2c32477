import { Command } from 'commander';
import { readRegistration, registerUsers } from '../../domain/users/users.ts';
import { USERS } from '../../records/users.ts';
import { answering } from '../io/answering.ts';
import { listCommand } from '../io/list.ts';
import { userImportCommand } from './import.ts';
import {
  userEraseCommand,
  userExportCommand,
  userHoldCommand,
  userReleaseCommand,
  userShowCommand,
} from './person.ts';

export function userCommands(): readonly Command[] {
  return [
    addCommand(),
    userImportCommand(),
    userListCommand(),
    userShowCommand(),
    userExportCommand(),
    userEraseCommand(),
    userHoldCommand(),
    userReleaseCommand(),
  ];
}

function addCommand(): Command {
  return answering(
    new Command('add')
      .description('Register a user, who may then send mail')
      .argument('<id>', 'the id of the user in calls')
      .option('--name <name>', 'the sender name of mails; empty clears it')
      .option('--email <address>', 'the reply address of mails; empty clears it'),
    `A user who exists becomes registered and keeps what is not given.

Examples:
  ws01 user add ada --name "Ada Lovelace" --email ada@example.com
  ws01 user add ada --email ""`,
    async ({ store }, given: string, options: { name?: string; email?: string }) => {
      const registration = readRegistration({ id: given, ...options });
      await registerUsers(store, [registration], Date.now);
      const { id } = registration;
      return { json: { id, registered: true }, text: `Registered ${id}.\n` };
    },
  );
}

function userListCommand(): Command {
  return listCommand({
    record: USERS,
    description: 'List the users, sorted by id',
    options: (command) =>
      command.option(
        '--registered',
        'only users who may send mail, without those that exist only because calls named them',
      ),
    help: `Examples:
  ws01 user list --registered
  ws01 user list --json`,
    columns: [
      ['ID', 'id'],
      ['REGISTERED', 'isRegistered'],
      ['SINCE', 'createdAt'],
      ['EMAIL', 'email'],
      ['NAME', 'name'],
    ],
    none: () => 'There are no such users. To register one: ws01 user add <id> --email <address>',
    asked: ({ registered }: { registered?: true }) => ({ query: { registered } }),
    sort: 'id',
  });
}
