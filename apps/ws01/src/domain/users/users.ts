import type { Kysely } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import { LENGTHS } from '../../contract/parameters.ts';
import { prepare } from '../../store/prepared.ts';
import type { Store } from '../../store/store.ts';
import type { Instant, Tables, UsersTable } from '../../store/tables/tables.ts';
import { type Actor, doneBy, recordAudit } from '../audit/audit.ts';
import type { Caller, Clock } from '../context.ts';
import { ExistingKeys } from '../shared/existing-keys.ts';
import { parseAddress } from '../values/email-address.ts';
import { requiredKey } from '../values/keys.ts';
import { assertNotBlocked } from './blocked.ts';

/** A user to register: somebody who may send mail (semantics 3). */
export interface Registration {
  /** Canonical key. */
  readonly id: string;
  /** `undefined` keeps what is registered already, `null` clears it. */
  readonly name?: string | null | undefined;
  /** Where answers to this user's mails go. `undefined` keeps what is registered already, `null` clears it. */
  readonly email?: string | null | undefined;
}

/** What lists show of a user. */
export type UserSummary = Pick<UsersTable, 'id' | 'registered' | 'name' | 'email' | 'created_at' | 'updated_at'>;

/** Who a mail is from. */
export interface Sender {
  readonly id: string;
  readonly name: string | undefined;
  /** For Reply-To; `undefined` when none is registered. */
  readonly email: string | undefined;
}

/** Rows in one statement of an import. */
const CHUNK = 500;

/** How long an import may take once it writes; ms. */
const IMPORT_TIMEOUT = 600_000;

/**
 * Brings a user into being whom a trusted call merely names (semantics 3): unregistered. Does nothing for one that
 * exists.
 * @param id canonical key.
 */
export async function ensureUserExists(tx: Kysely<Tables>, id: string, at: Instant): Promise<void> {
  if (standing.has(tx, id)) return;
  insertUser.send(tx, { id, at });
  standing.learn(tx, id);
}

/** Users are only removed when a person is erased; other processes notice within this; ms. */
const STANDING_MS = 5_000;

const standing = new ExistingKeys(STANDING_MS);

/** Removes a user. What the user made is not looked at. */
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
 * Reads a registration as a person wrote it. An absent name or e-mail address keeps what there is, an empty one clears it.
 * @throws {Ws01Error} `MissingParameter` without an id; `InvalidParameter` for a value of the wrong form.
 */
/** Whether there is a user with a key, registered or not. */
export async function userExists(store: Store, id: string): Promise<boolean> {
  const found = await store.read((db) => db.selectFrom('users').select('id').where('id', '=', id).executeTakeFirst());
  return found !== undefined;
}

export function readRegistration(written: {
  readonly id: string | undefined;
  readonly name?: string | undefined;
  readonly email?: string | undefined;
}): Registration {
  return { id: requiredKey(written.id, 'id'), name: readName(written.name), email: readEmail(written.email) };
}

function readName(text: string | undefined): string | null | undefined {
  const name = text?.trim();
  if (name !== undefined && ([...name].length > LENGTHS.name || /\p{Cc}/u.test(name) || !name.isWellFormed())) {
    throw new Ws01Error('InvalidParameter', `name must be one line of at most ${LENGTHS.name} characters.`, {
      parameter: 'name',
    });
  }
  return name === '' ? null : name;
}

function readEmail(text: string | undefined): string | null | undefined {
  if (text === undefined || text.trim() === '') {
    return text === undefined ? undefined : null;
  }
  const parsed = parseAddress(text);
  if (parsed.kind === 'address') {
    return parsed.address;
  }
  const reason = parsed.kind === 'several' ? 'It has more than one address; give one.' : parsed.reason;
  throw new Ws01Error('InvalidParameter', `email must be one e-mail address. ${reason}`, { parameter: 'email' });
}

/**
 * Registers users, all or none. Those that exist become registered and keep what the registration leaves open.
 * @param registrations no id twice.
 * @param onProgress told the number written so far, now and then.
 * @param by who did it; `undefined` for an operator on the machine itself.
 */
export async function registerUsers(
  store: Store,
  registrations: readonly Registration[],
  clock: Clock,
  onProgress: (written: number) => void = () => {},
  by?: Actor,
): Promise<void> {
  const work = async (tx: Kysely<Tables>) => {
    const at = clock();
    for (let start = 0; start < registrations.length; start += CHUNK) {
      const chunk = registrations.slice(start, start + CHUNK);
      await upsertRegistered(tx, chunk, at);
      onProgress(start + chunk.length);
    }
    const [only] = registrations;
    await recordAudit(tx, {
      at,
      ...doneBy(by),
      action: registrations.length === 1 ? 'user.register' : 'user.import',
      target: { kind: 'user', key: registrations.length === 1 ? only?.id : undefined },
      details: { count: registrations.length },
    });
  };
  await store.write(work, { workTimeout: IMPORT_TIMEOUT });
}

/** Registers users inside a write. Rows that clear a field differ in shape from those that keep it, so each kind has its statement. */
export async function upsertRegistered(
  tx: Kysely<Tables>,
  registrations: readonly Registration[],
  at: Instant,
): Promise<void> {
  const groups = Map.groupBy(registrations, ({ name, email }) => `${name === null} ${email === null}`);
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
 * A page of users in the order of their ids.
 * @param page `after`: the last id of the page before; `limit`: rows at most; `registered`: only those registered.
 */
export async function listUsers(
  store: Store,
  page: { readonly after?: string | undefined; readonly limit: number; readonly registered?: boolean | undefined },
): Promise<UserSummary[]> {
  const { after, limit, registered } = page;
  return store.read((db) =>
    db
      .selectFrom('users')
      .select(['id', 'registered', 'name', 'email', 'created_at', 'updated_at'])
      .$if(after !== undefined, (query) => query.where('id', '>', after!))
      .$if(registered === true, (query) => query.where('registered', '=', 1))
      .orderBy('id')
      .limit(limit)
      .execute(),
  );
}

/**
 * Who the mails of a caller are from: the bound user, or the default sender of a service credential.
 * @throws {Ws01Error} `NotRegistered` when there is none, or when that user is not registered (contract 5, rule 1);
 *   `Forbidden` when a moderator blocked them.
 */
export async function requireSender(db: Kysely<Tables>, caller: Caller): Promise<Sender> {
  const row = caller.userId === undefined ? undefined : await senderById.first(db, { id: caller.userId });
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
  db.selectFrom('users').select(['id', 'name', 'email']).where('id', '=', key.id).where('registered', '=', 1),
);
