import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { HotFiles } from '../../../src/adapters/files/hot-files.ts';
import { purgeTrash, TRASH_MS } from '../../../src/domain/articles/purge.ts';
import { createMedia } from '../../../src/domain/images/serving/media.ts';
import {
  hold,
  type ModeratedKind,
  release,
  remove,
  restore,
} from '../../../src/domain/moderation/moderation.ts';
import { readTally } from '../../../src/domain/reviews/tally.ts';
import { type FreshDatabase, forBothEngines } from '../../kit/database.ts';
import { blackPng } from '../../kit/images/containers.ts';
import {
  ADA,
  ADMIN,
  ANYBODY,
  BOB,
  freshFiles,
  ImageDesk,
  NOW,
  SERVICE,
} from '../../kit/images/desk.ts';

const VERBS = { hold, release, remove, restore };

/** The desk of images with a moderator beside it. */
class ModeratedDesk extends ImageDesk {
  /** Keeps files in memory; who may see them must not be kept. */
  readonly #hotFiles = new HotFiles(this.files.store, 1024 ** 2);
  readonly #media = createMedia({
    store: this.store,
    files: this.files,
    hotFiles: this.#hotFiles,
    decoders: this.decoders,
  });

  moderate(verb: keyof typeof VERBS, kind: ModeratedKind, key: string): Promise<boolean> {
    const by = { tokenId: 't-moderator', address: '192.0.2.9' };
    return this.store.write((tx) =>
      VERBS[verb](tx, { kind, key, by, reason: 'spam', at: this.now }),
    );
  }

  /** What the address of an image answers: found, gone or unknown. */
  async served(guid: string): Promise<string> {
    const row = (await this.row(guid))!;
    const found = await this.#media.find(`${row.hash}.png`);
    if (found.kind === 'found') assert.ok((await found.medium.piece())!.length > 0);
    return found.kind;
  }

  async article(guid: string) {
    return this.store.read((db) =>
      db.selectFrom('articles').selectAll().where('guid', '=', guid).executeTakeFirstOrThrow(),
    );
  }

  async adverts(userId: string): Promise<readonly string[]> {
    const answer = JSON.parse(
      (await this.call('QueryAdvert', { userId, pageindex: 0, pagesize: 0 }, ANYBODY)) as string,
    );
    assert.equal(answer.total, answer.items.length);
    return answer.items.map(({ guid }: { guid: string }) => guid);
  }
}

async function open(t: TestContext, fresh: FreshDatabase): Promise<ModeratedDesk> {
  return new ModeratedDesk(await (await fresh(t)).open(), await freshFiles(t));
}

