import type { Command } from 'commander';
import type { Item } from '../../api/kind.ts';
import { commandName } from '../../config/environment.ts';
import { ADMINS } from '../../records/admins.ts';
import { cellOf, listCommand } from '../io/list.ts';

export function adminListCommand(): Command {
  return listCommand({
    record: ADMINS,
    description: 'List who may use the console',
    help: `Examples:
  ws01 admin list
  ws01 admin list --json`,
    columns: [
      ['NAME', 'name'],
      ['ROLE', 'role'],
      ['SIGNS IN BY', waysOf],
      ['SESSIONS', 'sessions'],
      ['LAST SIGN-IN', 'signedInAt'],
      ['LINK UNTIL', 'linkUntil'],
      ['ADDED', 'createdAt'],
    ],
    none: () =>
      `Nobody has access to the console yet. To add yourself: ${commandName()} admin add NAME --role owner`,
  });
}

function waysOf({ passkeys, hasPassword }: Item): string {
  return cellOf(
    [
      ...(Number(passkeys) > 0 ? ['passkey'] : []),
      ...(hasPassword === true ? ['password'] : []),
    ].join(', '),
  );
}
