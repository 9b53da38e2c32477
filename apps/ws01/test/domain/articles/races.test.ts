import assert from 'node:assert/strict';
import { it } from 'node:test';
import { pluck } from '../../../../../packages/asmx/test/kit/pluck.ts';
import { purgeTrash, TRASH_MS } from '../../../src/domain/articles/purge.ts';
import type { Caller } from '../../../src/domain/context.ts';
import { ADA, ArticleDesk, NOW, OBSERVED, SERVICE } from '../../kit/articles.ts';
import { type FreshDatabase, forEachEngine } from '../../kit/database.ts';

const CALLS = 200;
const GUID = '0f8fad5b-d9cb-469f-a165-70867728950e';

/** Two desks on one database, as two nodes have them, so that calls also meet in the database itself. */
async function openTwo(
  t: Parameters<FreshDatabase>[0],
  fresh: FreshDatabase,
): Promise<[ArticleDesk, ArticleDesk]> {
  const database = await fresh(t);
  return [new ArticleDesk(await database.open()), new ArticleDesk(await database.open())];
}

/** Starts all calls before any of them is waited for, half of them at each desk. */
function inParallel(
  desks: readonly [ArticleDesk, ArticleDesk],
  call: (desk: ArticleDesk, index: number) => Promise<string>,
): Promise<PromiseSettledResult<string>[]> {
  return Promise.allSettled(
    Array.from({ length: CALLS }, (_, index) => call(desks[index % 2]!, index)),
  );
}

