import assert from 'node:assert/strict';
import { it } from 'node:test';
import { VERIFICATION_MS } from '../../src/domain/users/operations.ts';
import { forEachEngine } from '../kit/database.ts';
import { HOSTILE_LINE } from '../kit/hostile-texts.ts';
import {
  ADA,
  ADMIN,
  checkRules,
  NOW,
  type OperationDesk,
  type Rules,
  race,
  tallyOutcomes,
} from '../kit/operation-desk.ts';

const PHONE = '+12125550100';
const PHONE_CALL = 'updateUserCellphone';

const PROFILE = {
  firstName: 'Ada',
  lastName: HOSTILE_LINE,
  zipCode: '10001',
  state: 'NY',
  city: 'New York',
  address: '1 Main Street',
  address2: 'Flat 2',
};

function user(desk: OperationDesk, id: string) {
  return desk.store.read((db) =>
    db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst(),
  );
}

async function profile(desk: OperationDesk, id: string) {
  const { first_name, last_name, zip_code, state, city, address, address2 } =
    (await user(desk, id)) ?? {};
  return [first_name, last_name, zip_code, state, city, address, address2];
}

async function phone(desk: OperationDesk, id: string) {
  const row = await user(desk, id);
  return [row?.cell_phone, row?.cell_phone_verified_at];
}

/** As operation 10 does it. */
function verify(desk: OperationDesk, user_id: string, number: string, verified_at = desk.now) {
  return desk.store.write((tx) =>
    tx.insertInto('phone_verifications').values({ user_id, phone: number, verified_at }).execute(),
  );
}

const profiles: Rules = {
  'stores every field as sent, returns the key of the user': async (desk, id) => {
    assert.equal(
      await desk.call('updateUserInfo', { userId: `{${id.toUpperCase()}}`, ...PROFILE }),
      id,
    );
    assert.deepEqual(await profile(desk, id), Object.values(PROFILE));
  },

  'an absent field keeps, an empty one clears': async (desk, userId) => {
    await desk.call('updateUserInfo', { userId, ...PROFILE });
    await desk.call('updateUserInfo', { userId, firstName: '', state: ' ', city: 'Paris' });
    const kept = [null, HOSTILE_LINE, '10001', null, 'Paris', '1 Main Street', 'Flat 2'];
    assert.deepEqual(await profile(desk, userId), kept);
    await desk.call('updateUserInfo', { userId });
    assert.deepEqual(await profile(desk, userId), kept);
  },

  'an unknown user that a service or an admin names comes into being, unregistered': async (
    desk,
    key,
  ) => {
    for (const caller of [undefined, ADMIN]) {
      const userId = `${key} ${caller?.kind}`;
      await desk.call('updateUserInfo', { userId }, caller);
      const row = await user(desk, userId);
      assert.deepEqual([row?.registered, row?.created_at, row?.email], [0, NOW, null]);
    }
  },

  'the audit trail has the earlier value of each field that changed': async (desk, userId) => {
    await desk.call('updateUserInfo', { userId, ...PROFILE });
    desk.now += 1;
    const given = { firstName: 'Grace', zipCode: '', city: 'New York' };
    await desk.call('updateUserInfo', { userId, ...given });
    const [, second, ...more] = await desk.audit('user', userId);
    assert.deepEqual(second, {
      action: 'user.update',
      details: { firstName: 'Ada', zipCode: '10001' },
      token_id: 't-service',
    });
    assert.deepEqual(more, []);
  },

  'the same call again changes nothing': async (desk, userId) => {
    await desk.call('updateUserInfo', { userId, ...PROFILE });
    const before = [await user(desk, userId), await desk.audit('user', userId)];
    desk.now += 1;
    assert.equal(await desk.call('updateUserInfo', { userId, ...PROFILE }), userId);
    assert.deepEqual([await user(desk, userId), await desk.audit('user', userId)], before);
  },

  'userId is required': async (desk) => {
    for (const userId of [undefined, '', ' ', '00000000-0000-0000-0000-000000000000']) {
      await desk.refuses('MissingParameter', 'userId', 'updateUserInfo', { userId, city: 'x' });
      await desk.refuses('MissingParameter', 'userId', PHONE_CALL, {
        userId,
        cellPhone: '',
      });
    }
  },
};

