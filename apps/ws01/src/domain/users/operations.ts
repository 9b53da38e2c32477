import { MINUTE_MS } from '@ws01/asmx/time';
import type { Kysely } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import type { OperationHandlers, ParamsOf } from '../../contract/service.ts';
import { columns, prepare } from '../../store/prepared.ts';
import { lockRows } from '../../store/row-lock.ts';
import type { Store } from '../../store/store.ts';
import type {
  Instant,
  NumberVerificationsTable,
  PhoneVerificationsTable,
  Tables,
  UsersTable,
} from '../../store/tables/tables.ts';
import { doneByCall, recordAudit } from '../audit/audit.ts';
import type { Budgets } from '../budgets/budgets.ts';
import type { CallContext, Clock } from '../context.ts';
import { bytesOfTexts } from '../shared/bytes-of-texts.ts';
import { actingUser } from '../shared/ownership.ts';
import { normalizePhone } from '../values/phone.ts';
import { isSeen } from '../values/unseen.ts';
import { ensureNamedUserExists, requiredUser } from './users.ts';

/** Dependencies of the operations on users. */
export interface UserDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly budgets: Budgets;
  /**
   * ISO 3166 code of the country whose phone numbers are written without `+`; `undefined` for none.
   */
  readonly defaultCountry: string | undefined;
}

/** How long after its verification a number can be set as verified (semantics 5.14); ms. */
export const VERIFICATION_MS = 30 * MINUTE_MS;

/** A call that changes a user. */
interface UserCall {
  readonly context: CallContext;
  readonly userId: string;
  readonly at: Instant;
}

/** New values of a profile; `undefined` keeps a field, `null` clears it. */
type ProfileChange = { readonly [Column in keyof typeof PROFILE]: string | null | undefined };

/** The columns of a profile, with their names in the contract. */
const PROFILE = {
  first_name: 'firstName',
  last_name: 'lastName',
  zip_code: 'zipCode',
  state: 'state',
  city: 'city',
  address: 'address',
  address2: 'address2',
} as const satisfies Partial<Record<keyof UsersTable, keyof ParamsOf<'updateUserInfo'>>>;

const PROFILE_COLUMNS = Object.keys(PROFILE) as (keyof typeof PROFILE)[];

/**
 * Operations 3 and 14. Parameters are read in contract order, which is the order of their errors.
 * Each returns the canonical key of the user.
 */
export function userOperations({
  store,
  clock,
  budgets,
  defaultCountry,
}: UserDeps): Pick<OperationHandlers<CallContext>, 'updateUserInfo' | 'updateUserCellphone'> {
  return {
    updateUserInfo: async (params, { caller: context }) => {
      const userId = requiredUser(context.caller, params.userId, 'userId');
      const change = Object.fromEntries(
        PROFILE_COLUMNS.map((column) => [column, fieldOf(params[PROFILE[column]])]),
      ) as ProfileChange;
      actingUser(context.caller, userId, 'userId');
      const call = { context, userId, at: clock() };
      await store.write((tx) => changeProfile(tx, call, change, budgets), {
        records: [`user ${userId}`],
      });
      return userId;
    },

    updateUserCellphone: async (params, { caller: context }) => {
      const userId = requiredUser(context.caller, params.userId, 'userId');
      const phone = phoneOf(params.cellPhone, defaultCountry);
      actingUser(context.caller, userId, 'userId');
      const call = { context, userId, at: clock() };
      await store.write((tx) => changePhone(tx, call, phone, budgets), {
        records: [`user ${userId}`],
      });
      return userId;
    },
  };
}

/**
 * @returns the text as sent; `null` when it shows nothing, which clears; `undefined` when it is
 *   absent, which keeps.
 */
function fieldOf(text: string | undefined): string | null | undefined {
  return text !== undefined && !isSeen(text) ? null : text;
}

/**
 * @returns the number; `null` when the text is empty, which removes it.
 * @throws {Ws01Error} `MissingParameter` when it is absent: a misspelt parameter (`cellphone`, as
 *   operations 10 and 20 have it) must not lose a number.
 */
function phoneOf(text: string | undefined, defaultCountry: string | undefined): string | null {
  if (text === undefined) {
    throw new Ws01Error(
      'MissingParameter',
      'cellPhone is required; send it empty to remove the number.',
      {
        parameter: 'cellPhone',
      },
    );
  }
  return normalizePhone(text, 'cellPhone', defaultCountry) ?? null;
}

