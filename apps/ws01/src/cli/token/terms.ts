import { type Command, InvalidArgumentError, Option } from 'commander';
import { Ws01Error } from '../../contract/errors.ts';
import { dateOf } from '../../contract/lexical.ts';
import { OPERATION_SCOPES, SCOPES, type Scope } from '../../contract/parameters.ts';
import type { TokenTerms } from '../../domain/credentials/tokens.ts';
import { userExists } from '../../domain/users/existence.ts';
import { optionalKey } from '../../domain/values/keys.ts';
import { lastArgument } from '../../failure/shell-word.ts';
import { TOKEN_KINDS } from '../../records/tokens.ts';
import type { Store } from '../../store/store.ts';
import { CommandFailure } from '../failure.ts';
import { oneOf, readSpan } from '../io/options.ts';

/** The options for the terms of a token. */
export interface TermOptions {
  readonly kind: (typeof TOKEN_KINDS)[number];
  readonly scopes: readonly Scope[];
  readonly user?: string;
  /** Whether to create a user that does not exist. */
  readonly newUser?: true;
  readonly label?: string;
  readonly expires?: string;
}

/** Adds the options for the terms of a token to a command. */
export function addTermOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--kind <kind>', 'who it acts for, see below')
        .choices(TOKEN_KINDS)
        .default('service'),
    )
    .addOption(
      new Option('--scopes <scopes>', `comma-separated: ${SCOPES.join(',')}`)
        .argParser(readScopeList)
        .default(OPERATION_SCOPES, 'all except read and manage'),
    )
    .option('--user <id>', 'the user of a user token; the default sender of other tokens')
    .option('--new-user', 'create the user of --user as an unregistered one if it does not exist')
    .option('--label <text>', 'a name for people')
    .option('--expires <when>', '90d, 12h, or a date such as 2027-01-31 (until its end)');
}

/** For the help of commands: the kinds of tokens. */
export const KINDS_HELP = `Kinds:
  service  a trusted back end; acts for the user named in each call
  user     acts for one user, and writes only the records of that user
  admin    a service token that may also write the records of other users`;

/**
 * Parses the options.
 * @param zone time zone of dates without one.
 * @throws {Ws01Error} `InvalidParameter`; `MissingParameter` for a user token without a user.
 */
export function readTerms(options: TermOptions, zone: string, now: number): TokenTerms {
  const userId = optionalKey(options.user, 'user');
  if (options.kind === 'user' && userId === undefined) {
    throw new Ws01Error(
      'MissingParameter',
      'A user token needs the user that it is bound to: give --user <id>.',
      {
        parameter: 'user',
      },
    );
  }
  return {
    kind: options.kind,
    scopes: options.scopes,
    userId,
    label: options.label?.trim(),
    expiresAt: readExpiry(options.expires, zone, now),
  };
}

/**
 * Parses `90d` or a date; `undefined` if absent.
 * @throws {Ws01Error} `InvalidParameter`
 */
export function readExpiry(
  text: string | undefined,
  timeZone: string,
  now: number,
): number | undefined {
  const span = readSpan(text);
  return span === undefined ? dateOf(text, 'expires', { timeZone, now: () => now }) : now + span;
}

/**
 * Checks that the user exists: a mistyped id would create a useless token.
 * @throws {CommandFailure} when the user does not exist and shall not be created.
 */
export async function assertUserKnown(store: Store, { user, newUser }: TermOptions): Promise<void> {
  const id = optionalKey(user, 'user');
  if (id === undefined || newUser || (await store.read((db) => userExists(db, id)))) return;
  throw new CommandFailure(
    `There is no user ${id}. Register it first (ws01 user add ${lastArgument(id)}), or give --new-user.`,
  );
}

/** Parses the kind of tokens in a list. */
export const readKind = oneOf(TOKEN_KINDS, 'kinds');

/**
 * Parses scopes separated by commas or blanks; `all` means all but `read` and `manage`, which must
 * be named.
 */
export function readScopeList(text: string): readonly Scope[] {
  const names = text
    .toLowerCase()
    .split(/[\s,]/)
    .filter((name) => name !== '');
  const isKnown = (name: string) => name === 'all' || SCOPES.some((scope) => scope === name);
  if (names.length === 0 || !names.every(isKnown)) {
    throw new InvalidArgumentError(
      `The scopes are ${SCOPES.join(', ')}; all means all except read and manage.`,
    );
  }
  const given: readonly string[] = names.includes('all') ? [...names, ...OPERATION_SCOPES] : names;
  return SCOPES.filter((scope) => given.includes(scope));
}
