import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Caller } from '../../src/domain/context.ts';
import {
  ensureUserExists,
  readRegistration,
  registerUsers,
  requireSender,
} from '../../src/domain/users/users.ts';
import type { Store } from '../../src/store/store.ts';
import { forEachEngine } from '../kit/database.ts';
import { refused } from '../kit/refused.ts';
import { rowsOf } from '../kit/rows.ts';

const clock = () => 1_000;

async function rows(store: Store) {
  const users = await rowsOf(store, 'users', 'id');
  return users.map(({ id, registered, name, email }) => [id, registered, name, email]);
}

forEachEngine((_engine, fresh) => {
  test('a user that is merely named exists from then on, unregistered', async (t) => {
    const store = await (await fresh(t)).open();
    await store.write((tx) => ensureUserExists(tx, 'DOMAIN\\用户', 5));
    await store.write((tx) => ensureUserExists(tx, 'DOMAIN\\用户', 6));
    const [user, ...rest] = await rowsOf(store, 'users', 'id');
    assert.deepEqual(
      [user?.id, user?.registered, user?.created_at, user?.updated_at, rest],
      ['DOMAIN\\用户', 0, 5, 5, []],
    );
  });

  test('registering makes a user, or registers one that was merely named', async (t) => {
    const store = await (await fresh(t)).open();
    await store.write((tx) => ensureUserExists(tx, 'ada', 5));
    await registerUsers(
      store,
      [
        { id: 'ada', name: 'Ada' },
        { id: 'bob', email: 'bob@example.com' },
      ],
      clock,
    );
    assert.deepEqual(await rows(store), [
      ['ada', 1, 'Ada', null],
      ['bob', 1, null, 'bob@example.com'],
    ]);
    await store.write((tx) => ensureUserExists(tx, 'ada', 9));
    assert.deepEqual((await rows(store))[0], ['ada', 1, 'Ada', null]);
  });

  test('registering again: what is absent stays, null clears', async (t) => {
    const store = await (await fresh(t)).open();
    const ids = ['a', 'b', 'c', 'd'];
    await registerUsers(
      store,
      ids.map((id) => ({ id, name: `${id}1`, email: `${id}@example.com` })),
      clock,
    );
    await registerUsers(
      store,
      [
        { id: 'a' },
        { id: 'b', name: null },
        { id: 'c', name: 'c2', email: null },
        { id: 'd', name: null, email: null },
      ],
      clock,
    );
    assert.deepEqual(await rows(store), [
      ['a', 1, 'a1', 'a@example.com'],
      ['b', 1, null, 'b@example.com'],
      ['c', 1, 'c2', null],
      ['d', 1, null, null],
    ]);
  });

  test('many users are registered together or not at all', async (t) => {
    const store = await (await fresh(t)).open();
    const many = Array.from({ length: 1_203 }, (_, at) => ({
      id: `u${String(at).padStart(4, '0')}`,
      name: `名 ${at}`,
    }));
    await assert.rejects(registerUsers(store, [...many, { id: null as unknown as string }], clock));
    assert.deepEqual(await rows(store), []);

    const progress: number[] = [];
    await registerUsers(store, many, clock, (written) => progress.push(written));
    assert.deepEqual(progress, [500, 1_000, 1_203]);
    assert.deepEqual(
      (await rowsOf(store, 'users', 'id')).map(({ id, name }) => ({ id, name })),
      many,
    );
  });

  test('the sender of mails is the registered user of the credential, nobody else', async (t) => {
    const store = await (await fresh(t)).open();
    await store.write((tx) => ensureUserExists(tx, 'named', 5));
    await registerUsers(store, [{ id: 'ada', email: 'ada@example.com' }], clock);
    const senderOf = (caller: Partial<Caller>) =>
      store.read((db) =>
        requireSender(db, { kind: 'service', tokenId: 't', userId: undefined, ...caller }),
      );

    const ada = { id: 'ada', name: undefined, email: 'ada@example.com' };
    assert.deepEqual(await senderOf({ kind: 'user', userId: 'ada' }), ada);
    assert.deepEqual(await senderOf({ kind: 'service', userId: 'ada' }), ada);
    for (const userId of [undefined, 'named', 'unknown', 'ADA']) {
      await refused(senderOf({ userId }), 'NotRegistered', 'authorizationUserId');
    }
  });
});

describe('a registration as a person writes it', () => {
  test('the id is a record key, the e-mail address in normal form, absent and empty told apart', () => {
    assert.deepEqual(
      readRegistration({ id: ' C56A418065AA42ECA9455FD21DEC0538 ', email: ' Ada@EXAMPLE.com ' }),
      {
        id: 'c56a4180-65aa-42ec-a945-5fd21dec0538',
        name: undefined,
        email: 'Ada@example.com',
      },
    );
    assert.deepEqual(readRegistration({ id: 'ada', name: ' ', email: '' }), {
      id: 'ada',
      name: null,
      email: null,
    });
  });

  test('what is wrong is named', () => {
    const wrong = [
      [{ id: '' }, 'id'],
      [{ id: undefined }, 'id'],
      [{ id: 'x'.repeat(65) }, 'id'],
      [{ id: 'ada', name: 'two\nlines' }, 'name'],
      [{ id: 'ada', name: '名'.repeat(101) }, 'name'],
      [{ id: 'ada', email: 'nobody' }, 'email'],
      [{ id: 'ada', email: 'a@b.co, c@d.co' }, 'email'],
    ] as const;
    for (const [written, parameter] of wrong) {
      assert.throws(() => readRegistration(written), { parameter });
    }
  });
});