async function changeProfile(
  tx: Kysely<Tables>,
  call: UserCall,
  change: ProfileChange,
  budgets: Budgets,
): Promise<void> {
  await ensureNamedUserExists(tx, call.context.caller, call.userId, call.at);
  const present = await lockUser(tx, call);
  const next = { ...present };
  const earlier: Record<string, string | null> = {};
  for (const column of PROFILE_COLUMNS) {
    const value = change[column];
    if (value !== undefined && value !== present[column]) {
      next[column] = value;
      earlier[PROFILE[column]] = present[column];
    }
  }
  if (Object.keys(earlier).length > 0) {
    // The row stays one; the audit trail keeps the earlier values.
    const textBytes = bytesOfTexts(Object.values(earlier));
    await budgets.spendOnChange(tx, call.context.caller, { textBytes }, call.at);
    setProfile.send(tx, { ...next, updated_at: call.at });
    await auditUser(tx, call, 'update', earlier);
  }
}

async function changePhone(
  tx: Kysely<Tables>,
  call: UserCall,
  phone: string | null,
  budgets: Budgets,
): Promise<void> {
  await ensureNamedUserExists(tx, call.context.caller, call.userId, call.at);
  // The user is locked first: a concurrent verification is then either seen here, or marks the
  // number itself.
  const [present, fresh] = await Promise.all([
    lockUser(tx, call),
    freshVerification(tx, call, phone),
  ]);
  const kept = phone === present.cell_phone ? present.cell_phone_verified_at : null;
  const verifiedAt = fresh ?? kept;
  if (phone !== present.cell_phone || verifiedAt !== present.cell_phone_verified_at) {
    await budgets.spendOnChange(tx, call.context.caller, {}, call.at);
    setPhone.send(tx, {
      id: call.userId,
      cell_phone: phone,
      cell_phone_verified_at: verifiedAt,
      updated_at: call.at,
    });
    await auditUser(tx, call, 'phone', {
      cellPhone: present.cell_phone,
      verified: present.cell_phone_verified_at !== null,
    });
  }
}

/**
 * When the number was verified, if that was within {@link VERIFICATION_MS}: for this user, or
 * without a user by the same token.
 */
async function freshVerification(
  tx: Kysely<Tables>,
  { context, userId, at }: UserCall,
  phone: string | null,
): Promise<Instant | undefined> {
  if (phone === null) {
    return undefined;
  }
  const { tokenId } = context.caller;
  const since = { phone, verified_at: at - VERIFICATION_MS };
  const [found, number] = await Promise.all([
    verificationSince.first(tx, { user_id: userId, ...since }),
    tokenId === undefined ? undefined : numberSince.first(tx, { token_id: tokenId, ...since }),
  ]);
  return (found ?? number)?.verified_at;
}

type PresentUser = Pick<
  UsersTable,
  'id' | 'cell_phone' | 'cell_phone_verified_at' | keyof typeof PROFILE
>;

/**
 * Reads and locks the user until the write ends.
 * @throws {Ws01Error} `NotFound` when a user token's user is unknown.
 */
async function lockUser(tx: Kysely<Tables>, { userId }: UserCall): Promise<PresentUser> {
  const user = await userById.first(tx, { id: userId });
  if (user === undefined) {
    throw new Ws01Error('NotFound', 'There is no user with the id in userId.', {
      parameter: 'userId',
    });
  }
  return user;
}

/**
 * Records the change in the audit trail: the earlier value of each field, by its name in the
 * contract.
 */
async function auditUser(
  tx: Kysely<Tables>,
  { context, userId, at }: UserCall,
  action: 'update' | 'phone',
  earlier: Readonly<Record<string, string | boolean | null>>,
): Promise<void> {
  await recordAudit(tx, {
    at,
    ...doneByCall(context),
    action: `user.${action}`,
    target: { kind: 'user', key: userId },
    details: earlier,
  });
}

const userById = prepare((db, { id }: Pick<UsersTable, 'id'>) =>
  db
    .selectFrom('users')
    .select(['id', ...PROFILE_COLUMNS, 'cell_phone', 'cell_phone_verified_at'])
    .where('id', '=', id)
    .$call(lockRows(db)),
);

const setProfile = prepare(
  (db, row: Pick<UsersTable, 'id' | 'updated_at' | keyof typeof PROFILE>) =>
    db
      .updateTable('users')
      .set(columns(row, 'first_name last_name zip_code state city address address2 updated_at'))
      .where('id', '=', row.id),
);

const setPhone = prepare(
  (db, row: Pick<UsersTable, 'id' | 'cell_phone' | 'cell_phone_verified_at' | 'updated_at'>) =>
    db
      .updateTable('users')
      .set(columns(row, 'cell_phone cell_phone_verified_at updated_at'))
      .where('id', '=', row.id),
);

const verificationSince = prepare((db, row: PhoneVerificationsTable) =>
  db
    .selectFrom('phone_verifications')
    .select('verified_at')
    .where('user_id', '=', row.user_id)
    .where('phone', '=', row.phone)
    .where('verified_at', '>', row.verified_at),
);

const numberSince = prepare((db, row: NumberVerificationsTable) =>
  db
    .selectFrom('number_verifications')
    .select('verified_at')
    .where('token_id', '=', row.token_id)
    .where('phone', '=', row.phone)
    .where('verified_at', '>', row.verified_at),
);
