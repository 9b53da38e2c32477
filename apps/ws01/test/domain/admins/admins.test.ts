import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { words } from '../../../../../packages/asmx/src/contract/words.ts';
import {
  addAdmin,
  adminOfLink,
  LINK_MS,
  removeAdmin,
  resetAdmin,
} from '../../../src/domain/admins/admins.ts';
import {
  CHALLENGE_MS,
  consumeChallenge,
  newChallenge,
} from '../../../src/domain/admins/challenges.ts';
import {
  checkPassword,
  hashPassword,
  matchesPassword,
  PASSWORD_CHARS,
} from '../../../src/domain/admins/passwords.ts';
import { purgeAdminSecrets } from '../../../src/domain/admins/purge.ts';
import {
  adminOfSession,
  endAllSessions,
  endSession,
  isConfirmedAt,
  SESSION_MS,
} from '../../../src/domain/admins/sessions.ts';
import {
  passwordMethod,
  setUp,
  signInByPassword,
} from '../../../src/domain/admins/sign-in-methods.ts';
import { CodeKeys } from '../../../src/domain/phone/code-keys.ts';
import type { Store } from '../../../src/store/store.ts';
import { ws01 } from '../../kit/command.ts';
import { forBothEngines } from '../../kit/database.ts';
import { cheapHash } from '../../kit/passwords.ts';
import { rowsOf } from '../../kit/rows.ts';

const PASSWORD = 'correct horse battery staple';
/** Whose place nobody else tries from. */
const HERE = '203.0.113.9';
const VISITOR = { address: '203.0.113.7', agent: 'A browser' };
const BEGIN = Date.UTC(2026, 0, 1);

/** An account with a password, signed in once. */
async function ada(store: Store, clock = () => BEGIN) {
  const link = await addAdmin(store, { name: 'Ada', role: 'owner' }, clock);
  const session = await setUp(store, link, await passwordMethod(PASSWORD), clock, VISITOR);
  assert.ok(session);
  return { link, session };
}

