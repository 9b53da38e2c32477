import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { until } from '../../../../../packages/asmx/test/kit/until.ts';
import { MAX_ATTEMPTS } from '../../../src/domain/values/code-outcome.ts';
import { type FreshDatabase, forEachEngine, freshDatabase } from '../../kit/database.ts';
import { OperationDesk } from '../../kit/operation-desk.ts';
import { kindOf, NOW, otherCode, PHONE, PhoneDesk } from '../../kit/phone.ts';

const CALLS = 200;

/** Two nodes on one database. */
async function twoDesks(
  test: TestContext,
  fresh: FreshDatabase,
): Promise<readonly [PhoneDesk, PhoneDesk]> {
  const database = await fresh(test);
  return [new PhoneDesk(await database.open()), new PhoneDesk(await database.open())];
}

/** Gives 200 answers, all of them under way before the first is waited for. */
function answerAtOnce(
  desks: readonly [PhoneDesk, PhoneDesk],
  answer: (index: number) => string,
): Promise<string[]> {
  return Promise.all(
    Array.from({ length: CALLS }, (_, index) => desks[index % 2]!.verify(answer(index))),
  );
}

function countKinds(answers: readonly string[]): Record<string, number> {
  const groups = Map.groupBy(answers, kindOf);
  return Object.fromEntries([...groups].map(([kind, same]) => [kind, same.length]));
}

forEachEngine((_engine, fresh) => {
  it('of 200 right answers at once, exactly one is', async (t) => {
    const desks = await twoDesks(t, fresh);
    const code = await desks[0].create();
    const {
      right,
      CodeNotFound = 0,
      TooManyAttempts = 0,
      ...others
    } = countKinds(await answerAtOnce(desks, () => code));
    assert.equal(right, 1);
    assert.equal(CodeNotFound + TooManyAttempts, CALLS - 1);
    assert.deepEqual(others, {});
    assert.ok(desks[0].codes.compares + desks[1].codes.compares <= MAX_ATTEMPTS);
  });

  it('of 200 wrong answers at once, five are looked at', async (t) => {
    const desks = await twoDesks(t, fresh);
    const code = await desks[0].create();
    const answers = await answerAtOnce(desks, () => otherCode(code));
    assert.deepEqual(countKinds(answers), {
      CodeWrong: MAX_ATTEMPTS,
      TooManyAttempts: CALLS - MAX_ATTEMPTS,
    });
    const left = answers
      .filter((answer) => kindOf(answer) === 'CodeWrong')
      .map((answer) => answer.match(/\d+/)?.[0]);
    assert.deepEqual(left.toSorted(), ['0', '1', '2', '3', '4']);
    assert.equal(desks[0].codes.compares + desks[1].codes.compares, MAX_ATTEMPTS);
    assert.equal(kindOf(await desks[0].verify(code)), 'TooManyAttempts');
  });

  it('guessing in parallel finds nothing: of 200 different answers five are looked at', async (t) => {
    const desks = await twoDesks(t, fresh);
    await desks[0].create();
    await answerAtOnce(desks, (index) => String(index).padStart(6, '0'));
    assert.ok(desks[0].codes.compares + desks[1].codes.compares <= MAX_ATTEMPTS);
  });

  it('a number that is set and verified at once is marked verified, whichever comes first', async (t) => {
    const [desk, other] = await twoDesks(t, fresh);
    const users = new OperationDesk(other.store);
    const ids = Array.from({ length: 40 }, (_, index) => `u${index}`);
    const codes = await Promise.all(ids.map((userId) => desk.create({ userId })));
    await Promise.all(
      ids.flatMap((userId, index) => [
        desk.verify(codes[index], { userId }),
        users.call('updateUserCellphone', { userId, cellPhone: PHONE }),
      ]),
    );
    const rows = await desk.store.read((db) =>
      db.selectFrom('users').select('cell_phone_verified_at').execute(),
    );
    assert.deepEqual(
      rows.map((row) => row.cell_phone_verified_at),
      ids.map(() => NOW),
    );
  });

  it('of 40 codes made at once, the one that was made last counts', async (t) => {
    const desks = await twoDesks(t, fresh);
    const codes = await Promise.all(
      Array.from({ length: 40 }, (_, index) => desks[index % 2]!.create()),
    );
    const rows = await desks[0].store.read((db) =>
      db.selectFrom('phone_codes').select('attempts').execute(),
    );
    assert.deepEqual(rows, [{ attempts: 0 }]);
    let right = 0;
    for (const code of codes) {
      // Attempts are given back, to try them all.
      await desks[0].store.write((tx) =>
        tx.updateTable('phone_codes').set({ attempts: 0 }).execute(),
      );
      if ((await desks[1].verify(code)) === '') right++;
    }
    assert.equal(right, 1);
  });
});

it('a number that is set while it is being verified is marked verified: who verifies waits', async (t) => {
  const [desk, other] = await twoDesks(t, (test) => freshDatabase('postgres', test));
  const users = new OperationDesk(other.store);
  await users.call('updateUserCellphone', { userId: 'ada', cellPhone: '+12125550199' });
  const code = await desk.create();
  let verified: Promise<string> | undefined;
  await other.store.write(async (tx) => {
    // What sets it has found it not verified, and has not ended.
    await tx.updateTable('users').set({ cell_phone: PHONE }).where('id', '=', 'ada').execute();
    verified = desk.verify(code);
    await Promise.race([verified, until(() => isLocked(desk))]);
  });
  assert.equal(await verified, '');
  const user = await desk.store.read((db) =>
    db.selectFrom('users').select('cell_phone_verified_at').executeTakeFirstOrThrow(),
  );
  assert.equal(user.cell_phone_verified_at, NOW);
});

/** Whether somebody waits for a lock of the database of a desk. */
async function isLocked({ store }: PhoneDesk): Promise<boolean> {
  const { rows } = await store.read((db) =>
    sql`select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db),
  );
  return rows.length > 0;
}
