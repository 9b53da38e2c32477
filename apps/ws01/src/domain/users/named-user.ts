import type { Kysely } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import type { Instant, Tables } from '../../store/tables/tables.ts';
import type { Caller } from '../context.ts';
import { optionalKey } from '../values/keys.ts';
import { assertNotBlocked } from './blocked.ts';
import { ensureUserExists } from './users.ts';

/**
 * Reads the parameter that names the user of operations 3, 12 and 14. For a user token, an empty one means the bound
 * user (semantics 3). `actingUser` decides whether the caller may name that user, after all parameters have been read.
 *
 * @returns the canonical user key.
 * @throws {Ws01Error} `MissingParameter` when it names nobody; `InvalidParameter` when it is not a key.
 */
export function requiredUser(caller: Caller, text: string | undefined, name: string): string {
  const key = optionalKey(text, name) ?? (caller.kind === 'user' ? caller.userId : undefined);
  if (key !== undefined) return key;
  throw new Ws01Error('MissingParameter', `${name} is required; give the id of the user.`, {
    parameter: name,
  });
}

/**
 * Creates the user that a trusted caller names, unregistered, if they do not exist (semantics 3).
 * @throws {Ws01Error} `Forbidden` for a user whom a moderator blocked.
 */
export async function ensureNamedUserExists(
  tx: Kysely<Tables>,
  caller: Caller,
  userId: string | undefined,
  at: Instant,
): Promise<void> {
  if (userId !== undefined && (caller.kind === 'service' || caller.kind === 'admin')) {
    await assertNotBlocked(tx, userId);
    await ensureUserExists(tx, userId, at);
  }
}
