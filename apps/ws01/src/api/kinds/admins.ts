import type { AdminsTable, Instant } from '../../store/tables/tables.ts';
import { at, column, type Fields, type Kind, shownInstant } from '../kind.ts';
import { flag, instant, integer, nullable, text, word } from '../schema.ts';

interface AdminRow
  extends Pick<AdminsTable, 'id' | 'name' | 'role' | 'created_at' | 'signed_in_at'> {
  readonly has_password: number | boolean;
  readonly passkeys: number | string;
  readonly sessions: number | string;
  readonly link_until: Instant | null;
}

export const ADMIN_ROLES = ['owner', 'moderator', 'reader'] as const;

const fields: Fields<AdminRow> = {
  id: column(text('The key of the account.'), 'id'),
  name: column(text('By which the person signs in.'), 'name'),
  role: column(word('What the person may do.', ...ADMIN_ROLES), 'role'),
  hasPassword: {
    schema: flag('Whether a password is set.'),
    of: ({ has_password }) => Number(has_password) === 1,
  },
  passkeys: {
    schema: integer('How many passkeys there are.'),
    of: ({ passkeys }) => Number(passkeys),
  },
  sessions: {
    schema: integer('How many sessions there are.'),
    of: ({ sessions }) => Number(sessions),
  },
  signedInAt: at(nullable(instant('When the person signed in last.')), 'signed_in_at'),
  linkUntil: {
    schema: nullable(
      instant('Until when a link to set up a way in is good; null when none is out.'),
    ),
    of: ({ link_until }, { now }) =>
      link_until === null || Number(link_until) <= now ? null : shownInstant(link_until),
  },
  createdAt: at(instant('When the account was made.'), 'created_at'),
};

const count = (table: string) =>
  `(select count(*) from ${table} where admin_id = admins.id) as ${table.slice(6)}`;

/** People who may use the console. */
export const ADMINS: Kind<AdminRow> = {
  name: 'admins',
  title: 'Admin',
  key: { name: 'id', column: 'admins.id' },
  from: 'admins',
  columns: `admins.id, name, role, created_at, signed_in_at, case when password is null then 0 else 1 end as has_password,
    ${count('admin_passkeys')}, ${count('admin_sessions')},
    (select expires_at from admin_links where admin_id = admins.id) as link_until`,
  orders: {
    name: [
      { sql: 'admins.name_key', type: 'string' },
      { sql: 'admins.id', type: 'string' },
    ],
  },
  sort: 'name',
  filters: {},
  fields,
};
