import type { Kysely } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import { LENGTHS } from '../../contract/parameters.ts';
import { say } from '../../contract/sentence.ts';
import { prepare } from '../../store/prepared.ts';
import type { Store } from '../../store/store.ts';
import type { Instant, Tables, UsersTable } from '../../store/tables/tables.ts';
import { auditAct } from '../audit/audit.ts';
import type { Caller, Clock } from '../context.ts';
import { ExistingKeys } from '../shared/existing-keys.ts';
import { parseAddress } from '../values/email-address.ts';
import { optionalKey, requiredKey } from '../values/keys.ts';
import { isSeen } from '../values/unseen.ts';
import { assertNotBlocked } from './blocked.ts';

/** A user to register; registered users may send mail (semantics 3). */
export interface Registration {
  /** Canonical key. */
  readonly id: string;
  /** `undefined` keeps the registered name, `null` clears it. */
  readonly name?: string | null | undefined;
  /**
   * The Reply-To of this user's mails. `undefined` keeps the registered address, `null` clears it.
   */
  readonly email?: string | null | undefined;
}

/** The sender of a mail. */
export interface Sender {
  readonly id: string;
  readonly name: string | undefined;
  /** For Reply-To; `undefined` when none is registered. */
  readonly email: string | undefined;
}

/** Number of rows in one statement. */
const CHUNK = 500;

/** Timeout of the write of an import; ms. */
const IMPORT_TIMEOUT = 600_000;

/**
 * Creates a user that a trusted call names (semantics 3), unregistered. Does nothing if the user
 * exists.
 * @param id canonical key.
 */
export async function ensureUserExists(tx: Kysely<Tables>, id: string, at: Instant): Promise<void> {
  if (standing.has(tx, id)) return;
  insertUser.send(tx, { id, at });
  standing.learn(tx, id);
}

/**
 * How long existing users are cached; ms. Only an erasure deletes users, and other processes notice
 * it by then.
 */
const STANDING_MS = 5_000;

const standing = new ExistingKeys(STANDING_MS);

/** Deletes the row of a user, but none of their records. */
export async function deleteUser(tx: Kysely<Tables>, id: string): Promise<void> {
  await tx.deleteFrom('users').where('id', '=', id).execute();
  standing.forget(tx, id);
}

const insertUser = prepare((db, row: { id: string; at: Instant }) =>
  db
    .insertInto('users')
    .values({ id: row.id, registered: 0, created_at: row.at, updated_at: row.at })
    .onConflict((conflict) => conflict.column('id').doNothing()),
);

/**
 * Parses a registration. An absent name or e-mail address keeps the present one, an empty one
 * clears it.
 * @throws {Ws01Error} `MissingParameter` without an id; `InvalidParameter` for an invalid value.
 */
export function readRegistration(written: {
  readonly id: string | undefined;
  readonly name?: string | undefined;
  readonly email?: string | undefined;
}): Registration {
  return {
    id: requiredKey(written.id, 'id'),
    name: readName(written.name),
    email: readEmail(written.email),
  };
}

function readName(text: string | undefined): string | null | undefined {
  const name = text?.trim();
  if (
    name !== undefined &&
    ([...name].length > LENGTHS.name || /\p{Cc}/u.test(name) || !name.isWellFormed())
  ) {
    throw new Ws01Error(
      'InvalidParameter',
      say`name must be one line of at most ${{ most: LENGTHS.name }} characters.`,
      {
        parameter: 'name',
      },
    );
  }
  return name !== undefined && !isSeen(name) ? null : name;
}

function readEmail(text: string | undefined): string | null | undefined {
  if (text === undefined || text.trim() === '') {
    return text === undefined ? undefined : null;
  }
  const parsed = parseAddress(text);
  if (parsed.kind === 'address') {
    return parsed.address;
  }
  const reason =
    parsed.kind === 'several' ? 'It has more than one address; give one.' : parsed.reason;
  throw new Ws01Error(
    'InvalidParameter',
    say`email must be one e-mail address. ${{ part: reason }}`,
    {
      parameter: 'email',
    },
  );
}

