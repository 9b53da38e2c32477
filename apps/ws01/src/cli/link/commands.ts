import { Command } from 'commander';
import { Links } from '../../domain/links/links.ts';
import { isShortCode } from '../../domain/links/short-code.ts';
import { LINKS } from '../../records/links.ts';
import { CommandFailure } from '../failure.ts';
import { answering } from '../io/answering.ts';
import { listCommand } from '../io/list.ts';

export function linkCommands(): readonly Command[] {
  return [linkListCommand(), disableCommand()];
}

function linkListCommand(): Command {
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

function disableCommand(): Command {
  return answering(
    new Command('disable')
      .description('Disable a short link permanently')
      .argument('<link>', 'its code (see ws01 link list), or the whole link'),
    `Services that are running answer it with 410 within 5 seconds. Its code is not given to another link. Taking it down
again changes nothing.

Examples:
  ws01 link disable Bh2dFgR
  ws01 link disable https://example.com/s/Bh2dFgR`,
    async ({ store }, link: string) => {
      const code = link.slice(link.lastIndexOf('/') + 1);
      if (!isShortCode(code) || !(await new Links({ store, clock: Date.now }).disable(code))) {
        throw new CommandFailure(
          'There is no such short link. Codes are case-sensitive; see ws01 link list.',
        );
      }
      return { json: { code }, text: `Disabled ${code}.\n` };
    },
  );
}
