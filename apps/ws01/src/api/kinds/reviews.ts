import { sql } from 'kysely';
import { ratingToNumber } from '../../domain/reviews/opinion.ts';
import { canonicalKey } from '../../domain/values/keys.ts';
import type { ReviewsTable } from '../../store/tables/tables.ts';
import { column, equals, type Fields, type Kind } from '../kind.ts';
import { flag, nullable, number, text, word } from '../schema.ts';
import { createdBetweenKeys, moderatedFields, moderationFilter, stateOf } from './shared.ts';

const USER = 'user:';

const fields: Fields<ReviewsTable> = {
  id: column(text('The key of the review.'), 'id'),
  subject: column(text('Key of whatever is reviewed.'), 'subject'),
  userId: {
    schema: nullable(text('Who reviews; null for somebody known by their address.')),
    of: ({ voter }) => (voter.startsWith(USER) ? voter.slice(USER.length) : null),
  },
  isPositive: {
    schema: nullable(flag('The vote; null for none.')),
    of: ({ positive }) => (positive === null ? null : positive === 1),
  },
  mark: {
    schema: nullable({ ...number('The rating, on the scale of REVIEW_SCALE; null for none.') }),
    of: ({ rating }) => (rating === null ? null : ratingToNumber(rating)),
  },
  remark: column(nullable(text('What it says in words; null for nothing.')), 'remark'),
  state: {
    schema: word(
      'What moderators said of it; only what is published counts.',
      'published',
      'held',
      'removed',
    ),
    of: (row) => stateOf(row, 'published'),
  },
  ...moderatedFields<ReviewsTable>(),
  ip: column(text('The observed address of the client that submitted it last.'), 'ip'),
  claimedIp: column(nullable(text('The address that the call named.')), 'claimed_ip'),
};

export const REVIEWS: Kind<ReviewsTable> = {
  name: 'reviews',
  title: 'Review',
  key: { name: 'id', column: 'reviews.id', canonical: canonicalKey },
  from: 'reviews',
  columns: `reviews.id, subject, voter, positive, rating, remark, ip, claimed_ip, created_at, updated_at, held_at,
    removed_at`,
  orders: { created: [{ sql: 'reviews.id', type: 'string' }] },
  sort: '-created',
  filters: {
    subject: equals(text('Only those of this record.'), 'reviews.subject', canonicalKey),
    userId: equals(
      text('Only those of this user.'),
      'reviews.voter',
      (user) => USER + canonicalKey(user),
    ),
    state: moderationFilter('reviews', {
      sql: sql<boolean>`reviews.held_at is null and reviews.removed_at is null`,
      indexed: false,
    }),
    ...createdBetweenKeys('reviews.id'),
  },
  search: {
    description: 'Only those with these words in remark, subject, voter or address.',
    members: {
      remark: 'reviews.remark',
      subject: 'reviews.subject',
      userId: 'reviews.voter',
      ip: 'reviews.ip',
    },
  },
  fields,
};