/**
 * Registers users, all or none. Existing users become registered; fields that are `undefined` keep
 * their values.
 * @param registrations must not contain an id twice.
 * @param onProgress called from time to time with the number of users written so far.
 */
export async function registerUsers(
  store: Store,
  registrations: readonly Registration[],
  clock: Clock,
  onProgress: (written: number) => void = () => {},
): Promise<void> {
  const work = async (tx: Kysely<Tables>) => {
    const at = clock();
    for (let start = 0; start < registrations.length; start += CHUNK) {
      const chunk = registrations.slice(start, start + CHUNK);
      await upsertRegistered(tx, chunk, at);
      onProgress(start + chunk.length);
    }
    const count = registrations.length;
    if (count === 1)
      await auditAct(tx, 'user.register', registrations[0]!.id, at, undefined, { count });
    else await auditAct(tx, 'user.import', undefined, at, undefined, { count });
  };
  await store.write(work, { workTimeout: IMPORT_TIMEOUT });
}

/**
 * Registers users inside a write, with one statement for each combination of fields that are kept.
 */
export async function upsertRegistered(
  tx: Kysely<Tables>,
  registrations: readonly Registration[],
  at: Instant,
): Promise<void> {
  const groups = Map.groupBy(
    registrations,
    ({ name, email }) => `${name === null} ${email === null}`,
  );
  for (const [, [...group]] of groups) {
    const [clearsName, clearsEmail] = [group[0]?.name === null, group[0]?.email === null];
    await tx
      .insertInto('users')
      .values(
        group.map(({ id, name, email }) => ({
          id,
          registered: 1 as const,
          name: name ?? null,
          email: email ?? null,
          created_at: at,
          updated_at: at,
        })),
      )
      .onConflict((conflict) =>
        conflict.column('id').doUpdateSet((eb) => ({
          registered: 1,
          name: clearsName ? null : eb.fn.coalesce('excluded.name', 'users.name'),
          email: clearsEmail ? null : eb.fn.coalesce('excluded.email', 'users.email'),
          updated_at: at,
        })),
      )
      .execute();
  }
}

/**
 * Finds the sender of a caller's mails: the bound user, or the default sender of a service
 * credential.
 * @throws {Ws01Error} `NotRegistered` when there is none, or when that user is not registered
 *   (contract 5, rule 1); `Forbidden` when a moderator blocked them.
 */
export async function requireSender(db: Kysely<Tables>, caller: Caller): Promise<Sender> {
  const row =
    caller.userId === undefined ? undefined : await senderById.first(db, { id: caller.userId });
  if (row === undefined) {
    throw new Ws01Error(
      'NotRegistered',
      'The credential stands for no registered sender; have its user registered, or use a credential of one who is.',
      { parameter: 'authorizationUserId' },
    );
  }
  await assertNotBlocked(db, row.id);
  return { id: row.id, name: row.name ?? undefined, email: row.email ?? undefined };
}

const senderById = prepare((db, key: Pick<UsersTable, 'id'>) =>
  db
    .selectFrom('users')
    .select(['id', 'name', 'email'])
    .where('id', '=', key.id)
    .where('registered', '=', 1),
);

/**
 * Reads the parameter that names the user of operations 3, 12 and 14. For a user token, an empty
 * one means the bound user (semantics 3). `actingUser` decides whether the caller may name that
 * user, after all parameters have been read.
 *
 * @returns the canonical user key.
 * @throws {Ws01Error} `MissingParameter` when it names nobody; `InvalidParameter` when it is not a
 *   key.
 */
export function requiredUser(caller: Caller, text: string | undefined, name: string): string {
  const key = optionalKey(text, name) ?? (caller.kind === 'user' ? caller.userId : undefined);
  if (key !== undefined) return key;
  throw new Ws01Error(
    'MissingParameter',
    say`${{ field: name }} is required; give the id of the user.`,
    {
      parameter: name,
    },
  );
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
