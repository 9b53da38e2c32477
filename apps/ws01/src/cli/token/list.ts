import { Command } from 'commander';
import { OPERATION_SCOPES, type Scope } from '../../contract/parameters.ts';
import { listTokens, type TokenSummary } from '../../domain/credentials/tokens.ts';
import { jsonInstant, print, printJson, remark, shownInstant } from '../io/output.ts';
import { withStore } from '../io/session.ts';
import { table } from '../io/table.ts';

export function tokenListCommand(): Command {
  return new Command('list')
    .description('List the tokens, revoked and expired ones included; never their texts')
    .option('--json', 'print one JSON array')
    .addHelpText(
      'after',
      `
Times are in UTC; the last use is kept to the hour.

Examples:
  ws01 token list
  ws01 token list --json`,
    )
    .action(({ json }: { json?: true }) =>
      withStore(async (store) => {
        const tokens = await listTokens(store);
        if (json) {
          await printJson(tokens.map(jsonOf));
        } else if (tokens.length === 0) {
          remark('There are no tokens. Make one: ws01 token create');
        } else {
          await print(table(HEADINGS, tokens.map(rowOf)));
        }
      }),
    );
}

const HEADINGS = ['ID', 'KIND', 'STATE', 'SCOPES', 'USER', 'CREATED', 'EXPIRES', 'LAST USED', 'LABEL'];

export function stateOf({ revokedAt, expiresAt }: TokenSummary): 'active' | 'revoked' | 'expired' {
  if (revokedAt !== undefined) {
    return 'revoked';
  }
  return expiresAt !== undefined && expiresAt <= Date.now() ? 'expired' : 'active';
}

/** A token as JSON output shows it. */
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

/** As `--scopes` takes them: `all` for those of every operation. */
function scopesShown(scopes: readonly Scope[]): string {
  if (!OPERATION_SCOPES.every((scope) => scopes.includes(scope))) return scopes.join(',');
  const isBeyond = (scope: Scope) => !OPERATION_SCOPES.some((one) => one === scope);
  return ['all', ...scopes.filter(isBeyond)].join(',');
}
