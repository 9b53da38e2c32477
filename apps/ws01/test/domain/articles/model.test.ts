import assert from 'node:assert/strict';
import { it } from 'node:test';
import { DAY_MS } from '@ws01/asmx/time';
import fc from 'fast-check';
import { purgeTrash, TRASH_MS } from '../../../src/domain/articles/purge.ts';
import type { Caller } from '../../../src/domain/context.ts';
import { ADA, ADMIN, ArticleDesk, BOB, NOW, SERVICE } from '../../kit/articles.ts';
import { forEachEngine } from '../../kit/database.ts';

/** What the model keeps of an article: enough to tell every answer and every stored content. */
interface Article {
  owner: string | undefined;
  caption: string;
  content: string;
  category: string | undefined;
  pinnedUntil: number | undefined;
  deletedAt: number | undefined;
  /** Whether an admin took it down. */
  removed: boolean;
  earlier: string[];
}

type Text = string | undefined;

/** The rules of semantics 3 and semantics 5 once more, over a map, one call after the other. Each method returns what is answered. */
class Model {
  now = NOW;
  readonly articles = new Map<string, Article>();
  /** Whose each key was at its latest creation; outlives the article. */
  readonly creators = new Map<string, string | undefined>();

  insert(key: string, caption: Text, category: Text, named: Text, caller: Caller): string {
    if (caption === undefined || caption === '') return 'MissingParameter';
    const next = { caption, content: '', category: category || undefined, pinnedUntil: undefined };
    return this.#put(key, named, caller, next, ({ pinnedUntil }) => ({ ...next, pinnedUntil }));
  }

  update(key: string, caption: Text, content: Text, category: Text, caller: Caller): string {
    const merge = (base: Pick<Article, 'caption' | 'content' | 'category' | 'pinnedUntil'>) => ({
      caption: caption ?? base.caption,
      content: content ?? base.content,
      category: category === undefined ? base.category : category || undefined,
      pinnedUntil: base.pinnedUntil,
    });
    const fresh = { caption: '', content: '', category: undefined, pinnedUntil: undefined };
    return this.#put(key, undefined, caller, merge(fresh), merge);
  }

  change(key: string, caller: Caller, change: (article: Article) => void): string {
    const article = this.articles.get(key);
    if (article === undefined || article.deletedAt !== undefined) return 'NotFound';
    if (caller.kind === 'user' && article.owner !== caller.userId) return 'NotFound';
    change(article);
    return key;
  }

  delete(key: string, named: Text, caller: Caller): string {
    if (caller.kind === 'user' && named !== undefined && named !== caller.userId)
      return 'Forbidden';
    if (!this.creators.has(key)) return 'NotFound';
    const article = this.articles.get(key);
    const owner = article === undefined ? this.creators.get(key) : article.owner;
    if (caller.kind === 'user' && owner !== caller.userId) return 'NotFound';
    if (isStranger(caller, named, owner)) return 'Forbidden';
    if (article !== undefined) {
      article.deletedAt ??= this.now;
      article.removed ||= caller.kind === 'admin';
    }
    return key;
  }

  purge(): void {
    for (const [key, { deletedAt }] of this.articles) {
      if (deletedAt !== undefined && deletedAt <= this.now - TRASH_MS) this.articles.delete(key);
    }
  }

  #put(
    key: string,
    named: Text,
    caller: Caller,
    fresh: Pick<Article, 'caption' | 'content' | 'category' | 'pinnedUntil'>,
    merge: (present: Article) => Pick<Article, 'caption' | 'content' | 'category' | 'pinnedUntil'>,
  ): string {
    if (caller.kind === 'user' && named !== undefined && named !== caller.userId)
      return 'Forbidden';
    const present = this.articles.get(key);
    if (present !== undefined && caller.kind === 'user' && present.owner !== caller.userId)
      return 'AlreadyExists';
    if (present !== undefined && isStranger(caller, named, present.owner)) return 'Forbidden';
    if (present?.removed && caller.kind !== 'admin') return 'Forbidden';
    const next = present === undefined ? fresh : merge(present);
    if (next.caption === '' && next.content === '') return 'MissingParameter';
    if (present === undefined) {
      const owner = caller.kind === 'user' ? caller.userId : named;
      this.articles.set(key, { ...next, owner, deletedAt: undefined, removed: false, earlier: [] });
      this.creators.set(key, owner);
      return key;
    }
    if (textOf(next) !== textOf(present)) present.earlier.push(textOf(present));
    Object.assign(present, next, { deletedAt: undefined, removed: false });
    return key;
  }
}

function isStranger(caller: Caller, named: Text, owner: Text): boolean {
  return caller.kind === 'service' && named !== undefined && owner !== undefined && named !== owner;
}