forBothEngines((_, fresh) => {
  it('what a moderator holds back no call of the author brings out; it is released by a moderator', async (t) => {
    const desk = await open(t, fresh);
    await desk.call('InsertArticle', { guid: 'a', caption: 'secret' }, ADA);
    await desk.upload('i', { Link_Guid: 'a' }, ADA);
    assert.equal(await desk.moderate('hold', 'article', 'a'), true);
    assert.equal(await desk.moderate('hold', 'article', 'a'), false);
    for (const caller of [ADA, SERVICE, ADMIN]) {
      await desk.call(
        'InsertArticle',
        { guid: 'a', caption: `secret ${caller.kind}`, Status: 0 },
        caller,
      );
      await desk.call('UpdateOrInsertArticleById', { Id: 'a', content: caller.kind }, caller);
      assert.equal((await desk.article('a')).held_at, NOW);
      assert.deepEqual(
        [await desk.keys(), await desk.keys({ query: 'secret' }), await desk.served('i')],
        [[], [], 'gone'],
      );
    }
    assert.equal(await desk.moderate('release', 'article', 'a'), true);
    assert.deepEqual(
      [await desk.keys({ query: 'secret' }), await desk.served('i')],
      [['i'], 'found'],
    );
    const trail = await desk.store.read((db) =>
      db
        .selectFrom('audit')
        .select(['action', 'token_id', 'address', 'details'])
        .where('token_id', '=', 't-moderator')
        .orderBy('id')
        .execute(),
    );
    const told = { token_id: 't-moderator', address: '192.0.2.9', details: '{"reason":"spam"}' };
    assert.deepEqual(trail, [
      { action: 'article.hold', ...told },
      { action: 'article.release', ...told },
    ]);
  });

  it('a removed article is restored by a moderator, as it was; what is held stays held', async (t) => {
    const desk = await open(t, fresh);
    await desk.call('InsertArticle', { guid: 'a', caption: 'c' }, ADA);
    await desk.moderate('hold', 'article', 'a');
    assert.equal(await desk.moderate('remove', 'article', 'a'), true);
    assert.equal(await desk.moderate('remove', 'article', 'a'), false);
    await desk.refuses(
      'Forbidden',
      'guid',
      desk.call('InsertArticle', { guid: 'a', caption: 'c' }, ADA),
    );
    assert.equal(await desk.moderate('restore', 'article', 'a'), true);
    assert.equal(await desk.moderate('restore', 'article', 'a'), false);
    const { deleted_at, removed_at, held_at } = await desk.article('a');
    assert.deepEqual([deleted_at, removed_at, held_at], [null, null, NOW]);
    await assert.rejects(desk.moderate('hold', 'article', 'unknown'), { code: 'NotFound' });
  });

  it('adverts: lists leave out what is held or removed, and its images', async (t) => {
    const desk = await open(t, fresh);
    for (const guid of ['x', 'y', 'z'])
      await desk.call('addNewAdvert', { guid, title: `title ${guid}`, CreateUserId: 'u' });
    await desk.upload('of x', { Link_Guid: 'x' });
    await desk.moderate('hold', 'advert', 'x');
    await desk.moderate('remove', 'advert', 'y');
    assert.deepEqual(await desk.adverts('u'), ['z']);
    assert.deepEqual([await desk.keys(), await desk.served('of x')], [[], 'gone']);
    assert.equal(
      await desk.call('addNewAdvert', { guid: 'y', title: 'title y', CreateUserId: 'u' }),
      'y',
    );
    await desk.refuses(
      'AlreadyExists',
      'guid',
      desk.call('addNewAdvert', { guid: 'y', title: 'other', CreateUserId: 'u' }),
    );
    await desk.moderate('release', 'advert', 'x');
    await desk.moderate('restore', 'advert', 'y');
    assert.equal(await desk.moderate('restore', 'advert', 'y'), false);
    assert.deepEqual((await desk.adverts('u')).toSorted(), ['x', 'y', 'z']);
    assert.deepEqual([await desk.keys(), await desk.served('of x')], [['of x'], 'found']);
  });

  it('images: neither listed nor served; other records with the same bytes are', async (t) => {
    const desk = await open(t, fresh);
    const [one, two] = [blackPng(8, 8), blackPng(9, 9)];
    await desk.upload('held', { category: 'flat' }, ADA, one);
    await desk.upload('removed', { IsIcons: true }, ADA, two);
    await desk.moderate('hold', 'image', 'held');
    await desk.moderate('remove', 'image', 'removed');
    assert.deepEqual(
      [(await desk.list()).total, (await desk.list({ ImgIcon: true })).total],
      [0, 0],
    );
    assert.deepEqual(
      [await desk.keys({ query: 'flat' }), await desk.keys({ nodeId: 'flat' })],
      [[], []],
    );
    assert.deepEqual([await desk.served('held'), await desk.served('removed')], ['gone', 'gone']);
    await desk.upload('held', { category: 'house' }, ADA, one);
    assert.deepEqual([await desk.keys(), await desk.served('held')], [[], 'gone']);
    await desk.refuses('Forbidden', 'FileGuid', desk.upload('removed', {}, ADA, one));
    assert.equal(await desk.call('DeleImgById', { FileGuid: 'removed' }, ADA), 'removed');
    await desk.upload('bob’s', {}, BOB, one);
    assert.deepEqual([await desk.keys(), await desk.served('held')], [['bob’s'], 'found']);
    await desk.moderate('release', 'image', 'held');
    await desk.moderate('restore', 'image', 'removed');
    assert.deepEqual(
      [(await desk.list()).total, (await desk.list({ ImgIcon: true })).total],
      [3, 1],
    );
    assert.deepEqual(await desk.keys({ query: 'house' }), ['held']);
  });

  it('reviews: what is held does not count, also when it is rewritten', async (t) => {
    const desk = await open(t, fresh);
    const review = (userId: string, IsPositive: string, Mark = '') =>
      desk.call('submitReview', { id: 's', userId, IsPositive, Mark }, ANYBODY);
    await review('ada', 'true', '5');
    await review('bob', 'true', '1');
    const ids = await desk.store.read((db) =>
      db.selectFrom('reviews').select('id').orderBy('voter').execute(),
    );
    const tally = async () => {
      const { positive, negative, marks, averageMark } = await desk.store.read((db) =>
        readTally(db, 's'),
      );
      return [positive, negative, marks, averageMark];
    };
    assert.deepEqual(await tally(), [2, 0, 2, 3]);
    await desk.moderate('hold', 'review', ids[0]!.id);
    await desk.moderate('remove', 'review', ids[0]!.id);
    assert.deepEqual(await tally(), [1, 0, 1, 1]);
    await review('ada', 'false', '4');
    assert.deepEqual(await tally(), [1, 0, 1, 1]);
    await desk.moderate('release', 'review', ids[0]!.id);
    assert.deepEqual(await tally(), [1, 0, 1, 1]);
    await desk.moderate('restore', 'review', ids[0]!.id);
    assert.deepEqual(await tally(), [1, 1, 2, 2.5]);
  });

  it('images are purged with the article that they belong to, unless an advert has its key', async (t) => {
    const desk = await open(t, fresh);
    for (const guid of ['a', 'b']) await desk.call('InsertArticle', { guid, caption: 'c' }, ADA);
    await desk.call('addNewAdvert', { guid: 'b', title: 't' });
    for (let n = 0; n < 3; n++)
      await desk.upload(`a${n}`, { Link_Guid: 'a', IsIcons: n === 0 }, ADA, blackPng(8, 9 + n));
    await desk.upload('b0', { Link_Guid: 'b' }, ADA, blackPng(8, 9));
    for (const guid of ['a', 'b']) await desk.call('DeleteArticleByGuid', { guid }, ADA);
    assert.deepEqual([await desk.keys(), await desk.served('a1')], [['b0'], 'found']);
    desk.now += TRASH_MS;
    assert.equal(await purgeTrash(desk.store, desk.now), 2);
    assert.deepEqual(
      [await desk.row('a0'), await desk.row('a1'), await desk.keys()],
      [undefined, undefined, ['b0']],
    );
    const files = await desk.store.read((db) =>
      db.selectFrom('image_files').select('deleted_at').execute(),
    );
    assert.equal(files.filter(({ deleted_at }) => deleted_at === null).length, 1);
    assert.deepEqual(await desk.audit('a1'), ['image.create', 'image.purge']);
    assert.equal((await desk.list()).total, 1);
  });
});
