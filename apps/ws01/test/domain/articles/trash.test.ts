import assert from 'node:assert/strict';
import { it } from 'node:test';
import { DAY_MS } from '@ws01/asmx/time';
import type { Kysely } from 'kysely';
import { CONTENT_COLUMNS, WRITER_COLUMNS } from '../../../src/domain/articles/content.ts';
import { purgeTrash, TRASH_MS } from '../../../src/domain/articles/purge.ts';
import type { Tables } from '../../../src/store/tables/tables.ts';
import {
  ADA,
  ADMIN,
  ArticleDesk,
  BOB,
  checkRules,
  NOW,
  OBSERVED,
  type Rules,
  SERVICE,
} from '../../kit/articles.ts';
import { forEachEngine } from '../../kit/database.ts';
import { refused } from '../../kit/refused.ts';

const deleting: Rules = {
  'moves the article to the trash, with all it says, and returns its key': async (desk, guid) => {
    await desk.insert({ guid, caption: 'c', categoryGuid: 'x', pinnedTopDueDate: NOW });
    const before = await desk.article(guid);
    desk.now += 1000;
    assert.equal(await desk.delete(`{${guid.toUpperCase()}}`), guid);
    assert.deepEqual(await desk.article(guid), {
      ...before,
      deleted_at: NOW + 1000,
      updated_at: NOW + 1000,
    });
    const [, first, ...more] = await desk.audit(guid);
    const { id: _, ...entry } = first!;
    assert.deepEqual(entry, {
      ...{ at: NOW + 1000, token_id: 't-service', action: 'article.trash' },
      ...{ target_kind: 'article', target_key: guid },
      ...{ address: OBSERVED, details: '{}', request_id: 'r-1' },
    });
    assert.deepEqual(more, []);
    assert.equal((await desk.postings(guid)).length, 1);
  },

  'again: the key again, nothing is written, the 30 days do not begin anew': async (desk, guid) => {
    await desk.insert({ guid, caption: 'c' });
    await desk.delete(guid);
    const before = await desk.everything(guid);
    desk.now += DAY_MS;
    assert.equal(await desk.delete(guid), guid);
    assert.deepEqual(await desk.everything(guid), before);
  },

  'never existed: NotFound': async (desk, guid) => {
    for (const caller of [SERVICE, ADMIN, ADA]) {
      await refused(desk.delete(guid, caller), 'NotFound', 'guid');
    }
  },

  'guid is required; createuserid, which comes first, is judged first': async (desk) => {
    await refused(desk.delete('', SERVICE, 'ada'), 'MissingParameter', 'guid');
    await refused(desk.delete('', SERVICE, 'a\nb'), 'InvalidParameter', 'createuserid');
  },

  'service token: createuserid must be the owner, live or in the trash; empty is not compared':
    async (desk, guid) => {
      await desk.insert({ guid, caption: 'c', CreateUserId: 'ada' });
      await refused(desk.delete(guid, SERVICE, 'bob'), 'Forbidden', 'guid');
      assert.equal((await desk.article(guid)).deleted_at, null);
      assert.equal(await desk.delete(guid, SERVICE, ' ada '), guid);
      await refused(desk.delete(guid, SERVICE, 'bob'), 'Forbidden', 'guid');
      assert.equal(await desk.delete(guid, SERVICE, ''), guid);
    },

  'service token: an ownerless article for anyone': async (desk, guid) => {
    await desk.insert({ guid, caption: 'c' });
    await desk.delete(guid, SERVICE, guid);
    assert.equal(await desk.exists('users', guid), true);
  },

  'user token: its own; another’s, live or in the trash, and an ownerless one are NotFound': async (
    desk,
    guid,
  ) => {
    await desk.insert({ guid, caption: 'c' }, ADA);
    await desk.insert({ guid: `${guid}-1`, caption: 'c' });
    await refused(desk.delete(guid, BOB), 'NotFound', 'guid');
    await refused(desk.delete(`${guid}-1`, BOB), 'NotFound', 'guid');
    assert.equal(await desk.delete(guid, ADA, 'ada'), guid);
    await refused(desk.delete(guid, BOB), 'NotFound', 'guid');
  },

  'user token: any other createuserid is Forbidden, whether the article exists or not': async (
    desk,
    guid,
  ) => {
    await refused(desk.delete(guid, ADA, 'bob'), 'Forbidden', 'createuserid');
    await desk.insert({ guid, caption: 'c' }, ADA);
    await refused(desk.delete(guid, ADA, 'bob'), 'Forbidden', 'createuserid');
  },

  'admin token: overrides ownership': async (desk, guid) => {
    await desk.insert({ guid, caption: 'c' }, ADA);
    assert.equal(await desk.delete(guid, ADMIN, 'bob'), guid);
  },

  'what an admin removed only an admin restores': async (desk, guid) => {
    const given = { guid, caption: 'c', CreateUserId: 'ada' };
    await desk.insert(given);
    desk.now += 1000;
    await desk.delete(guid, ADMIN);
    const removed = await desk.article(guid);
    assert.deepEqual([removed.deleted_at, removed.removed_at], [desk.now, desk.now]);
    for (const caller of [SERVICE, ADA]) {
      await assert.rejects(desk.insert({ ...given, caption: 'again' }, caller), {
        code: 'Forbidden',
        parameter: 'guid',
        message: 'A moderator removed the article; only a moderator or an admin restores it.',
      });
      await refused(desk.update({ Id: guid, caption: 'again' }, caller), 'Forbidden', 'Id');
      await refused(desk.pin(guid, NOW, caller), 'NotFound', 'guid');
      assert.equal(await desk.delete(guid, caller), guid);
    }
    await assert.rejects(desk.insert({ guid, caption: 'mine' }, BOB), { code: 'AlreadyExists' });
    assert.deepEqual(await desk.article(guid), removed);
    await desk.insert(given, ADMIN);
    await desk.sees(guid, { deleted_at: null, removed_at: null });
    assert.deepEqual(await desk.actions(guid), ['create', 'remove', 'restore']);
  },

  'what its owner trashed an admin removes; the 30 days go on': async (desk, guid) => {
    await desk.insert({ guid, caption: 'c' }, ADA);
    await desk.delete(guid, ADA);
    desk.now += DAY_MS;
    await desk.delete(guid, ADMIN);
    desk.now += DAY_MS;
    await desk.delete(guid, ADMIN);
    await desk.sees(guid, { deleted_at: NOW, removed_at: NOW + DAY_MS });
    await assert.rejects(desk.insert({ guid, caption: 'c' }, ADA), { code: 'Forbidden' });
    assert.deepEqual(await desk.actions(guid), ['create', 'trash', 'remove']);
  },
};

