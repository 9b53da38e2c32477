import { Command } from 'commander';
import { beginningOf, dateOf } from '../../contract/lexical.ts';
import { type AuditFilter, type AuditRecord, listAudit } from '../../domain/audit/audit.ts';
import { canonicalKey } from '../../domain/values/keys.ts';
import { positiveInteger, readPages, readSpan } from '../io/options.ts';
import { jsonInstant, print, printJson, remark, shownInstant } from '../io/output.ts';
import { withStore } from '../io/session.ts';
import { table } from '../io/table.ts';

interface Options {
  readonly since?: string;
  readonly until?: string;
  readonly action?: string;
  readonly target?: string;
  readonly token?: string;
  readonly request?: string;
  readonly after?: string;
  readonly most: number;
  readonly json?: true;
}

export function auditListCommand(): Command {
  return new Command('list')
    .description('List the entries of the audit trail, newest first')
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
    .option('--after <id>', 'only entries after this one: the last id of the previous page')
    .option('--most <number>', 'the largest number to list', positiveInteger, 100)
    .option('--json', 'print one JSON array')
    .addHelpText(
      'after',
      `
Dates without a zone are in TIME_ZONE. BY is a token, or the account that ran a command. To see who wrote a record, list its create and replace entries: --target <key>. To see who sent a mail: ws01 mail show. For articles and images written by older versions, the author is recorded when they are replaced or purged.

Examples:
  ws01 audit list --since 24h
  ws01 audit list --target first --json
  ws01 audit list --action token --since 2027-01-01 --until 2027-01-31 --most 10000`,
    )
    .action(list);
}

function list(options: Options): Promise<void> {
  return withStore(async (store, { timeZone }) => {
    const filter = readFilter(options, timeZone);
    const changes = await readPages<AuditRecord>(options.most, (page, last) =>
      listAudit(store, filter, page, last?.id ?? options.after),
    );
    if (options.json) {
      await printJson(changes.map(jsonOf));
    } else if (changes.length === 0) {
      remark('There are no such changes.');
    } else {
      await print(table(HEADINGS, changes.map(rowOf)));
    }
  });
}

function readFilter(
  { since, until, action, target, token, request }: Options,
  timeZone: string,
): AuditFilter {
  const now = Date.now();
  const context = { timeZone, now: () => now };
  const [sinceSpan, untilSpan] = [readSpan(since), readSpan(until)];
  return {
    since: sinceSpan === undefined ? beginningOf(since, 'since', context) : now - sinceSpan,
    until: untilSpan === undefined ? dateOf(until, 'until', context) : now - untilSpan,
    action,
    targetKey: target === undefined ? undefined : canonicalKey(target),
    tokenId: token,
    requestId: request,
  };
}

const HEADINGS = ['ID', 'AT', 'ACTION', 'KIND', 'KEY', 'BY', 'ADDRESS', 'DETAILS'];

function jsonOf(change: AuditRecord): Record<string, unknown> {
  const { id, at, action, target, tokenId, address, details, requestId } = change;
  return {
    id,
    at: jsonInstant(at),
    action,
    target: { kind: target.kind, key: target.key ?? null },
    token: tokenId ?? null,
    address: address ?? null,
    requestId: requestId ?? null,
    details,
  };
}

function rowOf({ id, at, action, target, tokenId, address, details }: AuditRecord): string[] {
  const { operator, ...others } = details;
  const told = Object.entries(others).map(([name, value]) => `${name}=${value}`);
  return [
    id,
    shownInstant(at, 8),
    action,
    target.kind,
    target.key ?? '-',
    tokenId ?? (operator === undefined ? '-' : String(operator)),
    address ?? '-',
    told.join(' '),
  ];
}
