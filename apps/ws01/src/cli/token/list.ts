import { Command } from 'commander';
import { OPERATION_SCOPES, type Scope } from '../../contract/parameters.ts';
import { listTokens, type TokenSummary } from '../../domain/credentials/tokens.ts';
import { positiveInteger } from '../io/options.ts';
import { jsonInstant, print, remark, shownInstant } from '../io/output.ts';
import { withStore } from '../io/session.ts';
import { table } from '../io/table.ts';

/** Tokens per page, so that a long list is never held in memory. */
const PAGE = 1_000;

const DAY_MS = 86_400_000;

interface Options {
  readonly expiring?: number;
  readonly unused?: number;
  readonly json?: true;
}

export function tokenListCommand(): Command {
  return new Command('list')
    .description('List the tokens with the revoked and expired ones, without their texts')
    .option(
      '--expiring <days>',
      'only valid tokens that expire within so many days',
      positiveInteger,
    )
    .option(
      '--unused <days>',
      'only valid tokens that were not used for so many days',
      positiveInteger,
    )
    .option('--json', 'print one JSON array')
    .addHelpText(
      'after',
      `
The last use is kept to the hour.

Examples:
  ws01 token list
  ws01 token list --expiring 14
  ws01 token list --unused 90 --json`,
    )
    .action(({ expiring, unused, json }: Options) =>
      withStore(async (store) => {
        const now = Date.now();
        const filter = {
          expiresBy: expiring && now + expiring * DAY_MS,
          unusedSince: unused && now - unused * DAY_MS,
        };
        const printer = json ? jsonPrinter() : tablePrinter();
        let after = '';
        for (;;) {
          const page = await listTokens(store, filter, now, { most: PAGE, after });
          await printer.page(page);
          if (page.length < PAGE) break;
          after = page.at(-1)!.id;
        }
        await printer.end();
      }),
    );
}

/** Prints a list, page by page. */
interface Printer {
  page(tokens: readonly TokenSummary[]): Promise<void>;
  end(): Promise<void>;
}

function jsonPrinter(): Printer {
  let between = '[';
  return {
    async page(tokens) {
      if (tokens.length === 0) return;
      await print(`${between}${tokens.map((token) => JSON.stringify(jsonOf(token))).join(',')}`);
      between = ',';
    },
    end: () => print(between === '[' ? '[]\n' : ']\n'),
  };
}

function tablePrinter(): Printer {
  let headings: readonly string[] = HEADINGS;
  return {
    async page(tokens) {
      if (tokens.length === 0) return;
      await print(table(headings, tokens.map(rowOf)));
      headings = [];
    },
    async end() {
      if (headings.length > 0) remark('There are no such tokens. To create one: ws01 token create');
    },
  };
}

const HEADINGS = [
  'ID',
  'KIND',
  'STATE',
  'SCOPES',
  'USER',
  'CREATED',
  'EXPIRES',
  'LAST USED',
  'LABEL',
];

function stateOf({ revokedAt, expiresAt }: TokenSummary): 'active' | 'revoked' | 'expired' {
  if (revokedAt !== undefined) {
    return 'revoked';
  }
  return expiresAt !== undefined && expiresAt <= Date.now() ? 'expired' : 'active';
}

/** Returns a token for JSON output. */
export function jsonOf(token: TokenSummary): Record<string, unknown> {
  const { id, label, kind, scopes, userId } = token;
  return {
    id,
    label,
    kind,
    scopes,
    user: userId ?? null,
    state: stateOf(token),
    createdAt: jsonInstant(token.createdAt),
    expiresAt: jsonInstant(token.expiresAt),
    revokedAt: jsonInstant(token.revokedAt),
    lastUsedAt: jsonInstant(token.lastUsedAt),
  };
}

function rowOf(token: TokenSummary): string[] {
  return [
    token.id,
    token.kind,
    stateOf(token),
    scopesShown(token.scopes),
    token.userId ?? '-',
    shownInstant(token.createdAt),
    shownInstant(token.expiresAt),
    shownInstant(token.lastUsedAt),
    token.label,
  ];
}

/** Formats scopes as `--scopes` takes them: `all` for those of every operation. */
function scopesShown(scopes: readonly Scope[]): string {
  if (!OPERATION_SCOPES.every((scope) => scopes.includes(scope))) return scopes.join(',');
  const isBeyond = (scope: Scope) => !OPERATION_SCOPES.some((one) => one === scope);
  return ['all', ...scopes.filter(isBeyond)].join(',');
}
