import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { AuditTable } from '../../src/store/tables/tables.ts';
import { forEachEngine } from '../kit/database.ts';
import { LinkDesk } from '../kit/links.ts';
import { OBSERVED, OperationDesk } from '../kit/operation-desk.ts';
import { PHONE, PhoneDesk } from '../kit/phone.ts';

/** Stands in every text that must not be in the trail: credentials, contents, remarks. */
const SECRET = 'hush-漢字-😀';

forEachEngine((_engine, fresh) => {
  it('every operation that changes something tells the trail who, what, on what, from where and when, and no secret', async (t) => {
    const store = await (await fresh(t)).open();
    const desk = new OperationDesk(store);
    const phone = new PhoneDesk(store);
    const links = new LinkDesk(store);
    let code = '';
    let short = '';
    // Contents of articles tell themselves who wrote them; the trail has what happens to articles otherwise.
    const article = { token: SECRET, guid: 'a' };
    const said = { caption: SECRET, content: SECRET, contactPhone: SECRET };
    await desk.call('InsertArticle', { ...article, ...said });
    const user = { tokenId: SECRET, userId: 'u' };

    // By what the trail has of each: action, kind and key of the target.
    const steps: Readonly<Record<string, () => Promise<unknown>>> = {
      'article.pin article a': () =>
        desk.call('UpdatePinnedTopDueDateByGuid', { ...article, pinnedTopDueDate: desk.now + 1 }),
      'article.categorise article a': () =>
        desk.call('UpdateArticleCategory', { ...article, cateId: 'c' }),
      'article.trash article a': () => desk.call('DeleteArticleByGuid', article),
      'article.restore article a': () =>
        desk.call('InsertArticle', { ...article, content: SECRET }),
      'advert.create advert v': () =>
        desk.call('addNewAdvert', {
          ...{ tokenId: SECRET, guid: 'v' },
          ...{ title: SECRET, detail: SECRET, linkTxt: SECRET },
        }),
      'user.update user u': () => desk.call('updateUserInfo', { ...user, firstName: 'Ada' }),
      'user.phone user u': () => desk.call('updateUserCellphone', { ...user, cellPhone: PHONE }),
      'review.create review v': () =>
        desk.call('submitReview', { id: 'v', IsPositive: 'up', Mark: SECRET }),
      'review.replace review v': () =>
        desk.call('submitReview', { id: 'v', IsPositive: 'down', Mark: SECRET }),
      'code.create user u': async () => {
        code = await phone.create(user);
      },
      'code.attempt user u': () => phone.verify('wrong', user),
      'code.verify user u': () => phone.verify(code, user),
      'link.create link': async () => {
        const _userEmail = 'hush@example.org';
        short = await links.shorten(`http://example.org/${SECRET}`, { _userEmail });
      },
      'link.disable link': () => links.links.disable(short),
    };

    const seen = new Set<string>();
    for (const [step, change] of Object.entries(steps)) {
      const [action = '', kind, key] = step.split(' ');
      const token = kind === 'link' ? null : 't-service';
      desk.now += 1;
      phone.now = links.now = desk.now;
      await change();
      const fresh = (await trail(store)).filter(({ id }) => !seen.has(id));
      for (const { id } of fresh) seen.add(id);
      const told =
        fresh.find((entry) => entry.action === action) ?? assert.fail(`${action} is not told`);
      assert.deepEqual(
        [told.target_kind, told.target_key, told.token_id, told.at],
        [kind, key ?? short, token, desk.now],
        action,
      );
      assert.equal(told.address, action === 'link.disable' ? null : OBSERVED, action);
    }

    const trailed = (await trail(store))
      .map(({ action, target_key, details }) => `${action} ${target_key} ${details}`)
      .join();
    for (const hidden of [SECRET, code, 'hush', encodeURI(SECRET)])
      assert.ok(!trailed.includes(hidden), hidden);
    const [row] = await store.read((db) =>
      db.selectFrom('articles').select(['token_id', 'ip']).execute(),
    );
    assert.deepEqual(row, { token_id: 't-service', ip: OBSERVED });
  });

  async function trail(store: PhoneDesk['store']): Promise<AuditTable[]> {
    return store.read((db) =>
      db.selectFrom('audit').selectAll().orderBy('at').orderBy('id').execute(),
    );
  }
});
