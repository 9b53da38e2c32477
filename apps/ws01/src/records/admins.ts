import { ROLES } from '../contract/roles.ts';
import type { AdminsTable, Instant } from '../store/tables/tables.ts';
import { byText } from './conditions.ts';
import { type Listing, member, REQUIRED, worked } from './record.ts';
import * as types from './types.ts';

export interface AdminRow extends AdminsTable {
  readonly has_password: number | boolean;
  readonly passkeys: number | string;
  readonly sessions: number | string;
  readonly link_until: Instant | null;
}

const count = (table: string) =>
  `(select count(*) from ${table} where admin_id = admins.id) as ${table.slice(6)}`;

/** People who may use the console. */
export const ADMINS = {
  table: 'admins',
  name: 'admins',
  title: 'Admin',
  key: 'id',
  members: {
    id: member('id', types.key, 'The key of the account.', REQUIRED),
    name: member('name', types.text(), 'By which the person signs in.', REQUIRED),
    role: member('role', types.word(...ROLES), 'What the person may do.', REQUIRED),
    hasPassword: worked(
      types.flag,
      'Whether a password is set.',
      ({ has_password }) => Number(has_password) === 1,
    ),
    passkeys: worked(types.count, 'How many passkeys there are.', ({ passkeys }) =>
      Number(passkeys),
    ),
    sessions: worked(types.count, 'How many sessions there are.', ({ sessions }) =>
      Number(sessions),
    ),
    signedInAt: member('signed_in_at', types.instant, 'When the person signed in last.', {
      changes: true,
    }),
    linkUntil: worked(
      types.instant,
      'Until when a link to set up a way in is good; null when none is out.',
      ({ link_until }, { now }) =>
        link_until === null || Number(link_until) <= now ? null : types.instant.write(link_until),
      { absent: null },
    ),
    createdAt: member('created_at', types.instant, 'When the account was made.', REQUIRED),
  },
  reads: `case when password is null then 0 else 1 end as has_password,
    ${count('admin_passkeys')}, ${count('admin_sessions')},
    (select expires_at from admin_links where admin_id = admins.id) as link_until`,
  layout: { columns: ['name', 'role', 'sessions', 'signedInAt', 'linkUntil'], called: ['name'] },
  orders: { name: byText('admins.name_key') },
  sort: 'name',
  filters: {},
} as const satisfies Listing<AdminRow>;
