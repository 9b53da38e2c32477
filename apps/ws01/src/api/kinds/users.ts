import { sql } from 'kysely';
import { canonicalKey } from '../../domain/values/keys.ts';
import type { Instant, UsersTable } from '../../store/tables/tables.ts';
import {
  at,
  column,
  equals,
  type Field,
  type Fields,
  type Filter,
  type Kind,
  shownInstant,
} from '../kind.ts';
import { flag, instant, nullable, type Schema, text } from '../schema.ts';
import { byCreation, createdBetween } from './shared.ts';

interface UserRow extends UsersTable {
  readonly hold_at: Instant | null;
  readonly hold_until: Instant | null;
  readonly hold_by: string | null;
  readonly hold_reason: string | null;
}

/** A member of the user's legal hold; null if no hold is in force. */
function heldField(schema: Schema, of: (row: UserRow) => unknown): Field<UserRow> {
  return {
    schema,
    of: (row, { now }) =>
      row.hold_until != null && Number(row.hold_until) <= now ? null : (of(row) ?? null),
    detail: true,
    role: 'owner',
  };
}

const ofHold = (column: string, name: string) =>
  `(select ${column} from legal_holds where legal_holds.user_id = users.id) as ${name}`;

/** A member that tells who the person is and where. */
const ofPerson = (field: Field<UserRow>): Field<UserRow> => ({ ...field, private: true });

const fields: Fields<UserRow> = {
  id: column(text('The id by which calls name the user.'), 'id'),
  isRegistered: {
    schema: flag('Whether the user may send mail.'),
    of: ({ registered }) => registered === 1,
  },
  name: ofPerson(column(nullable(text('Shown as the sender of mails.')), 'name')),
  email: ofPerson(column(nullable(text('Where answers to mails go.')), 'email')),
  firstName: ofPerson(column(nullable(text('')), 'first_name')),
  lastName: ofPerson(column(nullable(text('')), 'last_name')),
  zipCode: ofPerson(column(nullable(text('')), 'zip_code')),
  state: ofPerson(column(nullable(text('State or province.')), 'state')),
  city: ofPerson(column(nullable(text('')), 'city')),
  address: ofPerson(column(nullable(text('')), 'address')),
  address2: ofPerson(column(nullable(text('')), 'address2')),
  cellPhone: ofPerson(column(nullable(text('In normal form.')), 'cell_phone')),
  cellPhoneVerifiedAt: ofPerson(
    at(nullable(instant('When that number was verified last.')), 'cell_phone_verified_at'),
  ),
  blockedAt: at(nullable(instant('Blocked by a moderator since then.')), 'blocked_at'),
  heldAt: heldField(
    nullable(instant('Under a legal hold since then: the data cannot be erased.')),
    (row) => shownInstant(row.hold_at),
  ),
  heldUntil: heldField(nullable(instant('When that hold ends by itself.')), (row) =>
    shownInstant(row.hold_until),
  ),
  heldBy: heldField(nullable(text('Who set it.')), (row) => row.hold_by),
  heldReason: heldField(nullable(text('Why.')), (row) => row.hold_reason),
  createdAt: at(
    instant('When a call first named the user, or an operator registered them.'),
    'created_at',
  ),
  updatedAt: at(instant('When they were changed last.'), 'updated_at'),
};

const registered: Filter = {
  schema: flag('Only those who may send mail; `false`: only those who were merely named.'),
  condition: (value) =>
    value === true
      ? { sql: sql<boolean>`users.registered = 1`, indexed: true }
      : { sql: sql<boolean>`users.registered = 0`, indexed: false },
};

const held: Filter = {
  tells: 'heldAt',
  schema: flag('Only those under a legal hold; `false`: only the others.'),
  condition: (value, now) => {
    const holds = sql`(select user_id from legal_holds where until is null or until > ${now})`;
    return value === true
      ? { sql: sql<boolean>`users.id in ${holds}`, indexed: true }
      : { sql: sql<boolean>`users.id not in ${holds}`, indexed: false };
  },
};

const blocked: Filter = {
  schema: flag('Only those who are blocked; `false`: only the others.'),
  condition: (value) =>
    value === true
      ? { sql: sql<boolean>`users.blocked_at is not null`, indexed: true }
      : { sql: sql<boolean>`users.blocked_at is null`, indexed: false },
};

export const USERS: Kind<UserRow> = {
  name: 'users',
  title: 'User',
  key: { name: 'id', column: 'users.id', canonical: canonicalKey },
  from: 'users',
  columns: `users.id, registered, name, email, first_name, last_name, zip_code, state, city, address, address2,
    cell_phone, cell_phone_verified_at, blocked_at, created_at, updated_at`,
  detailColumns: `${ofHold('set_at', 'hold_at')}, ${ofHold('until', 'hold_until')}, ${ofHold('set_by', 'hold_by')},
    ${ofHold('reason', 'hold_reason')}`,
  orders: {
    created: byCreation('users', 'id'),
    id: [{ sql: 'users.id', type: 'string' }],
  },
  sort: '-created',
  filters: {
    email: {
      schema: text('Only those with this e-mail address.'),
      condition: (value) => ({
        // SQLite uses the partial index of users with an address only if the query repeats its condition.
        sql: sql<boolean>`users.email is not null and lower(users.email) = lower(${value})`,
        indexed: true,
      }),
    },
    cellPhone: equals(text('Only those with this number, in normal form.'), 'users.cell_phone'),
    held,
    blocked,
    registered,
    ...createdBetween('users.created_at'),
  },
  search: {
    description: 'Only those with these words in id, names, e-mail address, phone number or place.',
    members: {
      id: 'users.id',
      name: 'users.name',
      email: 'users.email',
      firstName: 'users.first_name',
      lastName: 'users.last_name',
      cellPhone: 'users.cell_phone',
      city: 'users.city',
    },
  },
  fields,
};
