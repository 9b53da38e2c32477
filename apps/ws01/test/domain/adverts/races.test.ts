import assert from 'node:assert/strict';
import { it } from 'node:test';
import { forEachEngine } from '../../kit/database.ts';
import { type OperationDesk, race, tallyOutcomes } from '../../kit/operation-desk.ts';

const GUID = '0f8fad5b-d9cb-469f-a165-70867728950e';

async function rows(desk: OperationDesk) {
  return desk.store.read(async (db) => ({
    adverts: await db.selectFrom('adverts').select(['guid', 'title']).execute(),
    postings: await db.selectFrom('postings').select('record_key').execute(),
    audit: await db.selectFrom('audit').select('target_key').execute(),
  }));
}

forEachEngine((_, fresh) => {
  it('200 equal adverts at once: every call answers the key, one advert, one posting', async (t) => {
    const given = { guid: GUID, title: 't', CreateUserId: 'ada', postAtCategoryGuid: 'c' };
    const { desk, outcomes } = await race(t, fresh, (one) => one.call('addNewAdvert', given));
    assert.deepEqual(tallyOutcomes(outcomes), { [GUID]: 200 });
    assert.deepEqual(await rows(desk), {
      adverts: [{ guid: GUID, title: 't' }],
      postings: [{ record_key: GUID }],
      audit: [{ target_key: GUID }],
    });
  });

  it('200 adverts of 200 contents under one key at once: one is there, the others are AlreadyExists', async (t) => {
    const { desk, outcomes } = await race(t, fresh, (one, index) =>
      one.call('addNewAdvert', { guid: GUID, title: `title ${index}` }),
    );
    assert.deepEqual(tallyOutcomes(outcomes), { [GUID]: 1, 'error AlreadyExists': 199 });
    const { adverts, postings } = await rows(desk);
    assert.deepEqual(adverts, [{ guid: GUID, title: `title ${outcomes.indexOf(GUID)}` }]);
    assert.equal(postings.length, 1);
  });

  it('200 equal adverts without a key at once: every call answers one key, one advert, one posting', async (t) => {
    const { desk, outcomes } = await race(t, fresh, (one) =>
      one.call('addNewAdvert', { title: 't', detail: '漢字' }),
    );
    const [guid] = outcomes;
    assert.deepEqual(tallyOutcomes(outcomes), { [guid!]: 200 });
    const { adverts, postings } = await rows(desk);
    assert.deepEqual([adverts.map((advert) => advert.guid), postings.length], [[guid], 1]);
  });

  it('200 adverts without a key, of 20 contents, at once: 20 adverts', async (t) => {
    const { desk, outcomes } = await race(t, fresh, (one, index) =>
      one.call('addNewAdvert', { title: `title ${index % 20}` }),
    );
    const { adverts, postings } = await rows(desk);
    assert.deepEqual([adverts.length, postings.length], [20, 20]);
    for (const { guid, title } of adverts) {
      assert.equal(outcomes.filter((outcome) => outcome === guid).length, 10, title);
    }
  });
});