const bound: Rules = {
  'a user token changes its user, named or not': async (desk, id) => {
    const caller = { ...ADA, userId: id };
    await desk.call('updateUserInfo', { userId: id });
    assert.equal(await desk.call('updateUserInfo', { userId: id, city: 'Paris' }, caller), id);
    assert.equal(await desk.call('updateUserInfo', { userId: '', state: 'NY' }, caller), id);
    assert.equal(await desk.call(PHONE_CALL, { cellPhone: PHONE }, caller), id);
    const row = await user(desk, id);
    assert.deepEqual([row?.city, row?.state, row?.cell_phone], ['Paris', 'NY', PHONE]);
  },

  'a user token that names another user is Forbidden, known or not': async (desk, id) => {
    await desk.call('updateUserInfo', { userId: id, city: 'Paris' });
    for (const userId of [id, `unknown ${id}`]) {
      await desk.refuses('Forbidden', 'userId', 'updateUserInfo', { userId, city: 'x' }, ADA);
      await desk.refuses('Forbidden', 'userId', PHONE_CALL, { userId, cellPhone: '' }, ADA);
    }
    assert.equal((await user(desk, id))?.city, 'Paris');
  },

  'a user token of a user that is not known is NotFound, and makes none': async (desk, id) => {
    const caller = { ...ADA, userId: id };
    await desk.refuses('NotFound', 'userId', 'updateUserInfo', { userId: id, city: 'x' }, caller);
    await desk.refuses('NotFound', 'userId', PHONE_CALL, { cellPhone: PHONE }, caller);
    assert.equal(await user(desk, id), undefined);
  },
};

const phones: Rules = {
  'stores the number in the normal form that every operation uses': async (desk, userId) => {
    for (const written of ['+1 212 555 0100', '００1-212.555/0100', '+1 (212) 555-0100']) {
      assert.equal(await desk.call(PHONE_CALL, { userId, cellPhone: written }), userId);
      assert.deepEqual(await phone(desk, userId), [PHONE, null], written);
      await desk.call(PHONE_CALL, { userId, cellPhone: '' });
    }
  },

  'an empty number removes it, an absent one is MissingParameter and keeps it': async (
    desk,
    userId,
  ) => {
    await desk.call(PHONE_CALL, { userId, cellPhone: PHONE });
    await desk.refuses('MissingParameter', 'cellPhone', PHONE_CALL, { userId });
    assert.deepEqual(await phone(desk, userId), [PHONE, null]);
    await desk.call(PHONE_CALL, { userId, cellPhone: ' ' });
    assert.deepEqual(await phone(desk, userId), [null, null]);
  },

  'what is no phone number is InvalidParameter': async (desk, userId) => {
    for (const cellPhone of ['call me', '+1', '1234', '12345678901234567', '+999999999999']) {
      await desk.refuses('InvalidParameter', 'cellPhone', PHONE_CALL, {
        userId,
        cellPhone,
      });
    }
    assert.equal(await user(desk, userId), undefined);
  },

  'an unknown user that a service names comes into being, unregistered': async (desk, userId) => {
    await desk.call(PHONE_CALL, { userId, cellPhone: PHONE });
    assert.equal((await user(desk, userId))?.registered, 0);
  },

  'verified within 30 minutes: marked so, with the time of the verification': async (
    desk,
    userId,
  ) => {
    await verify(desk, userId, PHONE);
    desk.now += VERIFICATION_MS - 1;
    await desk.call(PHONE_CALL, { userId, cellPhone: '+1 212-555-0100' });
    assert.deepEqual(await phone(desk, userId), [PHONE, NOW]);
  },

  'verified 30 minutes ago: not marked': async (desk, userId) => {
    await verify(desk, userId, PHONE);
    desk.now += VERIFICATION_MS;
    await desk.call(PHONE_CALL, { userId, cellPhone: PHONE });
    assert.deepEqual(await phone(desk, userId), [PHONE, null]);
  },

  'another user’s or another number’s verification does not count': async (desk, userId) => {
    await verify(desk, `other ${userId}`, PHONE);
    await verify(desk, userId, '+12125550101');
    await desk.call(PHONE_CALL, { userId, cellPhone: PHONE });
    assert.deepEqual(await phone(desk, userId), [PHONE, null]);
  },

  'the same number again stays verified; another one, or none between, does not': async (
    desk,
    userId,
  ) => {
    await verify(desk, userId, PHONE);
    await desk.call(PHONE_CALL, { userId, cellPhone: PHONE });
    desk.now += 10 * VERIFICATION_MS;
    await desk.call(PHONE_CALL, { userId, cellPhone: PHONE });
    assert.deepEqual(await phone(desk, userId), [PHONE, NOW]);
    await desk.call(PHONE_CALL, { userId, cellPhone: '+12125550101' });
    assert.deepEqual(await phone(desk, userId), ['+12125550101', null]);
    await desk.call(PHONE_CALL, { userId, cellPhone: PHONE });
    assert.deepEqual(await phone(desk, userId), [PHONE, null]);
  },

  'the same number, verified since, becomes verified': async (desk, userId) => {
    await desk.call(PHONE_CALL, { userId, cellPhone: PHONE });
    await verify(desk, userId, PHONE, NOW + 5);
    desk.now += 10;
    await desk.call(PHONE_CALL, { userId, cellPhone: PHONE });
    assert.deepEqual(await phone(desk, userId), [PHONE, NOW + 5]);
  },

  'the audit trail has the earlier number, and nothing of a repeat': async (desk, userId) => {
    for (const cellPhone of [PHONE, PHONE, '', '']) {
      desk.now += 1;
      await desk.call(PHONE_CALL, { userId, cellPhone });
    }
    assert.deepEqual(
      (await desk.audit('user', userId)).map(({ action, details }) => [action, details]),
      [
        ['user.phone', { cellPhone: null, verified: false }],
        ['user.phone', { cellPhone: PHONE, verified: false }],
      ],
    );
  },
};