const purging: Rules = {
  'after 30 days in the trash, to the millisecond, the article and its revisions are gone': async (
    desk,
    guid,
  ) => {
    await desk.insert({ guid, caption: 'one' });
    await desk.insert({ guid, caption: 'two' });
    await desk.delete(guid);
    await purgeTrash(desk.store, NOW + TRASH_MS - 1);
    assert.equal((await desk.revisions(guid)).length, 1);
    await purgeTrash(desk.store, NOW + TRASH_MS);
    assert.equal(await desk.exists('articles', guid), false);
    assert.deepEqual(await desk.revisions(guid), []);
  },

  'what lives and what was restored stays, however old': async (desk, guid) => {
    await desk.insert({ guid, caption: 'c' });
    await desk.insert({ guid: `${guid}-1`, caption: 'c' });
    await desk.delete(guid);
    await desk.update({ Id: guid });
    await purgeTrash(desk.store, NOW + 100 * TRASH_MS);
    assert.equal(await desk.exists('articles', guid), true);
    assert.equal(await desk.exists('articles', `${guid}-1`), true);
  },

  'the creation still counts, and the trail stays': async (desk, guid) => {
    await desk.insert({ guid, caption: 'c', CreateUserId: 'ada' });
    desk.now += 1000;
    await desk.delete(guid);
    await purgeTrash(desk.store, desk.now + TRASH_MS);
    assert.deepEqual(await desk.postings(guid), [{ user_id: 'ada', network: OBSERVED, at: NOW }]);
    assert.deepEqual(await desk.actions(guid), ['create', 'trash']);
  },

  'who wrote each of its contents is in the trail at once, and stays there, with no text': async (
    desk,
    guid,
  ) => {
    const start = desk.now;
    await desk.update({ Id: guid, caption: 'hush', ip: '203.0.113.9' }, ADA, '198.51.100.1');
    desk.now += 1000;
    await desk.insert({ guid, caption: 'hush', content: '漢字' }, SERVICE, '198.51.100.2');
    desk.now += 1000;
    await desk.pin(guid, NOW);
    desk.now += 1000;
    await desk.insert({ guid, caption: 'hush 3' }, ADMIN, '198.51.100.3');
    await desk.delete(guid, ADA);
    const told = (await desk.audit(guid)).filter(({ action }) => /create|replace/.test(action));
    assert.deepEqual(
      told.map(({ at, action, target_kind, token_id, address, details }) =>
        [at - start, action, target_kind, token_id, address, details].join(' '),
      ),
      [
        '0 article.create article t-ada 198.51.100.1 {"revision":1,"claimedAddress":"203.0.113.9"}',
        '1000 article.replace article t-service 198.51.100.2 {"revision":2}',
        '3000 article.replace article t-admin 198.51.100.3 {"revision":3}',
      ],
    );
    const before = await desk.audit(guid);
    await purgeTrash(desk.store, desk.now + TRASH_MS);
    assert.deepEqual(await desk.audit(guid), before);
  },

  'contents that were written before the trail was told of each are told of by the purge': async (
    desk,
    guid,
  ) => {
    await desk.insert({ guid, caption: 'one' }, ADA, '198.51.100.1');
    desk.now += 1000;
    await desk.insert({ guid, caption: 'two' }, SERVICE, '198.51.100.2');
    const told = await desk.audit(guid);
    await desk.store.write((tx) => tx.deleteFrom('audit').where('target_key', '=', guid).execute());
    await desk.delete(guid, ADA);
    await purgeTrash(desk.store, desk.now + TRASH_MS);
    const handedOn = (await desk.audit(guid)).filter(({ action }) => action !== 'article.trash');
    // A content does not know the request that brought it.
    const withoutId = ({ id: _, request_id: __, ...entry }: (typeof told)[number]) => entry;
    assert.deepEqual(handedOn.map(withoutId), told.map(withoutId));
  },

  'deleting again returns the key again, to whom it belonged': async (desk, guid) => {
    await desk.insert({ guid, caption: 'c' }, ADA);
    await desk.delete(guid, ADA);
    await purgeTrash(desk.store, NOW + TRASH_MS);
    assert.equal(await desk.delete(guid, ADA), guid);
    assert.equal(await desk.delete(guid, SERVICE, 'ada'), guid);
    assert.equal(await desk.delete(guid, SERVICE), guid);
    await assert.rejects(desk.delete(guid, SERVICE, 'bob'), { code: 'Forbidden' });
    await refused(desk.delete(guid, BOB), 'NotFound', 'guid');
    await refused(desk.pin(guid, NOW, ADA), 'NotFound', 'guid');
    assert.equal(await desk.exists('articles', guid), false);
  },

  'the key is free: using it is a creation, which counts from then on': async (desk, guid) => {
    await desk.insert({ guid, caption: 'one' }, ADA);
    await desk.insert({ guid, caption: 'two' }, ADA);
    await desk.delete(guid, ADA);
    desk.now += TRASH_MS;
    await purgeTrash(desk.store, desk.now);
    await assert.rejects(desk.update({ Id: guid }, BOB), { code: 'MissingParameter' });
    await desk.update({ Id: guid, caption: 'three' }, BOB);
    await desk.sees(guid, {
      owner: 'bob',
      caption: 'three',
      revision: 1,
      created_at: desk.now,
    });
    assert.deepEqual(await desk.postings(guid), [
      { user_id: 'ada', network: OBSERVED, at: NOW },
      { user_id: 'bob', network: OBSERVED, at: desk.now },
    ]);
    await refused(desk.delete(guid, ADA), 'NotFound', 'guid');
  },
};

