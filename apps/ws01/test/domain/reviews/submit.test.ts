import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MINUTE_MS } from '@ws01/asmx/time';
import { forBothEngines } from '../../kit/database.ts';
import { HOSTILE_TEXT } from '../../kit/hostile-texts.ts';
import {
  ANYBODY,
  checkRules,
  NOW,
  OBSERVED,
  OperationDesk,
  type Rules,
} from '../../kit/operation-desk.ts';
import { addImage, postings, refuses, reviews, submit } from './reviewing.ts';

const answers: Rules = {
  'answers the tally with the review in it, and the review': async (desk, id) => {
    const text = await desk.call(
      'submitReview',
      { id: `{${id.toUpperCase()}}`, IsPositive: 'up', userId: 'ada' },
      ANYBODY,
    );
    assert.equal(
      text,
      `{"id":"${id}","positive":1,"negative":0,"score":0.206549,"averageMark":null,"marks":0,"yours":{"isPositive":true,"mark":null}}`,
    );
    const tally = { id, positive: 1, negative: 1, score: 0.094531, averageMark: 4.5, marks: 1 };
    assert.deepEqual(await submit(desk, id, { IsPositive: 'no', Mark: '4.5', userId: 'bob' }), {
      ...tally,
      yours: { isPositive: false, mark: 4.5 },
    });
    assert.deepEqual(await submit(desk, id, { Mark: HOSTILE_TEXT, userId: 'cleo' }), {
      ...tally,
      yours: { isPositive: null, mark: HOSTILE_TEXT },
    });
  },

  'the average is of the ratings alone, to two decimals': async (desk, id) => {
    const given = { a: '5', b: '4', c: '4', d: 'a remark' };
    for (const [userId, Mark] of Object.entries(given)) await submit(desk, id, { Mark, userId });
    const { averageMark, marks, score } = await submit(desk, id, { IsPositive: '0', userId: 'e' });
    assert.deepEqual([averageMark, marks, score], [4.33, 3, 0]);
  },

  'anything can be reviewed, known or not': async (desk, key) => {
    await desk.call('InsertArticle', { guid: `a ${key}`, caption: 'c', CreateUserId: 'owner' });
    for (const id of [`a ${key}`, `unknown ${key}`, `用户 ${key.slice(0, 8)}`]) {
      assert.equal((await submit(desk, id, { Mark: '5', userId: 'ada' })).id, id);
    }
  },
};

