import { sql } from 'kysely';
import { LENGTHS } from '../contract/parameters.ts';
import type { Instant, LegalHoldsTable, UsersTable } from '../store/tables/tables.ts';
import { byCreation, byText, createdBetween, equals } from './conditions.ts';
import type { Condition, Filter } from './list.ts';
import {
  type Listing,
  MADE,
  type Member,
  member,
  REQUIRED,
  type RecordOf,
  type Travelling,
  worked,
} from './record.ts';
import * as types from './types.ts';

export interface UserRow extends UsersTable {
  readonly hold_at: Instant | null;
  readonly hold_until: Instant | null;
  readonly hold_by: string | null;
  readonly hold_reason: string | null;
  /** Read of a single user alone. */
  readonly has_content?: number;
}

/** A member of the user's legal hold; null if no hold is in force. */
function ofHold(
  type: types.MemberType,
  about: string,
  named: 'hold_at' | 'hold_until' | 'hold_by' | 'hold_reason',
): Member<UserRow> {
  const of: Member<UserRow>['of'] = ({ hold_until, [named]: value }, { now }) =>
    value == null || (hold_until != null && Number(hold_until) <= now) ? null : type.write(value);
  return worked(type, about, of, { absent: null, detail: true, role: 'owner', changes: false });
}

const inHold = (column: string, name: string) =>
  `(select ${column} from legal_holds where legal_holds.user_id = users.id) as ${name}`;

/** Whether anything that a user wrote is not taken down. */
const HAS_CONTENT = `case when ${[
  ...['articles', 'adverts', 'images'].map((table) => [table, 'owner', 'users.id'] as const),
  ['reviews', 'voter', `'user:' || users.id`] as const,
]
  .map(
    ([table, owner, user]) =>
      `exists (select 1 from ${table} as t where t.${owner} = ${user} and t.removed_at is null)`,
  )
  .join(' or ')} then 1 else 0 end as has_content`;

/** Members that tell who the person is and where. */
const PERSON = { private: true } as const;

/** A filter by a condition that an index finds, or by its contrary. */
const whether = (about: string, yes: Condition['sql'], no: Condition['sql']): Filter => ({
  about,
  type: types.flag,
  exact: 'each',
  condition: (value) =>
    value === true ? { sql: yes, indexed: true } : { sql: no, indexed: false },
});

