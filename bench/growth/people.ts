import type { BenchDatabase } from '../kit/database.ts';
import { insertRows, keyOf } from '../kit/rows.ts';
import { type Area, type Growth, scattered } from './area.ts';

const NOW = 1_790_000_000_000;
const phoneOf = (number: number) => `+1212${String(number).padStart(7, '0')}`;
const PHONE = `'+1212' || substr(cast(10000000 + i as text), 2)`;

/** Users, with a verified number each. */
export const users: Area = {
  name: 'users',
  most: 10_000_000,
  async fill(database, growth) {
    await fillUsers(database, growth);
    await insertRows(database, 'phone_verifications', growth, ({ key }) => ({
      user_id: key('i'),
      phone: PHONE,
      verified_at: NOW,
    }));
  },
  workloads({ call }, rows) {
    const user = (turn: number) => keyOf(scattered(turn, rows));
    return [
      {
        name: 'updateUserInfo, a user there is',
        call: (turn) =>
          call('updateUserInfo', {
            userId: user(turn),
            firstName: `Ada ${Math.random()}`,
            city: '東京',
          }),
      },
      {
        name: 'updateUserInfo, a new user',
        call: () => call('updateUserInfo', { userId: `new ${Math.random()}`, city: '東京' }),
      },
      {
        name: 'updateUserCellphone',
        call: (turn) =>
          call('updateUserCellphone', { userId: user(turn), cellPhone: phoneOf(5_550_000 + turn) }),
      },
    ];
  },
};

/** Verification codes that wait for their answers, one for each user, and the budgets of their numbers. */
export const phone: Area = {
  name: 'phone',
  most: 10_000_000,
  async fill(database, growth) {
    await fillUsers(database, growth);
    await insertRows(database, 'phone_codes', growth, ({ key, digest }) => ({
      user_id: key('i'),
      phone: PHONE,
      id: key('i + 7'),
      key_id: 1,
      hash: digest('i'),
      attempts: 0,
      expires_at: 4_000_000_000_000,
    }));
    const budget = () => ({
      name: `'codesPerPhone 3600000'`,
      key: PHONE,
      used: 1,
      resets_at: 4_000_000_000_000,
    });
    await insertRows(database, 'budgets', growth, budget, 'number');
  },
  workloads({ call }, rows) {
    const holder = (turn: number) => {
      const number = scattered(turn, rows);
      return { userId: keyOf(number), cellphone: phoneOf(number) };
    };
    const codes: string[] = [];
    return [
      { name: 'CreateVerifyCode', call: (turn) => call('CreateVerifyCode', holder(turn)) },
      {
        name: 'VerifyCodeForPhone, wrong',
        call: (turn) => call('VerifyCodeForPhone', { ...holder(turn), VerifyCode: 'wrong' }),
      },
      {
        name: 'VerifyCodeForPhone, right',
        prepare: async (calls) => {
          for (let turn = 0; turn < calls; turn++) {
            codes.push(
              String(await call('CreateVerifyCode', { ...holder(turn), userId: `holder ${turn}` })),
            );
          }
        },
        call: async (turn) => {
          const given = { ...holder(turn), userId: `holder ${turn}`, VerifyCode: codes[turn]! };
          if ((await call('VerifyCodeForPhone', given)) !== '')
            throw new Error('The code was not right.');
        },
      },
    ];
  },
};

function fillUsers(database: BenchDatabase, growth: Growth): Promise<void> {
  return insertRows(database, 'users', growth, ({ key }) => ({
    id: key('i'),
    registered: 1,
    name: `'Ada ' || i`,
    email: `'ada' || i || '@example.com'`,
    cell_phone: PHONE,
    cell_phone_verified_at: NOW,
    created_at: NOW,
    updated_at: NOW,
  }));
}