/** How often each outcome came: the result, or the code of the error. */
function tally(outcomes: readonly PromiseSettledResult<string>[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const outcome of outcomes) {
    const name =
      outcome.status === 'fulfilled'
        ? outcome.value
        : String(outcome.reason.code ?? outcome.reason);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}

forEachEngine((_, fresh) => {
  it('equal inserts of a new article: all answer the key, one creation, no revision', async (t) => {
    const desks = await openTwo(t, fresh);
    const given = { caption: 'c', content: '漢字', categoryGuid: 'x', CreateUserId: 'ada' };
    const outcomes = await inParallel(desks, (desk, index) =>
      desk.insert({ guid: index % 3 === 0 ? `{${GUID.toUpperCase()}}` : GUID, ...given }),
    );
    assert.deepEqual(tally(outcomes), { [GUID]: CALLS });
    const { article, revisions, postings, audit } = await desks[0].everything(GUID);
    assert.equal(article.revision, 1);
    assert.deepEqual(revisions, []);
    assert.deepEqual(postings, [{ user_id: 'ada', network: OBSERVED, at: NOW }]);
    assert.deepEqual(pluck(audit, 'action'), ['article.create']);
  });

  it('different inserts by one owner: one creation, every content kept, revisions without a gap', async (t) => {
    const desks = await openTwo(t, fresh);
    const captions = Array.from({ length: CALLS }, (_, index) => `caption ${index}`);
    const outcomes = await inParallel(desks, (desk, index) =>
      desk.insert({ guid: GUID, caption: captions[index] }, ADA),
    );
    assert.deepEqual(tally(outcomes), { [GUID]: CALLS });
    const { article, revisions, postings } = await desks[0].everything(GUID);
    assert.equal(article.revision, CALLS);
    assert.deepEqual(
      revisions.map(({ revision }) => revision),
      Array.from({ length: CALLS - 1 }, (_, index) => index + 1),
    );
    assert.deepEqual([article, ...revisions].map(({ caption }) => caption).sort(), captions.sort());
    assert.equal(postings.length, 1);
  });

  it('inserts by different owners: one wins, the others get the error of their kind', async (t) => {
    const desks = await openTwo(t, fresh);
    const bound = (index: number): Caller => ({
      kind: 'user',
      tokenId: `t-${index}`,
      userId: `user ${index}`,
    });
    const byUsers = await inParallel(desks, (desk, index) =>
      desk.insert({ guid: 'u', caption: 'c' }, bound(index)),
    );
    assert.deepEqual(tally(byUsers), { u: 1, AlreadyExists: CALLS - 1 });
    const byServices = await inParallel(desks, (desk, index) =>
      desk.insert({ guid: 's', caption: 'c', CreateUserId: `user ${index}` }, SERVICE),
    );
    assert.deepEqual(tally(byServices), { s: 1, Forbidden: CALLS - 1 });
    for (const [guid, outcomes] of [
      ['u', byUsers],
      ['s', byServices],
    ] as const) {
      const winner = outcomes.findIndex(({ status }) => status === 'fulfilled');
      const { article, revisions, postings } = await desks[0].everything(guid);
      assert.equal(article.owner, `user ${winner}`);
      assert.deepEqual(revisions, []);
      assert.deepEqual(pluck(postings, 'user_id'), [`user ${winner}`]);
    }
  });

  it('updates of different fields: none is lost', async (t) => {
    const desks = await openTwo(t, fresh);
    const parts = [{ caption: 'c' }, { content: 't' }, { contactPhone: '1' }, { nodeId: 'x' }];
    await desks[0].insert({ guid: GUID, caption: 'old', content: 'old' });
    const outcomes = await inParallel(desks, (desk, index) =>
      desk.update({ Id: GUID, ...parts[index % 4]! }),
    );
    assert.deepEqual(tally(outcomes), { [GUID]: CALLS });
    const { article, revisions } = await desks[0].everything(GUID);
    const { caption, content, contact_phone, category_key, revision } = article;
    assert.deepEqual(
      [caption, content, contact_phone, category_key, revision],
      ['c', 't', '1', 'x', 5],
    );
    assert.equal(revisions.length, 4);
  });

  it('a category and a user at their first use by many articles: one row each, nobody fails', async (t) => {
    const desks = await openTwo(t, fresh);
    const outcomes = await inParallel(desks, (desk, index) =>
      desk.insert({
        guid: `${index}`,
        caption: 'c',
        categoryGuid: `x${index % 2}`,
        CreateUserId: `u${index % 3}`,
      }),
    );
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, CALLS);
    for (const key of ['x0', 'x1']) assert.equal(await desks[0].exists('categories', key), true);
    for (const key of ['u0', 'u1', 'u2']) assert.equal(await desks[0].exists('users', key), true);
  });

  it('deletions, restorations, pins and replacements at once: one creation, revisions without a gap', async (t) => {
    const desks = await openTwo(t, fresh);
    await desks[0].insert({ guid: GUID, caption: 'c' }, ADA);
    const outcomes = await inParallel(desks, (desk, index) => {
      switch (index % 4) {
        case 0:
          return desk.delete(GUID, ADA);
        case 1:
          return desk.insert({ guid: GUID, caption: `caption ${index}` }, ADA);
        case 2:
          return desk.pin(GUID, NOW + index, ADA);
        default:
          return desk.update({ Id: GUID, content: `content ${index}` }, ADA);
      }
    });
    // A pin that meets the article in the trash finds nothing; nobody else has a reason to fail.
    const { NotFound = 0, [GUID]: answered } = tally(outcomes);
    assert.equal(NotFound + answered!, CALLS);
    assert.ok(NotFound <= CALLS / 4);
    await desks[0].update({ Id: GUID, content: 'last' }, ADA);
    const { article, revisions, postings } = await desks[0].everything(GUID);
    assert.equal(article.deleted_at, null);
    assert.equal(article.revision, revisions.length + 1);
    assert.deepEqual(
      revisions.map(({ revision }) => revision),
      revisions.map((_, index) => index + 1),
    );
    assert.equal(postings.length, 1);
  });

  it('purges while articles are taken out of the trash: whoever was answered has the article', async (t) => {
    const desks = await openTwo(t, fresh);
    await inParallel(desks, (desk, index) => desk.insert({ guid: `${index}`, caption: 'old' }));
    await inParallel(desks, (desk, index) => desk.delete(`${index}`));
    for (const desk of desks) desk.now = NOW + TRASH_MS;
    const [outcomes] = await Promise.all([
      inParallel(desks, (desk, index) => desk.insert({ guid: `${index}`, caption: 'new' })),
      ...desks.map((desk) => purgeTrash(desk.store, NOW + TRASH_MS)),
    ]);
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, CALLS);
    for (let index = 0; index < CALLS; index++) {
      const { article, revisions, postings } = await desks[0].everything(`${index}`);
      // Purged before the insert came, it is created a second time, which counts; else it is restored.
      const creations = revisions.length === 0 ? 2 : 1;
      assert.deepEqual(
        [article.caption, article.deleted_at, postings.length],
        ['new', null, creations],
      );
      assert.equal(article.revision, revisions.length + 1);
    }
  });
});
