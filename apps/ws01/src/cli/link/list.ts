import { Command } from 'commander';
import { isLive, Links, type ListedLink } from '../../domain/links/links.ts';
import { positiveInteger, readPages } from '../io/options.ts';
import { jsonInstant, print, printJson, remark, shownInstant } from '../io/output.ts';
import { withStore } from '../io/session.ts';
import { table } from '../io/table.ts';

interface Options {
  readonly most: number;
  readonly json?: true;
}

export function linkListCommand(): Command {
  return new Command('list')
    .description('List the short links, newest first, with their visits')
    .option('--most <number>', 'the largest number to list', positiveInteger, 100)
    .option('--json', 'print one JSON array')
    .addHelpText(
      'after',
      `
Visits by robots and by link previews are not counted.

Examples:
  ws01 link list
  ws01 link list --most 10000 --json`,
    )
    .action(({ most, json }: Options) =>
      withStore(async (store) => {
        const all = new Links({ store, clock: Date.now });
        const links = await readPages<ListedLink>(most, (page, last) => all.list(page, last));
        if (json) {
          await printJson(links.map(jsonOf));
        } else if (links.length === 0) {
          remark('There are no short links.');
        } else {
          await print(table(HEADINGS, links.map(rowOf)));
        }
      }),
    );
}

const HEADINGS = ['CODE', 'STATE', 'VISITS', 'CREATED', 'DEADLINE', 'USER', 'TARGET'];

function stateOf(link: ListedLink): 'live' | 'disabled' | 'expired' {
  if (isLive(link, Date.now())) {
    return 'live';
  }
  return link.disabled_at === null ? 'expired' : 'disabled';
}

function jsonOf(link: ListedLink): Record<string, unknown> {
  return {
    code: link.code,
    target: link.target,
    state: stateOf(link),
    user: link.user_id,
    visits: link.visits ?? 0,
    createdAt: jsonInstant(link.created_at),
    deadline: jsonInstant(link.deadline),
    disabledAt: jsonInstant(link.disabled_at),
  };
}

function rowOf(link: ListedLink): string[] {
  return [
    link.code,
    stateOf(link),
    String(link.visits ?? 0),
    shownInstant(link.created_at),
    shownInstant(link.deadline),
    link.user_id ?? '-',
    link.target,
  ];
}
