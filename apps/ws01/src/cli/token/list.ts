import { DAY_MS } from '@ws01/asmx/time';
import type { Command } from 'commander';
import { type RawBuilder, sql } from 'kysely';
import type { Item } from '../../api/kind.ts';
import { OPERATION_SCOPES, type Scope } from '../../contract/parameters.ts';
import { TOKENS } from '../../records/tokens.ts';
import { listCommand } from '../io/list.ts';
import { positiveInteger } from '../io/options.ts';

interface Options {
  readonly expiring?: number;
  readonly unused?: number;
}

export function tokenListCommand(): Command {
  return listCommand({
    record: TOKENS,
    description: 'List the tokens with the revoked and expired ones, without their texts',
    options: (command) =>
      command
        .option(
          '--expiring <days>',
          'only valid tokens that expire within so many days',
          positiveInteger,
        )
        .option(
          '--unused <days>',
          'only valid tokens that were not used for so many days',
          positiveInteger,
        ),
    help: `The last use is kept to the hour.

Examples:
  ws01 token list
  ws01 token list --expiring 14
  ws01 token list --unused 90 --json`,
    columns: [
      ['ID', 'id'],
      ['KIND', 'kind'],
      ['STATE', 'state'],
      ['SCOPES', scopesOf],
      ['USER', 'userId'],
      ['CREATED', 'createdAt'],
      ['EXPIRES', 'expiresAt'],
      ['LAST USED', 'lastUsedAt'],
      ['LABEL', 'label'],
    ],
    none: () => 'There are no such tokens. To create one: ws01 token create',
    asked: (options: Options) => ({ where: conditionsOf(options, Date.now()) }),
    sort: 'created',
  });
}

function conditionsOf({ expiring, unused }: Options, now: number): RawBuilder<boolean>[] {
  if (expiring === undefined && unused === undefined) return [];
  const isValid = sql<boolean>`tokens.revoked_at is null
    and (tokens.expires_at is null or tokens.expires_at > ${now})`;
  return [
    isValid,
    ...(expiring === undefined
      ? []
      : [sql<boolean>`tokens.expires_at <= ${now + expiring * DAY_MS}`]),
    ...(unused === undefined
      ? []
      : [
          sql<boolean>`tokens.created_at <= ${now - unused * DAY_MS}
            and (tokens.last_used_at is null or tokens.last_used_at <= ${now - unused * DAY_MS})`,
        ]),
  ];
}

/** The scopes as `--scopes` takes them: `all` for those of every operation. */
function scopesOf(item: Item): string {
  const scopes = item.scopes as readonly Scope[];
  if (!OPERATION_SCOPES.every((scope) => scopes.includes(scope))) return scopes.join(',');
  const isBeyond = (scope: Scope) => !OPERATION_SCOPES.some((one) => one === scope);
  return ['all', ...scopes.filter(isBeyond)].join(',');
}