function textOf({
  caption,
  content,
  category,
  pinnedUntil,
}: Omit<Article, 'owner' | 'deletedAt' | 'removed' | 'earlier'>): string {
  return JSON.stringify([caption, content, category ?? null, pinnedUntil ?? null]);
}

/** One step: what the service answers and what the model answers. */
type Step = (
  desk: ArticleDesk,
  model: Model,
) => Promise<readonly [answer: string, expected: string]>;

const key = fc.constantFrom('a', '文');
const caller = fc.constantFrom(SERVICE, ADMIN, ADA, BOB);
const user = fc.constantFrom(undefined, 'ada', 'bob');
const text = fc.constantFrom(undefined, '', 'one', '二');
const category = fc.constantFrom(undefined, '', 'x');
const instant = fc.constantFrom(undefined, NOW, NOW + DAY_MS);

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(key, text, category, user, caller).map(
    ([guid, caption, categoryGuid, CreateUserId, by]): Step =>
      async (desk, model) => [
        await answerOf(desk.insert({ guid, caption, categoryGuid, CreateUserId }, by)),
        model.insert(guid, caption, categoryGuid, CreateUserId, by),
      ],
  ),
  fc.tuple(key, text, text, category, caller).map(
    ([Id, caption, content, nodeId, by]): Step =>
      async (desk, model) => [
        await answerOf(desk.update({ Id, caption, content, nodeId }, by)),
        model.update(Id, caption, content, nodeId, by),
      ],
  ),
  fc.tuple(key, instant, caller).map(
    ([guid, until, by]): Step =>
      async (desk, model) => [
        await answerOf(desk.pin(guid, until, by)),
        model.change(guid, by, (article) => {
          article.pinnedUntil = until;
        }),
      ],
  ),
  fc.tuple(key, category, caller).map(
    ([guid, cateId, by]): Step =>
      async (desk, model) => [
        await answerOf(desk.categorise(guid, cateId, by)),
        model.change(guid, by, (article) => {
          article.category = cateId || undefined;
        }),
      ],
  ),
  fc.tuple(key, user, caller).map(
    ([guid, named, by]): Step =>
      async (desk, model) => [
        await answerOf(desk.delete(guid, by, named)),
        model.delete(guid, named, by),
      ],
  ),
  fc.constantFrom(DAY_MS, TRASH_MS).map(
    (passed): Step =>
      async (desk, model) => {
        desk.now = model.now += passed;
        model.purge();
        await purgeTrash(desk.store, desk.now);
        return ['purged', 'purged'];
      },
  ),
);

async function answerOf(call: Promise<string>): Promise<string> {
  try {
    return await call;
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}

/** What the database holds, in the model's words. */
async function stored(desk: ArticleDesk) {
  return desk.store.read(async (db) => {
    const articles = await db.selectFrom('articles').selectAll().orderBy('guid').execute();
    const revisions = await db
      .selectFrom('article_revisions')
      .selectAll()
      .orderBy('revision')
      .execute();
    const postings = await db
      .selectFrom('postings')
      .select(['record_key', 'user_id'])
      .orderBy('id')
      .execute();
    const contentOf = (row: (typeof articles)[number] | (typeof revisions)[number]) =>
      JSON.stringify([row.caption, row.content, row.category_key, row.pinned_until]);
    return {
      articles: articles.map((row) => ({
        key: row.guid,
        owner: row.owner,
        content: contentOf(row),
        deletedAt: row.deleted_at,
        removed: row.removed_at !== null,
        revision: row.revision,
        earlier: revisions.filter(({ article_guid }) => article_guid === row.guid).map(contentOf),
      })),
      creators: [
        ...new Map(postings.map(({ record_key, user_id }) => [record_key, user_id])),
      ].sort(),
    };
  });
}

function expected(model: Model) {
  return {
    articles: [...model.articles].sort().map(([key, article]) => ({
      key,
      owner: article.owner ?? null,
      content: textOf(article),
      deletedAt: article.deletedAt ?? null,
      removed: article.removed,
      revision: article.earlier.length + 1,
      earlier: article.earlier,
    })),
    creators: [...model.creators].sort().map(([key, owner]) => [key, owner ?? null]),
  };
}

async function empty(desk: ArticleDesk): Promise<void> {
  await desk.store.write(async (tx) => {
    await tx.deleteFrom('articles').execute();
    await tx.deleteFrom('postings').execute();
  });
}

forEachEngine((engine, fresh) => {
  it('any sequence of calls answers and stores what the rules say', async (t) => {
    const store = await (await fresh(t)).open();
    const property = fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const desk = new ArticleDesk(store);
      const model = new Model();
      await empty(desk);
      for (const [index, take] of steps.entries()) {
        const [answer, told] = await take(desk, model);
        assert.equal(answer, told, `step ${index}`);
      }
      assert.deepEqual(await stored(desk), expected(model));
    });
    await fc.assert(property, { numRuns: engine === 'sqlite' ? 150 : 30 });
  });
});
