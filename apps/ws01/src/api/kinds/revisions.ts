import type { ArticleContent, ArticleWriter, Instant } from '../../store/tables/tables.ts';
import { at, column, type Fields, type Kind } from '../kind.ts';
import { instant, integer, nullable, text } from '../schema.ts';

/** The content of an article at one time. */
export interface RevisionRow extends ArticleContent, ArticleWriter {
  readonly article_guid: string;
  readonly revision: number;
  readonly recorded_at: Instant | null;
}

const fields: Fields<RevisionRow> = {
  guid: column(text('The key of the article.'), 'article_guid'),
  revision: column(integer('1 at creation.'), 'revision'),
  replacedAt: at(
    nullable(instant('When it was replaced; null for what the article says now.')),
    'recorded_at',
  ),
  caption: column(text('Headline; may be empty.'), 'caption'),
  content: {
    ...column<RevisionRow>(text('Text of the article; may be empty.'), 'content'),
    detail: true,
  },
  categoryGuid: column(nullable(text('Category.')), 'category_key'),
  contactPhone: column(text('Phone number to show; may be empty.'), 'contact_phone'),
  pinnedTopDueDate: at(nullable(instant('Pinned to the top until then.')), 'pinned_until'),
  iconGuid: column(nullable(text('Key of the image that is its icon.')), 'icon_guid'),
  status: column(
    integer('0 published, 1 draft, 2 pending, 3 hidden; every other number is published.'),
    'status',
  ),
  fromUrl: column(text('Where the article came from; may be empty.'), 'from_url'),
  ip: column(nullable(text('The address that it came from.')), 'ip'),
  claimedIp: column(
    nullable(text('The address that the call named and that is not believed.')),
    'claimed_ip',
  ),
  tokenId: {
    ...column<RevisionRow>(nullable(text('The token that wrote it.')), 'token_id'),
    private: true,
  },
};

const WRITTEN =
  'caption, category_key, contact_phone, pinned_until, icon_guid, status, from_url, ip, claimed_ip, token_id';

export const REVISIONS: Kind<RevisionRow> = {
  name: 'articles/{guid}/revisions',
  title: 'Revision',
  key: { name: 'revision', column: 'article_revisions.revision' },
  from: 'article_revisions',
  columns: `article_guid, article_revisions.revision, recorded_at, ${WRITTEN}`,
  detailColumns: 'content',
  orders: { revision: [{ sql: 'article_revisions.revision', type: 'number' }] },
  sort: '-revision',
  filters: {},
  fields,
};

/** The present content of an article, selected as a revision. */
export const PRESENT = {
  from: 'articles',
  columns: `guid as article_guid, revision, null as recorded_at, ${WRITTEN}`,
};
