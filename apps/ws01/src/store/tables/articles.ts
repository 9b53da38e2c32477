import type { Generated } from 'kysely';
import type { Instant, Moderated } from './values.ts';

/** Categories exist from first use. */
export interface CategoriesTable {
  key: string;
  created_at: Instant;
}

/** What an article says, and what of it a revision keeps. Absent text is the empty string. */
export interface ArticleContent {
  caption: string;
  content: string;
  /** `null` when uncategorised. */
  category_key: string | null;
  contact_phone: string;
  /** Pinned to the top while now is before it. */
  pinned_until: Instant | null;
  icon_guid: string | null;
  /** Any Int32; 0 published, 1 draft, 2 pending, 3 hidden. */
  status: number;
  from_url: string;
}

/** The call that wrote a content of an article. */
export interface ArticleWriter {
  /**
   * The address the call came from: the one it named where that is trusted, else the one observed.
   */
  ip: string | null;
  /** The address that it named and that is not believed. */
  claimed_ip: string | null;
  /** The id of its token. */
  token_id: string | null;
}

export interface ArticlesTable extends ArticleContent, ArticleWriter, Moderated {
  guid: string;
  owner: string | null;
  created_at: Instant;
  updated_at: Instant;
  /** In the trash since then; always so when a moderator has removed it. */
  deleted_at: Instant | null;
  /** 1 at creation, one more with each change of content. */
  revision: number;
  /**
   * What its revisions take at most, as `domain/articles/revision-bytes.ts` counts; `null` when
   * that has not been counted.
   */
  revision_bytes: Generated<number | null>;
}

/**
 * Earlier contents of articles: revision n is what the article was, and who wrote it, when its
 * `revision` was n.
 */
export interface ArticleRevisionsTable extends ArticleContent, ArticleWriter {
  article_guid: string;
  revision: number;
  /** When it was replaced. */
  recorded_at: Instant;
}
