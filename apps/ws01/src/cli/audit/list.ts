import type { Command } from 'commander';
import { sql } from 'kysely';
import { writeCursor } from '../../api/cursor.ts';
import type { Item } from '../../api/kind.ts';
import type { Config } from '../../config/config.ts';
import { dateOf } from '../../contract/lexical.ts';
import { CLOCK_SLACK_MS } from '../../domain/audit/audit.ts';
import { AUDIT } from '../../records/audit.ts';
import { cellOf, listCommand } from '../io/list.ts';
import { readSince, readSpan } from '../io/options.ts';
import { shownInstant } from '../io/output.ts';

interface Options {
  readonly since?: string;
  readonly until?: string;
  readonly action?: string;
  readonly target?: string;
  readonly token?: string;
  readonly request?: string;
  readonly after?: string;
}

export function auditListCommand(): Command {
  return listCommand({
    record: AUDIT,
    description: 'List the entries of the audit trail, newest first',
    options: (command) =>
      command
        .option(
          '--since <when>',
          'only entries since then: 12h or 7d ago, or a date such as 2027-01-31 (from its beginning)',
        )
        .option(
          '--until <when>',
          'only entries until then: as --since, but a date includes the whole day',
        )
        .option(
          '--action <action>',
          'only this action, such as token.revoke, or all on one kind of record: token',
        )
        .option('--target <key>', 'only changes to the record with this key')
        .option('--token <id>', 'only changes made with the token of this id, see ws01 token list')
        .option('--request <id>', 'only changes made by the call with this X-Request-Id')
        .option('--after <id>', 'only entries after this one: the last id of the previous page'),
    help: `Dates without a zone are in TIME_ZONE. BY is a token, or the account that ran a command. To see who wrote a record, list its create and replace entries: --target <key>. To see who sent a mail: ws01 mail show. For articles and images written by older versions, the author is recorded when they are replaced or purged.

Examples:
  ws01 audit list --since 24h
  ws01 audit list --target first --json
  ws01 audit list --action token --since 2027-01-01 --until 2027-01-31 --most 10000`,
    columns: [
      ['ID', 'id'],
      ['AT', ({ at }) => shownInstant(Date.parse(String(at)), 8)],
      ['ACTION', 'action'],
      ['KIND', 'targetKind'],
      ['KEY', 'targetKey'],
      ['BY', actorOf],
      ['ADDRESS', 'address'],
      ['DETAILS', detailsOf],
    ],
    none: () => 'There are no such changes.',
    asked,
    most: 100,
  });
}

function asked(
  { since, until, action, target, token, request, after }: Options,
  { timeZone }: Config,
) {
  const now = Date.now();
  const context = { timeZone, now: () => now };
  const untilSpan = readSpan(until);
  const from = readSince(since, context);
  const to = untilSpan === undefined ? dateOf(until, 'until', context) : now - untilSpan;
  return {
    query: {
      targetKey: target,
      tokenId: token,
      requestId: request,
      // Ids bound what is read; entries tell their own time.
      createdFrom: from === undefined ? undefined : from - CLOCK_SLACK_MS,
    },
    where: [
      ...(from === undefined ? [] : [sql<boolean>`audit.at >= ${from}`]),
      ...(to === undefined ? [] : [sql<boolean>`audit.at <= ${to}`]),
      // Between "noun." and the next possible text.
      ...(action === undefined
        ? []
        : [
            sql<boolean>`(audit.action = ${action}
              or (audit.action > ${`${action}.`} and audit.action < ${`${action}/`}))`,
          ]),
    ],
    cursor: after === undefined ? undefined : writeCursor(AUDIT.sort, [after]),
  };
}

/** Who did it: a token, or the account that ran a command. */
function actorOf({ tokenId, details }: Item): string {
  return cellOf(tokenId ?? (details as Item).operator);
}

function detailsOf({ details }: Item): string {
  const { operator: _, ...others } = details as Item;
  return Object.entries(others)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}
