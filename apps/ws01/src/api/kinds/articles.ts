import { sql } from 'kysely';
import { isPublished } from '../../domain/articles/content.ts';
import { isPublic } from '../../domain/shared/moderated.ts';
import { canonicalKey } from '../../domain/values/keys.ts';
import type { ArticlesTable } from '../../store/tables/tables.ts';
import { at, column, equals, type Fields, type Kind } from '../kind.ts';
import type { Condition } from '../list-query.ts';
import { flag, instant, integer, nullable, text, word } from '../schema.ts';
import { byCreation, createdBetween, moderatedFields, stateOf } from './shared.ts';

type Row = ArticlesTable;

const STATES = ['published', 'draft', 'pending', 'hidden', 'trash', 'held', 'removed'] as const;

/** The state of those that wait for a moderator: pending, and neither held, removed nor in the trash. */
const WAITING = 'waiting';

const UNTOUCHED: Condition = {
  sql: sql<boolean>`articles.deleted_at is null and articles.held_at is null and articles.removed_at is null`,
  indexed: false,
};

/** Condition: the article is public. */
export const PUBLIC_ARTICLE = sql<boolean>`articles.status not in (1, 2, 3) and articles.deleted_at is null
  and articles.held_at is null and articles.removed_at is null`;

const STATUS = { draft: 1, pending: 2, hidden: 3 } as const;

function inState(state: (typeof STATES)[number]): Condition {
  switch (state) {
    case 'published':
      return { sql: PUBLIC_ARTICLE, indexed: false };
    case 'draft':
    case 'pending':
    case 'hidden':
      // SQLite uses the index on `status <> 0` only if the query repeats that condition.
      return {
        sql: sql<boolean>`articles.status <> 0 and articles.status = ${STATUS[state]}`,
        indexed: true,
      };
    case 'trash':
      return { sql: sql<boolean>`articles.deleted_at is not null`, indexed: true };
    case 'held':
      return { sql: sql<boolean>`articles.held_at is not null`, indexed: true };
    case 'removed':
      return { sql: sql<boolean>`articles.removed_at is not null`, indexed: true };
  }
}

const fields: Fields<Row> = {
  guid: column(text('The key.'), 'guid'),
  caption: column(text('Headline; may be empty.'), 'caption'),
  content: { ...column<Row>(text('Text of the article; may be empty.'), 'content'), detail: true },
  categoryGuid: column(nullable(text('Category.')), 'category_key'),
  contactPhone: column(text('Phone number to show; may be empty.'), 'contact_phone'),
  pinnedTopDueDate: at(nullable(instant('Pinned to the top until then.')), 'pinned_until'),
  isPinned: {
    schema: flag('Whether it is pinned to the top now.'),
    of: ({ pinned_until }, { now }) => pinned_until !== null && now < pinned_until,
  },
  createUserId: column(nullable(text('The owner.')), 'owner'),
  iconGuid: column(nullable(text('Key of the image that is its icon.')), 'icon_guid'),
  status: column(
    integer('0 published, 1 draft, 2 pending, 3 hidden; every other number is published.'),
    'status',
  ),
  fromUrl: column(text('Where the article came from; may be empty.'), 'from_url'),
  state: {
    schema: word('What became of it; the first that is true from the right.', ...STATES),
    of: (row) => stateOf(row, row.deleted_at === null ? authorsState(row) : 'trash'),
  },
  isPublic: {
    schema: flag('Whether the public may see it.'),
    of: (row) => isPublic(row) && isPublished(row) && row.deleted_at === null,
  },
  revision: column(integer('1 at creation, one more with each change of content.'), 'revision'),
  ...moderatedFields<Row>(),
  deletedAt: at(nullable(instant('In the trash since then.')), 'deleted_at'),
  ip: column(nullable(text('The address that the last content came from.')), 'ip'),
  claimedIp: column(
    nullable(text('The address that the call named and that is not believed.')),
    'claimed_ip',
  ),
  tokenId: {
    ...column<Row>(nullable(text('The token that wrote it.')), 'token_id'),
    private: true,
  },
};

function authorsState({ status }: Pick<Row, 'status'>): string {
  return STATES[status === 1 || status === 2 || status === 3 ? status : 0]!;
}

const key = { name: 'guid', column: 'articles.guid', canonical: canonicalKey };

export const ARTICLES: Kind<Row> = {
  name: 'articles',
  title: 'Article',
  key,
  from: 'articles',
  columns: `articles.guid, owner, caption, category_key, contact_phone, pinned_until, icon_guid, status, from_url, ip,
    claimed_ip, token_id, created_at, updated_at, deleted_at, held_at, removed_at, revision`,
  detailColumns: 'content',
  orders: {
    created: byCreation('articles', 'guid'),
  },
  sort: '-created',
  filters: {
    createUserId: equals(text('Only those of this owner.'), 'articles.owner', canonicalKey),
    categoryGuid: equals(
      text('Only those of this category.'),
      'articles.category_key',
      canonicalKey,
    ),
    state: {
      schema: word(
        'Only those in this state, whatever else they are; `waiting`: pending and nothing else.',
        ...STATES,
        WAITING,
      ),
      condition: (state) =>
        state === WAITING
          ? [inState('pending'), UNTOUCHED]
          : inState(state as (typeof STATES)[number]),
    },
    ...createdBetween('articles.created_at'),
  },
  search: {
    description:
      'Only those with these words in caption, key, owner, category, phone number or address.',
    members: {
      caption: 'articles.caption',
      guid: 'articles.guid',
      createUserId: 'articles.owner',
      categoryGuid: 'articles.category_key',
      contactPhone: 'articles.contact_phone',
      ip: 'articles.ip',
    },
  },
  fields,
};