const voters: Rules = {
  'a repeat of a voter replaces: all of it': async (desk, id) => {
    await submit(desk, id, { IsPositive: '1', Mark: '5', userId: 'ada' });
    assert.deepEqual(await submit(desk, id, { IsPositive: '0', userId: 'ada' }), {
      ...{ id, positive: 0, negative: 1, score: 0, averageMark: null, marks: 0 },
      yours: { isPositive: false, mark: null },
    });
    const remark = await submit(desk, id, { Mark: 'a remark', userId: 'ada' });
    assert.deepEqual([remark.negative, remark.yours], [0, { isPositive: null, mark: 'a remark' }]);
    assert.equal((await reviews(desk, id)).length, 1);
  },

  'a vote is taken back, and again, and given anew': async (desk, id) => {
    const nothing = { id, positive: 0, negative: 0, score: 0, averageMark: null, marks: 0 };
    const back = { ...nothing, yours: { isPositive: null, mark: null } };
    await submit(desk, id, { IsPositive: '1', Mark: '5', userId: 'ada' });
    await submit(desk, id, { IsPositive: '0', userId: 'bob' });
    for (const given of [{}, { IsPositive: ' ', Mark: '' }])
      assert.deepEqual(await submit(desk, id, { ...given, userId: 'ada' }), {
        ...back,
        negative: 1,
      });
    assert.deepEqual(await submit(desk, id, { userId: 'bob' }), back);
    const trail = await desk.audit('review', id);
    assert.equal(trail.filter(({ action }) => action === 'review.withdraw').length, 2);
    assert.equal((await submit(desk, id, { IsPositive: '1', userId: 'ada' })).positive, 1);
    // Nobody takes back what another said.
    const given = { id, userId: 'eve' };
    await refuses(desk, 'MissingParameter', 'IsPositive', given);
  },

  'the same call again has the same answer and changes nothing': async (desk, id) => {
    for (const given of [
      { IsPositive: '1' },
      { Mark: '5' },
      { IsPositive: '0', Mark: HOSTILE_TEXT },
    ]) {
      const first = await submit(desk, id, { ...given, userId: 'ada' });
      const [row] = await reviews(desk, id);
      const audit = await desk.audit('review', id);
      desk.now += 1;
      assert.deepEqual(await submit(desk, id, { ...given, userId: 'ada' }, '203.0.113.9'), first);
      assert.deepEqual(await reviews(desk, id), [row]);
      assert.deepEqual(await desk.audit('review', id), audit);
    }
  },

  'the voter is the user, from wherever': async (desk, id) => {
    await submit(desk, id, { IsPositive: '1', userId: 'ada' }, '192.0.2.1');
    const { positive } = await submit(desk, id, { IsPositive: '1', userId: 'ada' }, '192.0.2.2');
    assert.equal(positive, 1);
    assert.equal(
      (await submit(desk, id, { IsPositive: '1', userId: 'bob' }, '192.0.2.1')).positive,
      2,
    );
  },

  'without a user the voter is the address observed, an IPv6 address its /64': async (desk, id) => {
    await submit(desk, id, { IsPositive: '1' }, '192.0.2.1');
    await submit(desk, id, { IsPositive: '1', userId: '' }, '192.0.2.1');
    await submit(desk, id, { IsPositive: '1' }, '2001:db8::1');
    const { positive } = await submit(desk, id, { IsPositive: '1' }, '2001:db8::ffff:1');
    assert.equal(positive, 2);
    assert.equal((await submit(desk, id, { IsPositive: '1' }, '2001:db8:0:1::1')).positive, 3);
  },

  'an address that the call names is noted, and not believed': async (desk, id) => {
    await submit(desk, id, { IsPositive: '1', ip: '203.0.113.1' });
    const { positive } = await submit(desk, id, { IsPositive: '1', ip: '::ffff:203.0.113.2' });
    assert.equal(positive, 1);
    const [row] = await reviews(desk, id);
    assert.deepEqual(
      [row?.voter, row?.ip, row?.claimed_ip],
      [`address:${OBSERVED}`, OBSERVED, '203.0.113.1'],
    );
  },

  'a user’s key and an address never are one voter': async (desk, id) => {
    await submit(desk, id, { IsPositive: '1' });
    assert.equal((await submit(desk, id, { IsPositive: '1', userId: OBSERVED })).positive, 2);
    assert.equal(
      (await submit(desk, id, { IsPositive: '1', userId: `address:${OBSERVED}` })).positive,
      3,
    );
  },

  'a first review is one posting of the voter; a changed one is none': async (desk, id) => {
    const userId = `voter ${id}`;
    await submit(desk, id, { IsPositive: '1', userId });
    desk.now += 1;
    await submit(desk, id, { IsPositive: '0', userId });
    const [row] = await reviews(desk, id);
    assert.deepEqual(await postings(desk, userId), [
      { record_key: row?.id, network: OBSERVED, at: NOW },
    ]);
    assert.deepEqual([row?.created_at, row?.updated_at], [NOW, NOW + 1]);
  },

  'the audit trail has each change, and who was claimed': async (desk, id) => {
    await submit(desk, id, { IsPositive: '1', userId: 'ada', ip: '203.0.113.1' });
    desk.now += 1;
    await submit(desk, id, { Mark: 'secret remark', userId: 'ada' });
    assert.deepEqual(await desk.audit('review', id), [
      {
        action: 'review.create',
        details: { claimedUser: 'ada', claimedAddress: '203.0.113.1' },
        token_id: null,
      },
      { action: 'review.replace', details: { claimedUser: 'ada' }, token_id: null },
    ]);
  },

  'a user that is merely named here does not come into being': async (desk, id) => {
    await submit(desk, id, { IsPositive: '1', userId: `nobody ${id}` });
    const users = await desk.store.read((db) =>
      db.selectFrom('users').select('id').where('id', '=', `nobody ${id}`).execute(),
    );
    assert.deepEqual(users, []);
  },
};

