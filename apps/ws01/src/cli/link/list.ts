import type { Command } from 'commander';
import { LINKS } from '../../records/links.ts';
import { listCommand } from '../io/list.ts';

export function linkListCommand(): Command {
  return listCommand({
    record: LINKS,
    description: 'List the short links, newest first, with their visits',
    help: `Robots and link previews do not count as visits; with --json they stand beside them.

Examples:
  ws01 link list
  ws01 link list --most 10000 --json`,
    columns: [
      ['CODE', 'code'],
      ['STATE', 'state'],
      ['VISITS', 'visits'],
      ['CREATED', 'createdAt'],
      ['DEADLINE', 'deadline'],
      ['USER', 'userId'],
      ['TARGET', 'orgUrl'],
    ],
    none: () => 'There are no short links.',
    most: 100,
  });
}
