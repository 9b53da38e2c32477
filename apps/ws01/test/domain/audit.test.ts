import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { AuditTable } from '../../src/store/tables/tables.ts';
import { forEachEngine } from '../kit/database.ts';
import { LinkDesk } from '../kit/links.ts';
import { OBSERVED, OperationDesk } from '../kit/operation-desk.ts';
import { PHONE, PhoneDesk } from '../kit/phone.ts';

/** Stands in every text that must not be in the trail: credentials, contents, remarks. */
const SECRET = 'hush-漢字-😀';

/** A change, and the entry that tells of it: action, kind and key of the target, credential. */
type Step = readonly [
  change: () => Promise<unknown>,
  told: readonly [string, string, string, string | null],
];

forEachEngine((_engine, fresh) => {
  it('every operation that changes something tells the trail who, what, on what, from where and when, and no secret', async (t) => {
    const store = await (await fresh(t)).open();
    const desk = new OperationDesk(store);
    const phone = new PhoneDesk(store);
    const links = new LinkDesk(store);
    let code = '';
    let short = '';
    // Contents of articles tell themselves who wrote them; the trail has what happens to articles otherwise.
    await desk.call('InsertArticle', {
      token: SECRET,
      guid: 'a',
      caption: SECRET,
      content: SECRET,
      contactPhone: SECRET,
    });

    const steps: readonly Step[] = [
      [
        () =>
          desk.call('UpdatePinnedTopDueDateByGuid', {
            token: SECRET,
            guid: 'a',
            pinnedTopDueDate: desk.now + 1,
          }),
        ['article.pin', 'article', 'a', 't-service'],
      ],
      [
        () => desk.call('UpdateArticleCategory', { token: SECRET, guid: 'a', cateId: 'c' }),
        ['article.categorise', 'article', 'a', 't-service'],
      ],
      [
        () => desk.call('DeleteArticleByGuid', { token: SECRET, guid: 'a' }),
        ['article.trash', 'article', 'a', 't-service'],
      ],
      [
        () => desk.call('InsertArticle', { token: SECRET, guid: 'a', content: SECRET }),
        ['article.restore', 'article', 'a', 't-service'],
      ],
      [
        () =>
          desk.call('addNewAdvert', {
            tokenId: SECRET,
            guid: 'v',
            title: SECRET,
            detail: SECRET,
            linkTxt: SECRET,
          }),
        ['advert.create', 'advert', 'v', 't-service'],
      ],
      [
        () => desk.call('updateUserInfo', { tokenId: SECRET, userId: 'u', firstName: 'Ada' }),
        ['user.update', 'user', 'u', 't-service'],
      ],
      [
        () => desk.call('updateUserCellphone', { tokenId: SECRET, userId: 'u', cellPhone: PHONE }),
        ['user.phone', 'user', 'u', 't-service'],
      ],
      [
        () => desk.call('submitReview', { id: 'v', IsPositive: 'up', Mark: SECRET }),
        ['review.create', 'review', 'v', 't-service'],
      ],
      [
        () => desk.call('submitReview', { id: 'v', IsPositive: 'down', Mark: SECRET }),
        ['review.replace', 'review', 'v', 't-service'],
      ],
      [
        async () => {
          code = await phone.create({ tokenId: SECRET, userId: 'u' });
        },
        ['code.create', 'user', 'u', 't-service'],
      ],
      [
        () => phone.verify('wrong', { tokenId: SECRET, userId: 'u' }),
        ['code.attempt', 'user', 'u', 't-service'],
      ],
      [
        () => phone.verify(code, { tokenId: SECRET, userId: 'u' }),
        ['code.verify', 'user', 'u', 't-service'],
      ],
      [
        async () => {
          short = await links.shorten(`http://example.org/${SECRET}`, {
            _userEmail: 'hush@example.org',
          });
        },
        ['link.create', 'link', '', null],
      ],
      [() => links.links.disable(short), ['link.disable', 'link', '', null]],
    ];

    const seen = new Set<string>();
    for (const [change, [action, kind, key, token]] of steps) {
      desk.now += 1;
      phone.now = links.now = desk.now;
      await change();
      const fresh = (await trail(store)).filter(({ id }) => !seen.has(id));
      for (const { id } of fresh) seen.add(id);
      const told =
        fresh.find((entry) => entry.action === action) ?? assert.fail(`${action} is not told`);
      assert.deepEqual(
        [told.target_kind, told.target_key, told.token_id, told.at],
        [kind, key === '' ? short : key, token, desk.now],
        action,
      );
      assert.equal(told.address, action === 'link.disable' ? null : OBSERVED, action);
    }

    const said = (await trail(store))
      .map(({ action, target_key, details }) => `${action} ${target_key} ${details}`)
      .join();
    for (const hidden of [SECRET, code, 'hush', encodeURI(SECRET)])
      assert.ok(!said.includes(hidden), hidden);
    const [article] = await store.read((db) =>
      db.selectFrom('articles').select(['token_id', 'ip']).execute(),
    );
    assert.deepEqual(article, { token_id: 't-service', ip: OBSERVED });
  });

  async function trail(store: PhoneDesk['store']): Promise<AuditTable[]> {
    return store.read((db) =>
      db.selectFrom('audit').selectAll().orderBy('at').orderBy('id').execute(),
    );
  }
});
