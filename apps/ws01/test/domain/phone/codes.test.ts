import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { ROTATION_MS } from '../../../src/domain/phone/code-keys.ts';
import { EXPIRED_KEPT_MS, purgeCodes } from '../../../src/domain/phone/codes.ts';
import { MAX_ATTEMPTS } from '../../../src/domain/values/code-outcome.ts';
import { forBothEngines } from '../../kit/database.ts';
import {
  ADA,
  BOB,
  kindOf,
  openPhoneDesk,
  otherCode,
  PHONE,
  PHONE_FORMS,
  PhoneDesk,
} from '../../kit/phone.ts';
import { refused } from '../../kit/refused.ts';

const LIFETIME = 180_000;

forBothEngines((_engine, fresh) => {
  describe('CreateVerifyCode', () => {
    it('returns six digits, each call others, and the last ones count', async (t) => {
      const desk = await openPhoneDesk(t, fresh);
      const first = await desk.create();
      let second = await desk.create();
      // One time in a million they are the same.
      while (second === first) second = await desk.create();
      assert.match(first, /^[0-9]{6}$/);
      assert.equal(kindOf(await desk.verify(first)), 'CodeWrong');
      assert.equal(await desk.verify(second), '');
    });

    it('keeps no code: only its hash under a key, which another secret is mixed into', async (t) => {
      const desk = await openPhoneDesk(t, fresh, { codeSecret: 'x'.repeat(32) });
      const code = await desk.create();
      const { row, key } = await desk.store.read(async (db) => ({
        row: await db.selectFrom('phone_codes').selectAll().executeTakeFirstOrThrow(),
        key: await db.selectFrom('code_keys').selectAll().executeTakeFirstOrThrow(),
      }));
      const hash = (secret: Uint8Array) =>
        createHmac('sha256', secret).update(`${row.id} ${code}`).digest('hex');
      const pepper = (secret: Uint8Array) =>
        createHmac('sha256', 'x'.repeat(32)).update(secret).digest();
      assert.equal(Buffer.from(row.hash).toString('hex'), hash(pepper(key.secret)));
      assert.notEqual(Buffer.from(row.hash).toString('hex'), hash(key.secret));
      assert.equal(await desk.verify(code), '');
    });

    it('wants a number; user and number are judged in the order of the contract', async (t) => {
      const desk = await openPhoneDesk(t, fresh);
      await refused(
        desk.create({ userId: undefined, cellphone: 'x' }),
        'InvalidParameter',
        'cellphone',
      );
      await refused(
        desk.create({ userId: '\u0007', cellphone: undefined }),
        'InvalidParameter',
        'userId',
      );
      await refused(desk.create({ cellphone: ' ' }), 'MissingParameter', 'cellphone');
      await refused(desk.create({ cellphone: 'hello' }), 'InvalidParameter', 'cellphone');
    });

    it('tells the code to a service token only', async (t) => {
      const desk = await openPhoneDesk(t, fresh);
      await refused(desk.create({}, ADA), 'Forbidden', 'tokenId');
      await refused(desk.create({}, BOB), 'Forbidden', 'userId');
    });

    it('brings a user whom a service token names into being, unregistered', async (t) => {
      const desk = await openPhoneDesk(t, fresh);
      await desk.create({ userId: '  {0F8FAD5B-D9CB-469F-A165-70867728950E} ' });
      const users = await desk.store.read((db) =>
        db.selectFrom('users').select(['id', 'registered']).execute(),
      );
      assert.deepEqual(users, [{ id: '0f8fad5b-d9cb-469f-a165-70867728950e', registered: 0 }]);
    });
  });

  describe('VerifyCodeForPhone', () => {
    it('accepts the code at 179.999 s and not at 180.000 s', async (t) => {
      const desk = await openPhoneDesk(t, fresh);
      const code = await desk.create();
      desk.now += LIFETIME;
      assert.equal(kindOf(await desk.verify(code)), 'CodeExpired');
      desk.now -= 1;
      assert.equal(await desk.verify(code), '');
    });

    it('answers a right code once', async (t) => {
      const desk = await openPhoneDesk(t, fresh);
      const code = await desk.create();
      assert.equal(await desk.verify(code), '');
      assert.equal(kindOf(await desk.verify(code)), 'CodeNotFound');
      assert.equal(desk.codes.compares, 1);
    });

    it('does not take a code for right that was replaced while its answer was judged', async (t) => {
      const desk = await openPhoneDesk(t, fresh);
      const code = await desk.create();
      const holder = { userId: 'ada', phone: PHONE };
      const key = await desk.codes.currentKey(desk.now);
      const verdict = await desk.codes.answer(holder, code, desk.now, {
        tokenId: undefined,
        counted: async (tx) => void (await desk.codes.make(tx, holder, key, desk.now)),
        verified: async () => assert.fail('verified'),
      });
      assert.deepEqual(verdict, { kind: 'notFound' });
    });

    it('counts wrong answers down, and the fifth kills the code', async (t) => {
      const desk = await openPhoneDesk(t, fresh);
      const code = await desk.create();
      for (let left = MAX_ATTEMPTS - 1; left >= 0; left--) {
        const answer = await desk.verify(otherCode(code));
        assert.equal(kindOf(answer), 'CodeWrong');
        assert.ok(answer.endsWith(` ${left} attempts left`), answer);
      }
      assert.equal(kindOf(await desk.verify(code)), 'TooManyAttempts');
      assert.equal(kindOf(await desk.verify(otherCode(code))), 'TooManyAttempts');
      assert.equal(desk.codes.compares, MAX_ATTEMPTS);
      assert.equal(await desk.verify(await desk.create()), '');
    });

    it('accepts the right code as the fifth answer', async (t) => {
      const desk = await openPhoneDesk(t, fresh);
      const code = await desk.create();
      for (let i = 1; i < MAX_ATTEMPTS; i++) await desk.verify(otherCode(code));
      assert.equal(await desk.verify(code), '');
    });

    it('counts what is no code as a wrong answer, without a compare', async (t) => {
      const desk = await openPhoneDesk(t, fresh);
      await desk.create();
      const texts = ['12345', '1234567', 'abcdef', `<&>"'漢字😀`, '9'.repeat(100_000)];
      for (const text of texts) assert.equal(kindOf(await desk.verify(text)), 'CodeWrong');
      assert.equal(kindOf(await desk.verify('1')), 'TooManyAttempts');
      assert.equal(desk.codes.compares, 0);
    });

    it('reads the code and the number in every form they are written in', async (t) => {
      const desk = await openPhoneDesk(t, fresh);
      for (const cellphone of PHONE_FORMS) {
        const code = await desk.create({ cellphone: PHONE_FORMS.at(-1)! });
        const wide = [...code]
          .map((digit) => String.fromCodePoint(digit.charCodeAt(0) + 0xfee0))
          .join('');
        const typed = cellphone === PHONE ? wide : ` ${code.slice(0, 3)}-${code.slice(3)}\n`;
        assert.equal(await desk.verify(typed, { cellphone }), '');
      }
    });

    it('reads national numbers where a country is the default', async (t) => {
      const desk = await openPhoneDesk(t, fresh, { defaultCountry: 'US' });
      assert.equal(await desk.verify(await desk.create({ cellphone: '212 555 0100' })), '');
    });

    it('answers about unknown users and numbers in the result', async (t) => {
      const desk = await openPhoneDesk(t, fresh);
      const code = await desk.create();
      assert.equal(kindOf(await desk.verify(code, { userId: 'nobody' })), 'CodeNotFound');
      assert.equal(kindOf(await desk.verify(code, { cellphone: '+12125550199' })), 'CodeNotFound');
      assert.equal(await desk.verify(code), '');
    });

    it('wants a number; user and number are judged in the order of the contract, whatever the code', async (t) => {
      const desk = await openPhoneDesk(t, fresh);
      await refused(desk.verify(undefined, { userId: '\u0007' }), 'InvalidParameter', 'userId');
      await refused(desk.verify(undefined, { cellphone: '' }), 'MissingParameter', 'cellphone');
      await refused(desk.verify('123456', { cellphone: '' }), 'MissingParameter', 'cellphone');
      await refused(desk.verify('123456', { cellphone: 'x' }), 'InvalidParameter', 'cellphone');
    });

    it('lets a user token answer for its own user only, whom an empty id means', async (t) => {
      const desk = await openPhoneDesk(t, fresh);
      const code = await desk.create();
      await refused(desk.verify(code, {}, BOB), 'Forbidden', 'userId');
      assert.equal(await desk.verify(code, { userId: '' }, ADA), '');
    });

    it('marks the number verified, and the one in the profile when it is the same', async (t) => {
      const desk = await openPhoneDesk(t, fresh);
      for (const [userId, cell_phone] of [
        ['ada', PHONE],
        ['bob', '+12125550199'],
      ] as const) {
        const code = await desk.create({ userId });
        await desk.store.write((tx) =>
          tx.updateTable('users').set({ cell_phone }).where('id', '=', userId).execute(),
        );
        desk.now += 1;
        assert.equal(await desk.verify(code, { userId }), '');
      }
      const { marks, users } = await desk.store.read(async (db) => ({
        marks: await db.selectFrom('phone_verifications').selectAll().orderBy('user_id').execute(),
        users: await db
          .selectFrom('users')
          .select('cell_phone_verified_at')
          .orderBy('id')
          .execute(),
      }));
      assert.deepEqual(marks, [
        { user_id: 'ada', phone: PHONE, verified_at: desk.now - 1 },
        { user_id: 'bob', phone: PHONE, verified_at: desk.now },
      ]);
      assert.deepEqual(users, [
        { cell_phone_verified_at: desk.now - 1 },
        { cell_phone_verified_at: null },
      ]);
    });
  });

  it('tells the audit trail who asked and answered, without number and code', async (t) => {
    const desk = await openPhoneDesk(t, fresh);
    const code = await desk.create();
    await desk.verify(otherCode(code));
    await desk.verify(code);
    const rows = await desk.store.read((db) =>
      db.selectFrom('audit').selectAll().orderBy('id').execute(),
    );
    assert.deepEqual(
      rows.map(({ action, target_kind, target_key, token_id, address, details }) => ({
        said: [action, target_kind, target_key, token_id, address],
        details: JSON.parse(details),
      })),
      [
        ['create', {}],
        ['attempt', { attempt: 1 }],
        ['attempt', { attempt: 2 }],
        ['verify', {}],
      ].map(([verb, details]) => ({
        said: [`code.${verb}`, 'user', 'ada', 't-service', '198.51.100.7'],
        details: { phone: '+*********00', ...(details as object) },
      })),
    );
  });

  it('removes codes a day after they expired; until then it says that they have', async (t) => {
    const desk = await openPhoneDesk(t, fresh);
    const code = await desk.create();
    desk.now += LIFETIME + EXPIRED_KEPT_MS - 1;
    assert.equal(await purgeCodes(desk.store, desk.now), 0);
    assert.equal(kindOf(await desk.verify(code)), 'CodeExpired');
    desk.now += 1;
    assert.equal(await purgeCodes(desk.store, desk.now), 1);
    assert.equal(kindOf(await desk.verify(code)), 'CodeNotFound');
  });

  describe('keys', () => {
    const keyIds = async (desk: PhoneDesk) =>
      (
        await desk.store.read((db) =>
          db.selectFrom('code_keys').select('id').orderBy('id').execute(),
        )
      ).map(({ id }) => id);

    it('rotate once a day; a code outlives the change, on another node too', async (t) => {
      const database = await fresh(t);
      const [one, other] = [
        new PhoneDesk(await database.open()),
        new PhoneDesk(await database.open()),
      ];
      const midnight = Math.ceil(one.now / ROTATION_MS) * ROTATION_MS;
      one.now = midnight - 1;
      const before = await one.create({ userId: 'before' });
      one.now = other.now = midnight;
      const after = await other.create({ userId: 'after' });
      assert.deepEqual(await keyIds(one), [midnight / ROTATION_MS - 1, midnight / ROTATION_MS]);
      assert.equal(await other.verify(before, { userId: 'before' }), '');
      assert.equal(await one.verify(after, { userId: 'after' }), '');
    });

    it('are removed when their codes have expired', async (t) => {
      const desk = await openPhoneDesk(t, fresh);
      for (let day = 0; day < 4; day++) {
        await desk.create();
        desk.now += ROTATION_MS;
      }
      const last = Math.floor(desk.now / ROTATION_MS) - 1;
      assert.deepEqual(await keyIds(desk), [last - 1, last]);
    });

    it('are one for all nodes that need the first at once', async (t) => {
      const database = await fresh(t);
      const desks = [];
      for (let i = 0; i < 3; i++) desks.push(new PhoneDesk(await database.open()));
      const codes = await Promise.all(desks.map((desk, i) => desk.create({ userId: `u${i}` })));
      assert.equal((await keyIds(desks[0]!)).length, 1);
      const crosswise = desks.map((desk, i) =>
        desk.verify(codes[(i + 1) % 3]!, { userId: `u${(i + 1) % 3}` }),
      );
      assert.deepEqual(await Promise.all(crosswise), ['', '', '']);
    });
  });
});
