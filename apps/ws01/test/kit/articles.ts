import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Selectable } from 'kysely';
import type { ParamsOf } from '../../src/contract/service.ts';
import { EMPTY_CONTENT } from '../../src/domain/articles/content.ts';
import type { BudgetRates } from '../../src/domain/budgets/rates.ts';
import type { Store } from '../../src/store/store.ts';
import { type ArticlesTable, type Instant, POSTING_KINDS } from '../../src/store/tables/tables.ts';
import type { FreshDatabase } from './database.ts';
import { checkRulesOf, NOW, OBSERVED, type RulesOf, SERVICE } from './desk.ts';
import { CallDesk } from './operation-desk.ts';

export { ADA, ADMIN, BOB, NOW, OBSERVED, SERVICE } from './desk.ts';

/** The operations on articles, and a look at what they left behind. */
export class ArticleDesk extends CallDesk {
  /** @param rates the budgets that have bounds. */
  constructor(store: Store, rates: Partial<BudgetRates> = {}) {
    super(store, { rates });
  }

  insert(
    given: Partial<ParamsOf<'InsertArticle'>>,
    caller = SERVICE,
    address = OBSERVED,
  ): Promise<string> {
    return this.call('InsertArticle', given, caller, address);
  }

  update(
    given: Partial<ParamsOf<'UpdateOrInsertArticleById'>>,
    caller = SERVICE,
    address = OBSERVED,
  ): Promise<string> {
    return this.call('UpdateOrInsertArticleById', given, caller, address);
  }

  pin(guid: string | undefined, until: Instant | undefined, caller = SERVICE): Promise<string> {
    return this.call('UpdatePinnedTopDueDateByGuid', { guid, pinnedTopDueDate: until }, caller);
  }

  delete(guid: string | undefined, caller = SERVICE, createuserid?: string): Promise<string> {
    return this.call('DeleteArticleByGuid', { createuserid, guid }, caller);
  }

  categorise(
    guid: string | undefined,
    cateId: string | undefined,
    caller = SERVICE,
  ): Promise<string> {
    return this.call('UpdateArticleCategory', { guid, cateId }, caller);
  }

  article(guid: string) {
    return this.store.read((db) =>
      db.selectFrom('articles').selectAll().where('guid', '=', guid).executeTakeFirstOrThrow(),
    );
  }

  /** Sees that an article says all this, whatever else it says. */
  async sees(guid: string, said: Partial<Selectable<ArticlesTable>>): Promise<void> {
    assert.partialDeepStrictEqual(await this.article(guid), said);
  }

  revisions(guid: string) {
    return this.store.read((db) =>
      db
        .selectFrom('article_revisions')
        .selectAll()
        .where('article_guid', '=', guid)
        .orderBy('revision')
        .execute(),
    );
  }

  postings(guid: string) {
    return this.store.read((db) =>
      db
        .selectFrom('postings')
        .select(['user_id', 'network', 'at'])
        .where('kind', '=', POSTING_KINDS.article)
        .where('record_key', '=', guid)
        .orderBy('id')
        .execute(),
    );
  }

  /** In order of time; a test that looks at the order moves the clock between its calls. */
  audit(guid: string) {
    return this.store.read((db) =>
      db
        .selectFrom('audit')
        .selectAll()
        .where('target_key', '=', guid)
        .orderBy('at')
        .orderBy('id')
        .execute(),
    );
  }

  /** The actions of the audit trail on an article, in order, without `article.`. */
  async actions(guid: string): Promise<string[]> {
    return (await this.audit(guid)).map(({ action }) => action.replace('article.', ''));
  }

  /** Every row that the operations on an article write, to see that a call wrote none. */
  async everything(guid: string) {
    const [article, revisions, postings, audit] = await Promise.all([
      this.article(guid),
      this.revisions(guid),
      this.postings(guid),
      this.audit(guid),
    ]);
    return { article, revisions, postings, audit };
  }

  async exists(table: 'articles' | 'categories' | 'users', key: string): Promise<boolean> {
    const column = ({ articles: 'guid', categories: 'key', users: 'id' } as const)[table];
    const row = await this.store.read((db) =>
      db
        .selectFrom(table)
        .select(db.fn.countAll().as('n'))
        .where(db.dynamic.ref(column), '=', key)
        .executeTakeFirst(),
    );
    return Number(row?.n) === 1;
  }
}

/** An article as a call of a service makes it that says nothing but its key. */
export const NEW_ARTICLE = {
  ...EMPTY_CONTENT,
  owner: null,
  ip: OBSERVED,
  claimed_ip: null,
  token_id: 't-service',
  created_at: NOW,
  updated_at: NOW,
  deleted_at: null,
  held_at: null,
  removed_at: null,
  revision: 1,
  revision_bytes: 0,
} satisfies Omit<Selectable<ArticlesTable>, 'guid'>;

export type Rules = RulesOf<ArticleDesk>;

/** As {@link checkRulesOf}. */
export function checkRules(test: TestContext, fresh: FreshDatabase, rules: Rules): Promise<void> {
  return checkRulesOf(test, fresh, rules, (store) => new ArticleDesk(store));
}
