import { sql } from 'kysely';
import { canonicalKey } from '../../domain/values/keys.ts';
import type { UsersTable } from '../../store/tables/tables.ts';
import { at, column, equals, type Fields, type Filter, type Kind } from '../kind.ts';
import { flag, instant, nullable, text } from '../schema.ts';
import { createdBetween, wordsIn } from './shared.ts';

const fields: Fields<UsersTable> = {
  id: column(text('The id by which calls name the user.'), 'id'),
  isRegistered: { schema: flag('Whether the user may send mail.'), of: ({ registered }) => registered === 1 },
  name: column(nullable(text('Shown as the sender of mails.')), 'name'),
  email: column(nullable(text('Where answers to mails go.')), 'email'),
  firstName: column(nullable(text('')), 'first_name'),
  lastName: column(nullable(text('')), 'last_name'),
  zipCode: column(nullable(text('')), 'zip_code'),
  state: column(nullable(text('State or province.')), 'state'),
  city: column(nullable(text('')), 'city'),
  address: column(nullable(text('')), 'address'),
  address2: column(nullable(text('')), 'address2'),
  cellPhone: column(nullable(text('In normal form.')), 'cell_phone'),
  cellPhoneVerifiedAt: at(nullable(instant('When that number was verified last.')), 'cell_phone_verified_at'),
  blockedAt: at(nullable(instant('Blocked by a moderator since then.')), 'blocked_at'),
  createdAt: at(instant('When a call first named the user, or an operator registered them.'), 'created_at'),
  updatedAt: at(instant('When they were changed last.'), 'updated_at'),
};

const registered: Filter = {
  schema: flag('Only those who may send mail; `false`: only those who were merely named.'),
  condition: (value) =>
    value === true
      ? { sql: sql<boolean>`users.registered = 1`, indexed: true }
      : { sql: sql<boolean>`users.registered = 0`, indexed: false },
};

const blocked: Filter = {
  schema: flag('Only those who are blocked; `false`: only the others.'),
  condition: (value) =>
    value === true
      ? { sql: sql<boolean>`users.blocked_at is not null`, indexed: true }
      : { sql: sql<boolean>`users.blocked_at is null`, indexed: false },
};

export const USERS: Kind<UsersTable> = {
  name: 'users',
  title: 'User',
  key: { name: 'id', column: 'users.id', canonical: canonicalKey },
  from: 'users',
  columns: `users.id, registered, name, email, first_name, last_name, zip_code, state, city, address, address2,
    cell_phone, cell_phone_verified_at, blocked_at, created_at, updated_at`,
  orders: {
    created: [
      { sql: 'users.created_at', type: 'number' },
      { sql: 'users.id', type: 'string' },
    ],
    id: [{ sql: 'users.id', type: 'string' }],
  },
  sort: '-created',
  filters: {
    email: {
      schema: text('Only those with this e-mail address.'),
      condition: (value) => ({
        // The index has those with an address, which SQLite is to be told.
        sql: sql<boolean>`users.email is not null and lower(users.email) = lower(${value})`,
        indexed: true,
      }),
    },
    cellPhone: equals(text('Only those with this number, in normal form.'), 'users.cell_phone'),
    blocked,
    registered,
    ...createdBetween('users.created_at'),
  },
  search: {
    description: 'Only those with these words in id, names, e-mail address, phone number or place.',
    condition: wordsIn(
      'users.id',
      'users.name',
      'users.email',
      'users.first_name',
      'users.last_name',
      'users.cell_phone',
      'users.city',
    ),
  },
  fields,
};