const nationalPhones: Rules = {
  'without a country code a number is the default country’s': async (desk, userId) => {
    await desk.call(PHONE_CALL, { userId, cellPhone: '138 0013 8000' });
    assert.deepEqual(await phone(desk, userId), ['+8613800138000', null]);
  },
};

forEachEngine((_, fresh) => {
  it('updateUserInfo changes profiles', (t) => checkRules(t, fresh, profiles));
  it('updateUserInfo and updateUserCellphone know whose the call is', (t) =>
    checkRules(t, fresh, bound));
  it('updateUserCellphone changes numbers', (t) => checkRules(t, fresh, phones));
  it('updateUserCellphone reads national numbers', (t) =>
    checkRules(t, fresh, nationalPhones, { defaultCountry: 'CN' }));

  it('200 changes of one field at once: every value but the last is in the audit trail, once', async (t) => {
    const { desk, outcomes } = await race(t, fresh, (one, index) =>
      one.call('updateUserInfo', { userId: 'ada', city: `city ${index}` }),
    );
    assert.deepEqual(tallyOutcomes(outcomes), { ada: 200 });
    const row = await user(desk, 'ada');
    const earlier = (await desk.audit('user', 'ada')).map(
      ({ details }) => (details as { city: string | null }).city,
    );
    const values = [...earlier, row?.city].filter((city) => city !== null);
    assert.deepEqual(
      values.toSorted(),
      Array.from({ length: 200 }, (_unused, index) => `city ${index}`).toSorted(),
    );
  });

  it('200 changes of different fields at once: none is lost', async (t) => {
    const fields = Object.keys(PROFILE) as (keyof typeof PROFILE)[];
    const { desk } = await race(t, fresh, (one, index) => {
      const field = fields[index % fields.length]!;
      return one.call('updateUserInfo', { userId: 'ada', [field]: PROFILE[field] });
    });
    assert.deepEqual(await profile(desk, 'ada'), Object.values(PROFILE));
    assert.equal((await desk.audit('user', 'ada')).length, fields.length);
  });
});