forEachEngine((_, fresh) => {
  it('DeleteArticleByGuid', (t) => checkRules(t, fresh, deleting));
  it('the trash is purged', (t) => checkRules(t, fresh, purging));

  it('a purge removes at most what it is told, the oldest first, and says how many', async (t) => {
    const desk = new ArticleDesk(await (await fresh(t)).open());
    for (let i = 0; i < 250; i++) {
      await desk.insert({ guid: `${i}`, caption: 'c' });
      desk.now = NOW + i;
      await desk.delete(`${i}`);
    }
    const late = NOW + 2 * TRASH_MS;
    assert.equal(await purgeTrash(desk.store, late, 130), 130);
    assert.equal(await desk.exists('articles', '129'), false);
    assert.equal(await desk.exists('articles', '130'), true);
    assert.equal(await purgeTrash(desk.store, late), 120);
    assert.equal(await purgeTrash(desk.store, late), 0);
  });

  it('a purge by several at once, of articles with long histories, tells each content once', async (t) => {
    const database = await fresh(t);
    const stores = [await database.open(), await database.open()];
    const desk = new ArticleDesk(stores[0]!);
    const keys = ['a', 'b', 'c', 'd'];
    for (const guid of keys) {
      await desk.insert({ guid, caption: '0' });
      // More contents than one transaction removes, and than one statement adds.
      await desk.store.write((tx) => lengthen(tx, guid, 700));
      await desk.delete(guid);
    }
    const purged = await Promise.all(stores.map((store) => purgeTrash(store, NOW + TRASH_MS)));
    assert.equal(purged[0]! + purged[1]!, keys.length);
    for (const guid of keys) {
      const told = (await desk.audit(guid)).filter(({ action }) => action !== 'article.trash');
      const revisions = told.map(({ details }) => JSON.parse(details).revision as number);
      assert.deepEqual(
        revisions.toSorted((one, other) => one - other),
        Array.from({ length: 701 }, (_, i) => i + 1),
      );
      assert.deepEqual(await desk.revisions(guid), []);
    }
  });
});

/** Gives an article so many earlier contents, all alike. */
async function lengthen(tx: Kysely<Tables>, guid: string, revisions: number): Promise<void> {
  const said = await tx
    .selectFrom('articles')
    .select(['created_at', ...CONTENT_COLUMNS, ...WRITER_COLUMNS])
    .where('guid', '=', guid)
    .executeTakeFirstOrThrow();
  const { created_at, ...content } = said;
  for (let revision = 1; revision <= revisions; revision++) {
    await tx
      .insertInto('article_revisions')
      .values({ ...content, article_guid: guid, revision, recorded_at: created_at + revision })
      .execute();
  }
  await tx
    .updateTable('articles')
    .set({ revision: revisions + 1 })
    .where('guid', '=', guid)
    .execute();
}
