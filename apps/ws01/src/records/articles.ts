import { sql } from 'kysely';
import { LENGTHS } from '../contract/parameters.ts';
import type {
  ArticleContent,
  ArticlesTable,
  ArticleWriter,
  Instant,
} from '../store/tables/tables.ts';
import { MODERATED, writerMembers } from './common.ts';
import { byCreation, createdBetween, stateOf } from './conditions.ts';
import { iconOf, iconUrl } from './images.ts';
import type { Condition } from './list.ts';
import { articlesOf } from './persons.ts';
import {
  EMPTY,
  type Listing,
  type Members,
  member,
  REQUIRED,
  type Travelling,
  worked,
} from './record.ts';
import * as types from './types.ts';

const STATES = ['published', 'draft', 'pending', 'hidden', 'trash', 'held', 'removed'] as const;
type State = (typeof STATES)[number];

/**
 * The state of those that wait for a moderator: pending, and neither held, removed nor in the
 * trash.
 */
const WAITING = 'waiting';

const UNTOUCHED: Condition = {
  sql: sql<boolean>`articles.deleted_at is null and articles.held_at is null and articles.removed_at is null`,
  indexed: false,
};

/** Condition: the article is public. */
export const PUBLIC_ARTICLE = sql<boolean>`articles.status not in (1, 2, 3) and articles.deleted_at is null
  and articles.held_at is null and articles.removed_at is null`;

const STATUS = { draft: 1, pending: 2, hidden: 3 } as const;

function inState(state: State): Condition {
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

function stateOfArticle(row: ArticlesTable): string {
  const { status, deleted_at } = row;
  const authors = STATES[status === 1 || status === 2 || status === 3 ? status : 0];
  return stateOf(row, deleted_at === null ? authors : 'trash');
}

/** An article, and what its small picture is made of. */
export type ArticleRow = ArticlesTable & { readonly icon: string | null };

/** What an article says, and what of it a revision keeps. */
const CONTENT: Members<ArticleContent> = {
  caption: member('caption', types.text(LENGTHS.caption), 'Headline; may be empty.', EMPTY),
  content: member('content', types.text(LENGTHS.content), 'Text of the article; may be empty.', {
    ...EMPTY,
    detail: true,
  }),
  categoryGuid: member('category_key', types.key, 'Category.', { portable: 'category' }),
  contactPhone: member(
    'contact_phone',
    types.text(LENGTHS.contactPhone),
    'Phone number to show; may be empty.',
    { ...EMPTY, isPhone: true },
  ),
  pinnedTopDueDate: member('pinned_until', types.endOf, 'Pinned to the top until then.', {
    portable: 'pinnedUntil',
  }),
  iconGuid: member('icon_guid', types.key, 'Key of the image that is its icon.', {
    portable: 'icon',
  }),
  status: member(
    'status',
    types.int32,
    '0 published, 1 draft, 2 pending, 3 hidden; every other number is published.',
    { absent: 0 },
  ),
  fromUrl: member(
    'from_url',
    types.text(LENGTHS.url),
    'Where the article came from; may be empty.',
    EMPTY,
  ),
};

/** Articles. */
export const ARTICLES = {
  table: 'articles',
  name: 'articles',
  title: 'Article',
  key: 'guid',
  members: {
    guid: member('guid', types.key, 'The key.', REQUIRED),
    ...CONTENT,
    isPinned: worked(
      types.flag,
      'Whether it is pinned to the top now.',
      ({ pinned_until }, { now }) => pinned_until !== null && now < pinned_until,
    ),
    iconUrl,
    createUserId: member('owner', types.key, 'The owner.', { portable: 'owner' }),
    state: worked(
      types.word(...STATES),
      'What became of it; the first that is true from the right.',
      stateOfArticle,
    ),
    isPublic: worked(
      types.flag,
      'Whether the public may see it.',
      (row) => stateOfArticle(row) === 'published',
    ),
    revision: member(
      'revision',
      types.integer(1, 2 ** 31 - 1),
      '1 at creation, one more with each change of content.',
      { absent: 1 },
    ),
    ...MODERATED,
    deletedAt: member('deleted_at', types.instant, 'In the trash since then.'),
    ...writerMembers('The address that the last content came from.'),
  },
  reads: iconOf('articles.guid', 'articles.icon_guid'),
  layout: {
    columns: ['caption', 'state', 'createUserId', 'categoryGuid', 'createdAt'],
    called: ['caption', 'guid'],
    picture: 'iconUrl',
  },
  orders: { created: byCreation('articles', 'guid') },
  sort: '-created',
  filters: {
    createUserId: 'Only those of this owner.',
    categoryGuid: 'Only those of this category.',
    state: {
      about:
        'Only those in this state, whatever else they are; `waiting`: pending and nothing else.',
      type: types.word(...STATES, WAITING),
      exact: 'each',
      condition: (state) =>
        state === WAITING ? [inState('pending'), UNTOUCHED] : inState(state as State),
    },
    ...createdBetween('articles.created_at'),
  },
  searched: ['caption', 'content', 'guid', 'createUserId', 'categoryGuid', 'contactPhone', 'ip'],
  portable: {
    file: 'articles',
    about:
      'Articles as they are now, those in the trash included. Each has a `caption` or a `content`.',
    key: ['guid'],
  },
  personal: { of: ({ id }) => sql<boolean>`owner = ${id}`, fate: 'deleted' },
  expires: { trash: 'deleted_at' },
} as const satisfies Listing<ArticleRow> & Travelling<ArticleRow>;

/** The content of an article at one time. */
export interface RevisionRow extends ArticleContent, ArticleWriter {
  readonly article_guid: string;
  readonly revision: number;
  readonly recorded_at: Instant | null;
}

/** Earlier contents of articles. */
export const REVISIONS = {
  table: 'article_revisions',
  name: 'articles/{guid}/revisions',
  title: 'Revision',
  key: 'revision',
  members: {
    guid: member('article_guid', types.key, 'The key of the article.', {
      ...REQUIRED,
      portable: 'article',
      view: 'article_guid',
    }),
    revision: member('revision', types.integer(1, 2 ** 31 - 1), '1 at creation.', REQUIRED),
    replacedAt: member(
      'recorded_at',
      types.instant,
      'When it was replaced; null for what the article says now.',
      { ...REQUIRED, nullable: true, portable: 'recordedAt' },
    ),
    ...CONTENT,
    ...writerMembers('The address that it came from.'),
  },
  orders: { revision: [{ sql: 'article_revisions.revision', type: 'number' }] },
  sort: '-revision',
  filters: {},
  portable: {
    file: 'revisions',
    about: 'Earlier contents of articles.',
    key: ['article_guid', 'revision'],
  },
  personal: {
    of: (person) => sql<boolean>`article_guid in (${articlesOf(person)})`,
    fate: 'deleted',
  },
  expires: { revisions: 'recorded_at' },
} as const satisfies Listing<RevisionRow> & Travelling<RevisionRow>;
