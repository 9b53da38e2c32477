import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Caller } from '../../src/domain/context.ts';
import {
  actingUser,
  assertMayWrite,
  authorizeWrite,
  recordNotFound,
  type WriteAttempt,
  type WriteDecision,
} from '../../src/domain/shared/ownership.ts';

const article = { noun: 'article', parameter: 'guid' } as const;

const callers = {
  user: { kind: 'user', tokenId: 't1', userId: 'ada' },
  service: { kind: 'service', tokenId: 't2', userId: undefined },
  'service with a default sender': { kind: 'service', tokenId: 't3', userId: 'ada' },
  admin: { kind: 'admin', tokenId: 't4', userId: undefined },
  anonymous: { kind: 'anonymous', tokenId: undefined, userId: undefined },
} as const satisfies Record<string, Caller>;

type CallerName = keyof typeof callers;
type Row = [
  named: string | undefined,
  owner: string | null,
  put: WriteDecision,
  change: WriteDecision,
];

/** Every caller, named user (none, ada, bob) and owner (nobody, ada, bob), written out from semantics 3. */
const serviceRows: readonly Row[] = [
  [undefined, null, 'allowed', 'allowed'],
  [undefined, 'ada', 'allowed', 'allowed'],
  [undefined, 'bob', 'allowed', 'allowed'],
  ['ada', null, 'allowed', 'allowed'],
  ['ada', 'ada', 'allowed', 'allowed'],
  ['ada', 'bob', 'Forbidden', 'Forbidden'],
  ['bob', null, 'allowed', 'allowed'],
  ['bob', 'ada', 'Forbidden', 'Forbidden'],
  ['bob', 'bob', 'allowed', 'allowed'],
];

const table: Readonly<Record<CallerName, readonly Row[]>> = {
  user: [
    [undefined, null, 'AlreadyExists', 'NotFound'],
    [undefined, 'ada', 'allowed', 'allowed'],
    [undefined, 'bob', 'AlreadyExists', 'NotFound'],
    ['ada', null, 'AlreadyExists', 'NotFound'],
    ['ada', 'ada', 'allowed', 'allowed'],
    ['ada', 'bob', 'AlreadyExists', 'NotFound'],
    ['bob', null, 'Forbidden', 'Forbidden'],
    ['bob', 'ada', 'Forbidden', 'Forbidden'],
    ['bob', 'bob', 'Forbidden', 'Forbidden'],
  ],
  service: serviceRows,
  // The default sender signs mails; it owns nothing.
  'service with a default sender': serviceRows,
  admin: serviceRows.map(([named, owner]) => [named, owner, 'allowed', 'allowed']),
  anonymous: serviceRows.map(([named, owner]) => [named, owner, 'Forbidden', 'Forbidden']),
};

function attempt(name: CallerName, row: Row, intent: WriteAttempt['intent']): WriteAttempt {
  return { caller: callers[name], namedId: row[0], owner: row[1], intent, record: article };
}

describe('who may write a record', () => {
  for (const name of Object.keys(table) as CallerName[]) {
    for (const row of table[name]) {
      const [named, owner, put, change] = row;
      test(`${name}, naming ${named ?? 'nobody'}, record of ${owner ?? 'nobody'}: put ${put}, change ${change}`, () => {
        for (const [intent, expected] of [
          ['put', put],
          ['change', change],
        ] as const) {
          assert.equal(authorizeWrite(attempt(name, row, intent)), expected);
          if (expected === 'allowed') {
            assertMayWrite(attempt(name, row, intent));
          } else {
            assert.throws(() => assertMayWrite(attempt(name, row, intent)), {
              code: expected,
              parameter: 'guid',
            });
          }
        }
      });
    }
  }

  test('a user token cannot tell a record of another from a key that is free', () => {
    const anothers = {
      caller: callers.user,
      namedId: undefined,
      owner: 'bob',
      intent: 'change',
      record: article,
    } as const;
    assert.throws(
      () => assertMayWrite(anothers),
      (error: Error) => error.message === recordNotFound(article).message,
    );
  });

  test('an owner that is undefined is nobody, also for a bound user that is undefined', () => {
    const nobody: Caller = { kind: 'user', tokenId: 't5', userId: undefined };
    const base = {
      namedId: undefined,
      owner: undefined,
      intent: 'change',
      record: article,
    } as const;
    assert.equal(authorizeWrite({ ...base, caller: nobody }), 'NotFound');
    assert.equal(authorizeWrite({ ...base, caller: callers.service }), 'allowed');
  });
});

describe('the user a call acts for', () => {
  test('a user token: the bound user, named or not', () => {
    assert.equal(actingUser(callers.user, undefined, 'userId'), 'ada');
    assert.equal(actingUser(callers.user, 'ada', 'userId'), 'ada');
  });

  test('a user token that names another: Forbidden, telling the parameter', () => {
    for (const named of ['bob', 'ADA', 'ada ']) {
      assert.throws(() => actingUser(callers.user, named, 'createuserid'), {
        code: 'Forbidden',
        parameter: 'createuserid',
      });
    }
  });

  test('any other caller: the named user, never the default sender', () => {
    for (const name of [
      'service',
      'service with a default sender',
      'admin',
      'anonymous',
    ] as const) {
      assert.equal(actingUser(callers[name], undefined, 'userId'), undefined);
      assert.equal(actingUser(callers[name], 'bob', 'userId'), 'bob');
    }
  });
});
