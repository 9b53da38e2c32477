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
    .description('List the changes that were told to the audit trail, the last told first')
    .option('--since <when>', 'only those from then on: 12h or 7d ago, or a date: 2027-01-31 means from its beginning')
    .option('--until <when>', 'only those until then: as --since, but a date means until its end')
    .option('--action <action>', 'only this one, such as token.revoke, or all of a noun: token')
    .option('--target <key>', 'only changes of the record with this key')
    .option('--token <id>', 'only changes by the token with this id, see ws01 token list')
    .option('--request <id>', 'only changes of the call whose answer had this X-Request-Id')
    .option('--after <id>', 'only what follows this entry in the list: the last one of the page before')
    .option('--most <number>', 'so many at most', positiveInteger, 100)
    .option('--json', 'print one JSON array')
    .addHelpText(
      'after',
      `
Dates without a zone are read in TIME_ZONE. BY is a token, or the account that ran a command. Who wrote
a record is told by its create and replace: --target <key>. A mail tells itself who sent it, ws01 mail show. Articles and
images of earlier versions tell it when they are replaced or removed for good.

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

function readFilter({ since, until, action, target, token, request }: Options, timeZone: string): AuditFilter {
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
