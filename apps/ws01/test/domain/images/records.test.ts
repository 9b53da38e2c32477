import assert from 'node:assert/strict';
import { it } from 'node:test';
import { DAY_MS } from '@ws01/asmx/time';
import { sql } from 'kysely';
import { until } from '../../../../../packages/asmx/test/kit/until.ts';
import { remove } from '../../../src/domain/moderation/moderation.ts';
import { erasePerson } from '../../../src/domain/persons/erase.ts';
import { forBothEngines } from '../../kit/database.ts';
import { blackPng } from '../../kit/images/containers.ts';
import {
  ADA,
  ADMIN,
  BOB,
  freshFiles,
  ImageDesk,
  NOW,
  openImageDesk,
  SERVICE,
} from '../../kit/images/desk.ts';
import { auditOf } from '../../kit/rows.ts';

const [one, two] = [blackPng(8, 8), blackPng(9, 9)];

forBothEngines((engine, fresh) => {
  it('creates: owner by the rules, ledger, address, audit trail', async (t) => {
    const desk = await openImageDesk(t, fresh);
    await desk.call('InsertArticle', { guid: 'article', caption: 'c', CreateUserId: 'u-1' });
    await desk.call('addNewAdvert', { guid: 'advert', title: 't', CreateUserId: 'u-2' });
    assert.equal(await desk.upload('linked', { Link_Guid: 'article', ip: '203.0.113.7' }), true);
    assert.equal(await desk.upload('at an advert', { Link_Guid: 'advert' }), true);
    assert.equal(await desk.upload('alone', { Link_Guid: 'not yet' }), true);
    assert.equal(
      await desk.upload('ada’s', { Link_Guid: 'nobody’s', ip: '203.0.113.8' }, ADA),
      true,
    );
    const owners = await Promise.all(
      ['linked', 'at an advert', 'alone', 'ada’s'].map((key) => desk.row(key)),
    );
    assert.deepEqual(
      owners.map((row) => row!.owner),
      ['u-1', 'u-2', null, ADA.userId],
    );
    assert.deepEqual([owners[0]!.ip, owners[0]!.claimed_ip], ['203.0.113.7', null]);
    assert.deepEqual(owners[3]!.claimed_ip, '203.0.113.8');
    const count = (userId: string) =>
      desk.call('countUserPosted', { userId, lastFewDays: '1', level: 'image' });
    assert.deepEqual([await count('u-1'), await count(ADA.userId!)], ['1', '1']);
    assert.deepEqual(await desk.audit('linked'), ['image.create']);
  });

  it('the same again: true, nothing written; other attributes are updated; other bytes replace', async (t) => {
    const desk = await openImageDesk(t, fresh);
    await desk.upload('a', { category: 'x', Link_Guid: 'l' }, undefined, one);
    const before = await desk.row('a');
    desk.now += 1000;
    assert.equal(
      await desk.upload(
        '{A}'.slice(1, 2).toLowerCase(),
        { category: 'x', Link_Guid: 'l' },
        undefined,
        one,
      ),
      true,
    );
    assert.deepEqual(await desk.row('a'), before);
    await desk.upload('a', { category: 'y', Link_Guid: 'm', IsIcons: true }, undefined, one);
    const updated = (await desk.row('a'))!;
    assert.deepEqual(
      [updated.category, updated.link_guid, updated.is_icon, updated.hash],
      ['y', 'm', 1, before!.hash],
    );
    assert.deepEqual([updated.created_at, updated.updated_at], [NOW, desk.now]);
    await desk.upload('a', { category: 'y', Link_Guid: 'm', IsIcons: true }, undefined, two);
    const replaced = (await desk.row('a'))!;
    assert.notEqual(replaced.hash, before!.hash);
    assert.equal(replaced.bytes, two.length);
    assert.deepEqual(await desk.audit('a'), ['image.create', 'image.update', 'image.replace']);
    const told = await auditOf(desk.store, 'image.update');
    const { writtenBy, writtenFrom, writtenAt } = JSON.parse(told[0]!.details);
    assert.deepEqual(
      [writtenBy, writtenFrom, writtenAt],
      [before!.token_id, before!.ip, before!.updated_at],
    );
    assert.equal((await desk.stored()).length, 1);
    const postings = await desk.store.read((db) => db.selectFrom('postings').selectAll().execute());
    assert.equal(postings.length, 1);
  });

  it('only the owner writes, as user; a service writes all; whoever may not leaves no file', async (t) => {
    const desk = await openImageDesk(t, fresh);
    await desk.upload('ada’s', {}, ADA, one);
    await desk.upload('nobody’s', {}, SERVICE, one);
    for (const key of ['ada’s', 'nobody’s']) {
      await desk.refuses('AlreadyExists', 'FileGuid', desk.upload(key, {}, BOB, two));
      await desk.refuses('NotFound', 'FileGuid', desk.call('DeleImgById', { FileGuid: key }, BOB));
    }
    assert.equal((await desk.stored()).length, 1);
    assert.equal(await desk.upload('ada’s', { category: 'new' }, SERVICE, two), true);
    assert.equal((await desk.row('ada’s'))!.owner, ADA.userId);
    assert.equal(await desk.call('DeleImgById', { FileGuid: 'ada’s' }, ADMIN), 'ada’s');
  });

  it('deletes again and again; a given Link_Guid must match; an unknown key is NotFound', async (t) => {
    const desk = await openImageDesk(t, fresh);
    const guid = '0f8fad5b-d9cb-469f-a165-70867728950e';
    await desk.upload(guid, { Link_Guid: 'l' }, ADA);
    const remove = (given: Record<string, unknown>, caller = ADA) =>
      desk.call('DeleImgById', { FileGuid: guid, ...given }, caller);
    await desk.refuses('NotFound', 'Link_Guid', remove({ Link_Guid: 'other' }));
    assert.equal(await remove({ Link_Guid: ' l ', FileGuid: `{${guid.toUpperCase()}}` }), guid);
    assert.deepEqual([await remove({}), await remove({ Link_Guid: 'l' })], [guid, guid]);
    await desk.refuses('NotFound', 'FileGuid', remove({}, BOB));
    await desk.refuses('NotFound', 'FileGuid', remove({ FileGuid: 'never' }));
    await desk.refuses('MissingParameter', 'FileGuid', remove({ FileGuid: ' ' }));
    assert.deepEqual(await desk.audit(guid), ['image.create', 'image.delete']);
    assert.deepEqual(await desk.stored(), []);
    const files = await desk.store.read((db) =>
      db.selectFrom('image_files').select('deleted_at').execute(),
    );
    assert.deepEqual(
      files,
      [{ deleted_at: desk.now }],
      'the address of the picture answers that it is gone',
    );
    assert.equal(
      await desk.call('countUserPosted', { userId: ADA.userId, lastFewDays: '1', level: '3' }),
      '1',
    );
    assert.equal(await desk.upload(guid, {}, BOB), true);
  });

  it('what is required, and in which order it is missed', async (t) => {
    const desk = await openImageDesk(t, fresh);
    const upload = (given: Record<string, unknown>) => desk.call('InsertArticleImageFile', given);
    await desk.refuses('MissingParameter', 'FileGuid', upload({}));
    await desk.refuses('MissingParameter', 'FileImg', upload({ FileGuid: 'a' }));
    await desk.refuses(
      'InvalidParameter',
      'FileImg',
      desk.upload('a', {}, SERVICE, Buffer.alloc(0)),
    );
    await desk.refuses(
      'InvalidParameter',
      'Link_Guid',
      desk.upload('a', { Link_Guid: 'l'.repeat(65) }),
    );
    assert.deepEqual(await desk.stored(), []);
  });

  it('a user token’s posts have a budget; repeats, replacements and refusals use up nothing', async (t) => {
    const desk = await openImageDesk(t, fresh, { postsPerUser: [{ limit: 2, window: DAY_MS }] });
    await desk.upload('a', {}, ADA);
    await desk.upload('a', {}, ADA);
    await desk.upload('a', {}, ADA, two);
    assert.deepEqual(await desk.upload('x', {}, ADA, Buffer.from('no image')), {
      result: false,
      code: 'ImageTypeRefused',
    });
    await desk.upload('b', {}, ADA);
    const before = await desk.stored();
    await desk.refuses('RateLimited', undefined, desk.upload('c', {}, ADA, blackPng(30, 30)));
    assert.deepEqual(await desk.stored(), before);
    assert.equal(await desk.row('c'), undefined);
    assert.equal(await desk.upload('c', {}, SERVICE), true);
  });

  it('races: what an image is found by is never older than its article, whichever comes first', async (t) => {
    const database = await fresh(t);
    const files = await freshFiles(t);
    const desks = [
      new ImageDesk(await database.open(), files),
      new ImageDesk(await database.open(), files),
    ] as const;
    const keys = Array.from({ length: 30 }, (_, index) => `link-${index}`);
    await Promise.all(
      keys.flatMap((guid, index) => [
        desks[index % 2]!.upload(`image ${guid}`, { Link_Guid: guid }),
        desks[(index + 1) % 2]!.call('InsertArticle', {
          guid,
          caption: `标题${index}号`,
          categoryGuid: 'c',
        }),
      ]),
    );
    for (const [index, guid] of keys.entries()) {
      assert.deepEqual(await desks[0].keys({ query: `标题${index}号`, nodeId: 'c' }), [
        `image ${guid}`,
      ]);
    }
  });

  it('races: two images that get each other’s picture, again and again from two nodes, never deadlock', async (t) => {
    const database = await fresh(t);
    const files = await freshFiles(t);
    const watcher = await database.open();
    const stores = [await database.open(), await database.open()] as const;
    const desks = stores.map((store) => new ImageDesk(store, files));
    await Promise.all([
      desks[0]!.upload('a', {}, SERVICE, one),
      desks[0]!.upload('b', {}, SERVICE, two),
    ]);
    for (let round = 0; round < 25; round++) {
      const [first, second] = round % 2 === 0 ? [two, one] : [one, two];
      const swapped = [
        desks[0]!.upload('a', {}, SERVICE, first),
        desks[1]!.upload('b', {}, SERVICE, second),
      ];
      assert.deepEqual(await Promise.all(swapped), [true, true]);
    }
    if (engine !== 'postgres') return;
    // A session tells of what it met at its end.
    await Promise.all(stores.map((store) => store.close()));
    const { rows } = await watcher.read((db) =>
      sql<{
        deadlocks: number;
      }>`select deadlocks from pg_stat_database where datname = current_database()`.execute(db),
    );
    assert.deepEqual(rows, [{ deadlocks: 0 }]);
  });

  it('races: of 60 calls from two nodes with three pictures one key and one file remain', async (t) => {
    const database = await fresh(t);
    const files = await freshFiles(t);
    const desks = [
      new ImageDesk(await database.open(), files),
      new ImageDesk(await database.open(), files),
    ] as const;
    const pictures = [one, two, blackPng(10, 10)];
    const results = await Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        const desk = desks[index % 2]!;
        if (index % 5 === 4)
          return desk.call('DeleImgById', { FileGuid: 'raced' }).catch((error) => error.code);
        return desk.upload('raced', { IsIcons: index % 3 === 0 }, SERVICE, pictures[index % 3]!);
      }),
    );
    assert.ok(
      results.every((result) => result === true || result === 'raced' || result === 'NotFound'),
      String(results),
    );
    await desks[0].upload('raced', {}, SERVICE, one);
    const [desk] = desks;
    const row = (await desk.row('raced'))!;
    const live = await desk.store.read((db) =>
      db.selectFrom('image_files').selectAll().where('deleted_at', 'is', null).execute(),
    );
    assert.deepEqual(
      live.map(({ hash }) => hash),
      [row.hash],
    );
    assert.ok((await desk.stored()).includes(live[0]!.stored_as));
    assert.equal((await desk.list()).total, 1);
    assert.equal((await desk.list({ ImgIcon: true })).total, row.is_icon);
  });

  it('the total of all images is right when an image is erased while another node hides it', async (t) => {
    const database = await fresh(t);
    const desk = new ImageDesk(await database.open(), await freshFiles(t));
    const { store, files } = desk;
    await desk.upload('hers', {}, ADA, one);
    for (const guid of ['b', 'c']) await desk.upload(guid, {}, BOB, two);
    const held = Promise.withResolvers<void>();
    const written = Promise.withResolvers<void>();
    const by = { tokenId: 't', address: '192.0.2.9' };
    const node = await database.open();
    const hiding = node.write(async (tx) => {
      await remove(tx, { kind: 'image', key: 'hers', by, at: NOW, reason: 'spam' });
      written.resolve();
      await held.promise;
    });
    await written.promise;
    const erasing = erasePerson({ store, files, clock: () => NOW }, ADA.userId!, undefined);
    if (engine === 'postgres') {
      const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      await until(async () => (await store.read((db) => waiting.execute(db))).rows.length > 0);
    }
    held.resolve();
    await Promise.all([hiding, erasing]);
    // Of a full page the total is not what is listed.
    const { items, total } = await desk.list({ pagesize: '1' });
    assert.deepEqual([items.length, total], [1, 2]);
  });
});
