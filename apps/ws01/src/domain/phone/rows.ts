import { deleteExpired } from '../../store/delete-expired.ts';
import { columns, prepare } from '../../store/prepared.ts';
import { lockRows } from '../../store/row-lock.ts';
import type {
  Instant,
  NumberVerificationsTable,
  PhoneCodesTable,
} from '../../store/tables/tables.ts';

/** Prepared queries of phone verification. Each runs inside a write. */

type Holder = Pick<PhoneCodesTable, 'user_id' | 'phone'>;

/** Replaces the holder's code. */
export const replaceCode = prepare((db, row: Omit<PhoneCodesTable, 'attempts'>) =>
  db
    .insertInto('phone_codes')
    .values({
      ...columns(row, 'user_id phone id key_id hash'),
      attempts: 0,
      expires_at: row.expires_at,
    })
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'phone']).doUpdateSet((eb) => ({
        id: eb.ref('excluded.id'),
        key_id: eb.ref('excluded.key_id'),
        hash: eb.ref('excluded.hash'),
        attempts: 0,
        expires_at: eb.ref('excluded.expires_at'),
      })),
    ),
);

/** Counts an attempt for a code that is valid and has attempts left. */
export const countAttempt = prepare((db, row: Holder & { now: Instant; most: number }) =>
  db
    .updateTable('phone_codes')
    .set((eb) => ({ attempts: eb('attempts', '+', 1) }))
    .where('user_id', '=', row.user_id)
    .where('phone', '=', row.phone)
    .where('attempts', '<', row.most)
    .where('expires_at', '>', row.now)
    .returning(['id', 'key_id', 'hash', 'attempts']),
);

export const codeOf = prepare((db, row: Holder) =>
  db
    .selectFrom('phone_codes')
    .select(['expires_at', 'attempts'])
    .where('user_id', '=', row.user_id)
    .where('phone', '=', row.phone),
);

/** Locks the row of a user until the write ends. */
export const lockUser = prepare((db, row: Pick<Holder, 'user_id'>) =>
  db.selectFrom('users').select('id').where('id', '=', row.user_id).$call(lockRows(db)),
);

/** Deletes a code that is used up; changes no row when a newer one has replaced it. */
export const deleteCode = prepare((db, row: Holder & Pick<PhoneCodesTable, 'id'>) =>
  db
    .deleteFrom('phone_codes')
    .where('user_id', '=', row.user_id)
    .where('phone', '=', row.phone)
    .where('id', '=', row.id),
);

export const markVerified = prepare((db, row: Holder & { verified_at: Instant }) =>
  db
    .insertInto('phone_verifications')
    .values({ user_id: row.user_id, phone: row.phone, verified_at: row.verified_at })
    .onConflict((conflict) =>
      conflict
        .columns(['user_id', 'phone'])
        .doUpdateSet((eb) => ({ verified_at: eb.ref('excluded.verified_at') })),
    ),
);

/** Marks the user's own number as verified, if it is this one. */
export const markUserVerified = prepare((db, row: Holder & { verified_at: Instant }) =>
  db
    .updateTable('users')
    .set({ cell_phone_verified_at: row.verified_at })
    .where('id', '=', row.user_id)
    .where('cell_phone', '=', row.phone),
);

export const deleteCodes = deleteExpired('phone_codes', ['user_id', 'phone'], 'expires_at');

/** Records a number that a back end verified without a user. */
export const markNumberVerified = prepare((db, row: NumberVerificationsTable) =>
  db
    .insertInto('number_verifications')
    .values({ token_id: row.token_id, phone: row.phone, verified_at: row.verified_at })
    .onConflict((conflict) =>
      conflict
        .columns(['token_id', 'phone'])
        .doUpdateSet((eb) => ({ verified_at: eb.ref('excluded.verified_at') })),
    ),
);

export const deleteNumbers = deleteExpired(
  'number_verifications',
  ['token_id', 'phone'],
  'verified_at',
);