forBothEngines((_engine, fresh) => {
  test('a link sets an account up once, within its time', async (t) => {
    const store = await (await fresh(t)).open();
    const link = await addAdmin(store, { name: 'Ada', role: 'owner' }, () => BEGIN);
    assert.equal(await adminOfLink(store, link, BEGIN + LINK_MS), undefined, 'expired');
    assert.equal((await adminOfLink(store, link, BEGIN + LINK_MS - 1))?.name, 'Ada');
    const way = await passwordMethod(PASSWORD);
    const uses = [1, 2, 3].map(() => setUp(store, link, way, () => BEGIN, VISITOR));
    const sessions = (await Promise.all(uses)).filter((session) => session !== undefined);
    assert.equal(sessions.length, 1, 'of several at once');
    assert.equal(await adminOfLink(store, link, BEGIN), undefined, 'used');
    await assert.rejects(
      addAdmin(store, { name: 'ADA', role: 'reader' }, () => BEGIN),
      { code: 'AlreadyExists' },
    );
  });

  test('of several that are added first at once, one is the owner', async (t) => {
    const database = await fresh(t);
    await database.open();
    const add = (name: string) => ws01(database, ['admin', 'add', name]);
    const added = await Promise.all(['ada', 'bob', 'eve', 'kim'].map(add));
    assert.deepEqual(
      added.map(({ code }) => code),
      [0, 0, 0, 0],
    );
    const { stdout } = await ws01(database, ['admin', 'list', '--json']);
    const roles = (JSON.parse(stdout) as { role: string }[]).map(({ role }) => role);
    assert.deepEqual(roles.toSorted(), ['moderator', 'moderator', 'moderator', 'owner']);
  });

  test('what is stored opens nothing', async (t) => {
    const store = await (await fresh(t)).open();
    const secret = await addAdmin(store, { name: 'Bob', role: 'reader' }, () => BEGIN);
    const { session } = await ada(store);
    const kept = await store.read(async (db) => [
      await db.selectFrom('admins').selectAll().execute(),
      await db.selectFrom('admin_links').selectAll().execute(),
      await db.selectFrom('admin_sessions').selectAll().execute(),
      await db.selectFrom('audit').selectAll().execute(),
    ]);
    const text = JSON.stringify(kept, (_, value) =>
      value?.type === 'Buffer' ? Buffer.from(value.data).toString('base64url') : value,
    );
    for (const hidden of [secret, session, PASSWORD]) assert.ok(!text.includes(hidden));
    assert.match(text, /\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  test('what a clock made that was ahead ends when the clock is right again', async (t) => {
    const store = await (await fresh(t)).open();
    const { session } = await ada(store, () => BEGIN + SESSION_MS.whole);
    assert.ok(await adminOfSession(store, session, () => BEGIN + SESSION_MS.whole));
    assert.equal(await adminOfSession(store, session, () => BEGIN), undefined);
    const link = await resetAdmin(store, 'ada', () => BEGIN + 3 * LINK_MS);
    assert.equal(await adminOfLink(store, link, BEGIN), undefined);
    assert.equal((await adminOfLink(store, link, BEGIN + 3 * LINK_MS))?.name, 'Ada');
    assert.equal(isConfirmedAt(BEGIN + SESSION_MS.fresh, BEGIN), false);
    assert.equal(isConfirmedAt(BEGIN + SESSION_MS.fresh - 1, BEGIN), true);
  });

  test('a session ends idle, old, signed out, signed out everywhere, reset and removed', async (t) => {
    const store = await (await fresh(t)).open();
    const { session } = await ada(store);
    const at = (instant: number) => adminOfSession(store, session, () => instant);
    assert.equal((await at(BEGIN))?.role, 'owner');
    assert.equal(await at(BEGIN + SESSION_MS.idle), undefined);
    for (let now = BEGIN; now < BEGIN + SESSION_MS.whole; now += SESSION_MS.idle - 1)
      assert.ok(await at(now));
    assert.equal(await at(BEGIN + SESSION_MS.whole), undefined);

    const begin = async () =>
      (await signInByPassword(store, { name: ' ada ', password: PASSWORD }, Date.now, VISITOR))!;
    const admin = (await adminOfSession(store, await begin(), Date.now))!;
    const [one, other] = [await begin(), await begin()];
    await endSession(store, admin, one, Date.now, VISITOR.address);
    assert.equal(await adminOfSession(store, one, Date.now), undefined);
    assert.ok(await adminOfSession(store, other, Date.now));
    await store.write((tx) =>
      endAllSessions(tx, admin, Date.now(), { name: admin.name, address: VISITOR.address }),
    );
    assert.equal(await adminOfSession(store, other, Date.now), undefined);
    const before = await begin();
    const link = await resetAdmin(store, 'ada', Date.now);
    assert.equal(await adminOfSession(store, before, Date.now), undefined);
    assert.equal(
      await signInByPassword(store, { name: 'ada', password: PASSWORD }, Date.now, VISITOR),
      undefined,
    );
    const anew = await setUp(store, link, await passwordMethod(PASSWORD), Date.now, VISITOR);
    await removeAdmin(store, 'Ada', Date.now);
    assert.equal(await adminOfSession(store, anew!, Date.now), undefined);
    assert.deepEqual(await rowsOf(store, 'admins', 'id'), []);
    const told = (await rowsOf(store, 'audit', 'id')).map(({ action }) => action);
    for (const action of words('add password sign-in sign-out sign-out-everywhere reset remove')) {
      assert.ok(told.includes(`admin.${action}`), action);
    }
  });

  test('a challenge is taken once, within its time', async (t) => {
    const store = await (await fresh(t)).open();
    let now = BEGIN;
    const deps = { store, clock: () => now, challengeKeys: new CodeKeys(store, undefined) };
    const made = async () => Buffer.from(await newChallenge(deps)).toString('base64url');
    const one = await made();
    const taken = await Promise.all([1, 2].map(() => consumeChallenge(deps, one)));
    assert.deepEqual(taken.sort(), [false, true]);
    assert.equal(await consumeChallenge(deps, `${one}=`), false, 'another text of the same bytes');
    const two = await made();
    now += CHALLENGE_MS - 1;
    assert.equal(await consumeChallenge(deps, two), true, 'within its time');
    const three = await made();
    const forged = Buffer.from(three, 'base64url');
    forged[10]! ^= 1;
    assert.equal(
      await consumeChallenge(deps, forged.toString('base64url')),
      false,
      'not sealed by us',
    );
    now += CHALLENGE_MS;
    assert.equal(await consumeChallenge(deps, three), false, 'too late');
  });

  test('the purge keeps what is good', async (t) => {
    const store = await (await fresh(t)).open();
    const { session } = await ada(store);
    await addAdmin(store, { name: 'Bob', role: 'reader' }, () => BEGIN);
    await store.write((tx) =>
      tx
        .insertInto('admin_challenges')
        .values({ challenge: 'used', expires_at: BEGIN + CHALLENGE_MS })
        .execute(),
    );
    await purgeAdminSecrets(store, BEGIN + 1);
    assert.ok(await adminOfSession(store, session, () => BEGIN + 1));
    await purgeAdminSecrets(store, BEGIN + LINK_MS);
    const left = await store.read(async (db) => ({
      sessions: (await db.selectFrom('admin_sessions').selectAll().execute()).length,
      links: (await db.selectFrom('admin_links').selectAll().execute()).length,
      challenges: (await db.selectFrom('admin_challenges').selectAll().execute()).length,
    }));
    assert.deepEqual(left, { sessions: 0, links: 0, challenges: 0 });
  });
});

describe('passwords', () => {
  test('match what was hashed, in either form of a letter, and nothing else', async () => {
    const stored = await hashPassword('Grüße aus dem Süden 1');
    assert.equal(await matchesPassword('Gru\u0308ße aus dem Su\u0308den 1', stored, HERE), true);
    assert.equal(await matchesPassword('Grüße aus dem Süden 2', stored, HERE), false);
    assert.equal(await matchesPassword('', stored, HERE), false);
    assert.equal(await matchesPassword('', undefined, HERE), false, 'nobody has no password');
    assert.notEqual(await hashPassword(PASSWORD), await hashPassword(PASSWORD), 'salted');
  });

  test('are refused when short, long or easy', () => {
    const { least, most } = PASSWORD_CHARS;
    const text = 'pläne für morgen und danach '.repeat(12);
    checkPassword(text.slice(0, least), 'ada');
    checkPassword(text.slice(0, most), 'ada');
    for (const wrong of [
      text.slice(0, least - 1),
      text.slice(0, most + 1),
      'a'.repeat(20),
      'lovelace lovelace lovelace',
    ]) {
      assert.throws(() => checkPassword(wrong, 'lovelace'), { code: 'InvalidParameter' }, wrong);
    }
  });

  test('that come all at once wait for each other, and too many are refused', async () => {
    const [guessed, other] = [cheapHash(PASSWORD), cheapHash(PASSWORD, 2)];
    const tries = Array.from({ length: 80 }, (_, index) =>
      matchesPassword('a guess of many', guessed, `198.51.100.${index}`),
    );
    const beside = [
      matchesPassword(PASSWORD, other, HERE),
      matchesPassword(PASSWORD, other, '198.51.100.7'),
      matchesPassword(PASSWORD, guessed, HERE),
    ];
    const results = await Promise.allSettled(tries);
    const others = await Promise.all(beside);
    assert.deepEqual(others, [true, true, true], 'who is elsewhere, or another, gets in');
    const refused = results.filter(({ status }) => status === 'rejected');
    // One is hashed, and half of the hundred places are for one account and network.
    assert.equal(refused.length, 29);
    assert.ok(
      refused.every(
        (result) => result.status === 'rejected' && result.reason.code === 'RateLimited',
      ),
    );
  });
});
