import { Command } from 'commander';
import { listUsers, type UserSummary } from '../../domain/users/users.ts';
import type { Store } from '../../store/store.ts';
import { jsonInstant, print, remark, shownInstant } from '../io/output.ts';
import { withStore } from '../io/session.ts';
import { table } from '../io/table.ts';

/** Users per page. */
const PAGE = 1_000;

interface Options {
  readonly registered?: true;
  readonly json?: true;
}

export function userListCommand(): Command {
  return new Command('list')
    .description('List the users, sorted by id')
    .option(
      '--registered',
      'only users who may send mail, without those that exist only because calls named them',
    )
    .option('--json', 'print one JSON array')
    .addHelpText(
      'after',
      `
Examples:
  ws01 user list --registered
  ws01 user list --json`,
    )
    .action((options: Options) =>
      withStore((store) =>
        options.json ? printAsJson(store, options) : printAsTable(store, options),
      ),
    );
}

async function* pagesOf(store: Store, { registered }: Options): AsyncGenerator<UserSummary[]> {
  let page: UserSummary[] = [];
  do {
    page = await listUsers(store, { after: page.at(-1)?.id, limit: PAGE, registered });
    if (page.length > 0) {
      yield page;
    }
  } while (page.length === PAGE);
}

/** Prints one user per line, page by page. */
async function printAsJson(store: Store, options: Options): Promise<void> {
  let before = '[';
  for await (const page of pagesOf(store, options)) {
    await print(before + page.map((user) => JSON.stringify(jsonOf(user))).join(',\n'));
    before = ',\n';
  }
  await print(before === '[' ? '[]\n' : ']\n');
}

async function printAsTable(store: Store, options: Options): Promise<void> {
  let headings = ['ID', 'REGISTERED', 'SINCE', 'EMAIL', 'NAME'];
  for await (const page of pagesOf(store, options)) {
    await print(table(headings, page.map(rowOf)));
    headings = [];
  }
  if (headings.length > 0) {
    remark('There are no such users. To register one: ws01 user add <id> --email <address>');
  }
}

function jsonOf({ id, registered, name, email, created_at }: UserSummary): Record<string, unknown> {
  return { id, registered: registered === 1, name, email, createdAt: jsonInstant(created_at) };
}

function rowOf({ id, registered, name, email, created_at }: UserSummary): string[] {
  return [id, registered === 1 ? 'yes' : 'no', shownInstant(created_at), email ?? '-', name ?? ''];
}
