import { sql } from 'kysely';
import { LENGTHS } from '../contract/parameters.ts';
import { canonicalKey } from '../domain/values/keys.ts';
import type { ReviewsTable, Tables } from '../store/tables/tables.ts';
import { MODERATED } from './common.ts';
import {
  byText,
  createdBetweenKeys,
  equals,
  STANDING,
  standingFilter,
  stateOf,
} from './conditions.ts';
import { recordsOf, voterOf } from './persons.ts';
import {
  EMPTY,
  type Listing,
  MADE,
  member,
  REQUIRED,
  type RecordOf,
  type Travelling,
  worked,
} from './record.ts';
import * as types from './types.ts';

const USER = 'user:';

/** What people think of anything that has a key. */
export const REVIEWS = {
  table: 'reviews',
  name: 'reviews',
  title: 'Review',
  key: 'id',
  members: {
    id: member('id', types.key, 'The key of the review.', MADE),
    subject: member('subject', types.key, 'Key of whatever is reviewed.', REQUIRED),
    voter: member(
      'voter',
      types.pattern('(?:user|address):.{1,64}', '`user:` and a key, or `address:` and a network'),
      'Whose it is.',
      { ...REQUIRED, internal: true },
    ),
    userId: member('voter', types.key, 'Who reviews; null for somebody known by their address.', {
      portable: false,
      of: ({ voter }) => (voter.startsWith(USER) ? voter.slice(USER.length) : null),
    }),
    isPositive: member('positive', types.flag, 'The vote; null for none.', {
      portable: 'positive',
    }),
    mark: member(
      'rating',
      types.hundredths,
      'The rating, on the scale of REVIEW_SCALE; null for none.',
      { portable: 'rating' },
    ),
    remark: member('remark', types.text(LENGTHS.mark), 'What it says in words; null for nothing.'),
    state: worked(STANDING, 'What moderators said of it; only what is published counts.', (row) =>
      stateOf(row, 'published'),
    ),
    ...MODERATED,
    ip: member(
      'ip',
      types.address,
      'The observed address of the client that submitted it last.',
      EMPTY,
    ),
    claimedIp: member('claimed_ip', types.text(LENGTHS.url), 'The address that the call named.'),
  },
  layout: {
    columns: ['remark', 'state', 'mark', 'isPositive', 'subject', 'userId', 'createdAt'],
    called: ['remark', 'subject'],
  },
  orders: { created: byText('reviews.id') },
  sort: '-created',
  filters: {
    subject: 'Only those of this record.',
    userId: equals(
      'Only those of this user.',
      'reviews.voter',
      (user) => USER + canonicalKey(user),
    ),
    state: standingFilter('reviews', {
      sql: sql<boolean>`reviews.held_at is null and reviews.removed_at is null`,
      indexed: false,
    }),
    ...createdBetweenKeys('reviews.id'),
  },
  searched: ['remark', 'subject', 'userId', 'ip'],
  portable: {
    file: 'reviews',
    about: 'What people think of anything that has a key, one of each voter.',
    key: ['subject', 'voter'],
  },
  personal: {
    of: (person) => sql<boolean>`(voter = ${voterOf(person)} or subject in (${recordsOf(person)}))`,
    fate: 'deleted',
    // Reviews by others are in the export of their authors.
    given: (person) => sql<boolean>`voter = ${voterOf(person)}`,
    keys: ['id'],
  },
} as const satisfies Listing<ReviewsTable> & Travelling<ReviewsTable>;

/** The totals of a subject, which are worked out of its reviews. */
export const REVIEW_TALLIES = {
  table: 'review_tallies',
  members: {},
  personal: {
    of: (person) => sql<boolean>`subject in (${recordsOf(person)})`,
    fate: 'deleted',
    given: false,
    keys: ['subject'],
  },
} as const satisfies RecordOf<Tables['review_tallies']>;