const refusals: Rules = {
  'IsPositive or Mark is required, and so is id': async (desk, id) => {
    for (const given of [{}, { IsPositive: '', Mark: '' }, { IsPositive: '\t', Mark: '\n ' }]) {
      await refuses(desk, 'MissingParameter', 'IsPositive', { id, ...given });
    }
    await refuses(desk, 'MissingParameter', 'id', { IsPositive: '1' });
  },

  'a vote that is none is InvalidParameter, before what comes after it': async (desk, id) => {
    const given = { id, IsPositive: 'maybe', userId: 'x'.repeat(65) };
    await refuses(desk, 'InvalidParameter', 'IsPositive', given);
    await refuses(desk, 'InvalidParameter', 'userId', { ...given, IsPositive: '1' });
  },

  'one’s own article or advert is Forbidden, in the trash too; others review it': async (
    desk,
    key,
  ) => {
    const [owner, article, advert] = [`owner ${key}`, `article ${key}`, `advert ${key}`];
    await desk.call('InsertArticle', { guid: article, caption: 'c', CreateUserId: owner });
    await desk.call('addNewAdvert', { guid: advert, title: 't', CreateUserId: owner });
    for (const id of [article, advert]) {
      await refuses(desk, 'Forbidden', 'id', { id, IsPositive: '1', userId: owner });
      assert.equal((await submit(desk, id, { IsPositive: '1', userId: 'ada' })).positive, 1);
    }
    await desk.call('DeleteArticleByGuid', { guid: article });
    await refuses(desk, 'Forbidden', 'id', { id: article, IsPositive: '1', userId: owner });
  },

  'one’s own image is Forbidden; others review it': async (desk, id) => {
    await addImage(desk, id, 'ada');
    await refuses(desk, 'Forbidden', 'id', { id, IsPositive: '1', userId: 'ada' });
    assert.equal((await submit(desk, id, { IsPositive: '1', userId: 'bob' })).positive, 1);
  },

  'a key that two kinds of record share is one’s own when either is': async (desk, id) => {
    await desk.call('InsertArticle', { guid: id, caption: 'c', CreateUserId: 'other' });
    await desk.call('addNewAdvert', { guid: id, title: 't', CreateUserId: 'ada' });
    for (const userId of ['ada', 'other']) {
      await refuses(desk, 'Forbidden', 'id', { id, IsPositive: '1', userId });
    }
  },

  'oneself is Forbidden': async (desk, id) => {
    await refuses(desk, 'Forbidden', 'id', { id, IsPositive: '1', userId: id });
  },

  'a record without an owner is nobody’s own': async (desk, id) => {
    await desk.call('InsertArticle', { guid: id, caption: 'c' });
    assert.equal((await submit(desk, id, { IsPositive: '1' })).positive, 1);
    assert.equal((await submit(desk, id, { IsPositive: '1', userId: 'ada' })).positive, 2);
  },
};

forBothEngines((_, fresh) => {
  it('submitReview answers', (t) => checkRules(t, fresh, answers));
  it('submitReview knows voters', (t) => checkRules(t, fresh, voters));
  it('submitReview refuses', (t) => checkRules(t, fresh, refusals));

  it('submitReview is budgeted by address, repeats and refused calls not', async (t) => {
    const rates = { reviewsPerAddress: [{ limit: 2, window: MINUTE_MS }] };
    const desk = new OperationDesk(await (await fresh(t)).open(), { rates });
    const vote = { id: 'x', IsPositive: '1' };
    await refuses(desk, 'MissingParameter', 'IsPositive', { id: 'x' });
    for (const userId of ['a', 'a', 'a', 'b']) {
      await submit(desk, 'x', { ...vote, userId });
    }
    await desk.refuses('RateLimited', undefined, 'submitReview', { ...vote, userId: 'c' }, ANYBODY);
    await submit(desk, 'x', { ...vote, userId: 'c' }, '203.0.113.1');
  });
});
