import type { Command } from 'commander';
import { USERS } from '../../records/users.ts';
import { listCommand } from '../io/list.ts';

export function userListCommand(): Command {
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