/** People who own something, or may send mail. */
export const USERS = {
  table: 'users',
  name: 'users',
  title: 'User',
  key: 'id',
  members: {
    id: member('id', types.key, 'The id by which calls name the user.', REQUIRED),
    isRegistered: member('registered', types.flag, 'Whether the user may send mail.', {
      absent: 0,
      portable: 'registered',
    }),
    name: member('name', types.line(LENGTHS.name), 'Shown as the sender of mails.', PERSON),
    email: member('email', types.line(320), 'Where answers to mails go.', PERSON),
    firstName: member('first_name', types.text(LENGTHS.name), 'First name.', PERSON),
    lastName: member('last_name', types.text(LENGTHS.name), 'Last name.', PERSON),
    zipCode: member('zip_code', types.text(LENGTHS.zip), 'Postal code.', PERSON),
    state: member('state', types.text(LENGTHS.place), 'State or province.', PERSON),
    city: member('city', types.text(LENGTHS.place), 'City.', PERSON),
    address: member('address', types.text(LENGTHS.address), 'First line of the address.', PERSON),
    address2: member(
      'address2',
      types.text(LENGTHS.address),
      'Second line of the address.',
      PERSON,
    ),
    cellPhone: member('cell_phone', types.line(LENGTHS.contactPhone), 'In normal form.', {
      ...PERSON,
      isPhone: true,
    }),
    cellPhoneVerifiedAt: member(
      'cell_phone_verified_at',
      types.instant,
      'When that number was verified last.',
      PERSON,
    ),
    blockedAt: member('blocked_at', types.instant, 'Blocked by a moderator since then.'),
    heldAt: ofHold(
      types.instant,
      'Under a legal hold since then: the data cannot be erased.',
      'hold_at',
    ),
    heldUntil: ofHold(types.instant, 'When that hold ends by itself.', 'hold_until'),
    heldBy: ofHold(types.text(), 'Who set it.', 'hold_by'),
    heldReason: ofHold(types.text(), 'Why.', 'hold_reason'),
    hasContent: worked(
      types.flag,
      'Whether anything that the user wrote is not taken down.',
      ({ has_content }) => Number(has_content) === 1,
      { detail: true, changes: false },
    ),
    createdAt: member(
      'created_at',
      types.instant,
      'When a call first named the user, or an operator registered them.',
      REQUIRED,
    ),
    updatedAt: member('updated_at', types.instant, 'When they were changed last.', MADE),
  },
  readsInDetail: [
    inHold('set_at', 'hold_at'),
    inHold('until', 'hold_until'),
    inHold('set_by', 'hold_by'),
    inHold('reason', 'hold_reason'),
    HAS_CONTENT,
  ].join(', '),
  layout: {
    columns: ['id', 'name', 'email', 'cellPhone', 'isRegistered', 'createdAt'],
    called: ['name', 'firstName lastName', 'id'],
  },
  orders: { created: byCreation('users', 'id'), id: byText('users.id') },
  sort: '-created',
  filters: {
    email: {
      about: 'Only those with this e-mail address.',
      type: types.text(),
      condition: (value) => ({
        // SQLite uses the partial index of users with an address only if the query repeats its
        // condition.
        sql: sql<boolean>`users.email is not null and lower(users.email) = lower(${value})`,
        indexed: true,
      }),
      order: { by: 'lower(users.email)', without: { column: 'users.email', indexed: false } },
    },
    cellPhone: equals(
      'Only those with this number, in normal form.',
      'users.cell_phone',
      undefined,
      { column: 'users.cell_phone', indexed: false },
    ),
    held: {
      about: 'Only those under a legal hold; `false`: only the others.',
      type: types.flag,
      tells: 'heldAt',
      condition: (value, now) => {
        const holds = sql`(select user_id from legal_holds where until is null or until > ${now})`;
        return value === true
          ? { sql: sql<boolean>`users.id in ${holds}`, indexed: true }
          : { sql: sql<boolean>`users.id not in ${holds}`, indexed: false };
      },
    },
    blocked: whether(
      'Only those who are blocked; `false`: only the others.',
      sql<boolean>`users.blocked_at is not null`,
      sql<boolean>`users.blocked_at is null`,
    ),
    registered: whether(
      'Only those who may send mail; `false`: only those who were merely named.',
      sql<boolean>`users.registered = 1`,
      sql<boolean>`users.registered = 0`,
    ),
    ...createdBetween('users.created_at'),
  },
  searched: ['id', 'name', 'email', 'firstName', 'lastName', 'cellPhone', 'city'],
  portable: { file: 'users', about: 'Whoever owns something, or may send mail.', key: ['id'] },
  personal: { of: ({ id }) => sql<boolean>`id = ${id}`, fate: 'deleted' },
} as const satisfies Listing<UserRow> & Travelling<UserRow>;

/** Users whose data must be kept for now. */
export const LEGAL_HOLDS = {
  table: 'legal_holds',
  members: {
    userId: member('user_id', types.key, 'Key of the user.', REQUIRED),
    heldAt: member('set_at', types.instant, 'When it was set.', REQUIRED),
    heldUntil: member('until', types.instant, 'When it ends by itself.'),
    heldBy: member('set_by', types.text(), 'Who set it.', REQUIRED),
    heldReason: member('reason', types.text(), 'Why.', REQUIRED),
  },
  personal: { of: ({ id }) => sql<boolean>`user_id = ${id}`, fate: 'deleted' },
} as const satisfies RecordOf<LegalHoldsTable>;
