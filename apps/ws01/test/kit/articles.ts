import type { TestContext } from 'node:test';
import type { OperationName, ParamsOf } from '../../src/contract/service.ts';
import { articleOperations } from '../../src/domain/articles/operations.ts';
import { createBudgets } from '../../src/domain/budgets/budgets.ts';
import { type BudgetRates, NO_BOUNDS } from '../../src/domain/budgets/rates.ts';
import type { CallContext, Caller } from '../../src/domain/context.ts';
import { newKey } from '../../src/domain/values/keys.ts';
import type { Store } from '../../src/store/store.ts';
import { type Instant, POSTING_KINDS } from '../../src/store/tables/tables.ts';
import type { FreshDatabase } from './database.ts';

/** Where every test begins. */
export const NOW: Instant = Date.parse('2026-11-21T12:00:00Z');

/** The address that calls come from when a test does not say. */
export const OBSERVED = '198.51.100.7';

/** Callers, named by what they are bound to. */
export const SERVICE: Caller = { kind: 'service', tokenId: 't-service', userId: 'default-sender' };
export const ADMIN: Caller = { kind: 'admin', tokenId: 't-admin', userId: undefined };
export const ADA: Caller = { kind: 'user', tokenId: 't-ada', userId: 'ada' };
export const BOB: Caller = { kind: 'user', tokenId: 't-bob', userId: 'bob' };

type Given<Name extends OperationName> = Partial<ParamsOf<Name>>;

/** The operations on articles over a store, called as the wire calls them, and a look at what they left behind. */
export class ArticleDesk {
  readonly store: Store;
  now = NOW;
  readonly #operations: ReturnType<typeof articleOperations>;

  /** @param rates the budgets that have bounds. */
  constructor(store: Store, rates: Partial<BudgetRates> = {}) {
    this.store = store;
    const clock = () => this.now;
    const budgets = createBudgets({
      rates: { ...NO_BOUNDS, ...rates },
      store,
      clock,
      shareEvery: undefined,
    });
    this.#operations = articleOperations({
      store,
      clock,
      budgets,
      revisionLimits: { perArticle: 2 ** 26, perOwner: 2 ** 30 },
    });
  }

  async insert(
    given: Given<'InsertArticle'>,
    caller = SERVICE,
    address = OBSERVED,
  ): Promise<string> {
    const absent = {
      token: 'secret',
      guid: undefined,
      caption: undefined,
      content: undefined,
      categoryGuid: undefined,
      contactPhone: undefined,
      pinnedTopDueDate: undefined,
      CreateUserId: undefined,
      IconGuid: undefined,
      Status: 0,
      fromUrl: undefined,
    };
    return this.#operations.InsertArticle({ ...absent, ...given }, context(caller, address));
  }

  async update(
    given: Given<'UpdateOrInsertArticleById'>,
    caller = SERVICE,
    address = OBSERVED,
  ): Promise<string> {
    const absent = {
      token: 'secret',
      Id: undefined,
      caption: undefined,
      content: undefined,
      nodeId: undefined,
      contactPhone: undefined,
      ip: undefined,
    };
    return this.#operations.UpdateOrInsertArticleById(
      { ...absent, ...given },
      context(caller, address),
    );
  }

  async pin(
    guid: string | undefined,
    until: Instant | undefined,
    caller = SERVICE,
  ): Promise<string> {
    const params = { token: 'secret', guid, pinnedTopDueDate: until };
    return this.#operations.UpdatePinnedTopDueDateByGuid(params, context(caller));
  }

  async delete(guid: string | undefined, caller = SERVICE, createuserid?: string): Promise<string> {
    return this.#operations.DeleteArticleByGuid(
      { token: 'secret', createuserid, guid },
      context(caller),
    );
  }

  async categorise(
    guid: string | undefined,
    cateId: string | undefined,
    caller = SERVICE,
  ): Promise<string> {
    return this.#operations.UpdateArticleCategory(
      { token: 'secret', guid, cateId },
      context(caller),
    );
  }

  article(guid: string) {
    return this.store.read((db) =>
      db.selectFrom('articles').selectAll().where('guid', '=', guid).executeTakeFirstOrThrow(),
    );
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

function context(caller: Caller, address = OBSERVED): { readonly caller: CallContext } {
  return { caller: { caller, address, requestId: 'r-1' } };
}

/** A rule as a test: its name says the rule, `guid` is a key that nothing else uses. */
export type Rules = Readonly<Record<string, (desk: ArticleDesk, guid: string) => Promise<void>>>;

/** Runs each rule as a test of its own; they share one database, since no two use the same article. */
export async function checkRules(
  test: TestContext,
  fresh: FreshDatabase,
  rules: Rules,
): Promise<void> {
  const store = await (await fresh(test)).open();
  for (const [name, check] of Object.entries(rules)) {
    await test.test(name, () => check(new ArticleDesk(store), newKey()));
  }
}
