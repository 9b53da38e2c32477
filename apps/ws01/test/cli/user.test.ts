import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ws01 } from '../kit/command.ts';
import {
  type FreshDatabase,
  forBothEngines,
  freshDatabase,
  type TestDatabase,
} from '../kit/database.ts';
import { rowsOf } from '../kit/rows.ts';

async function rows(database: TestDatabase) {
  const store = await database.open();
  const users = await rowsOf(store, 'users', 'id');
  return users.map(({ id, registered, name, email }) => [id, registered, name, email]);
}

forBothEngines((_engine, fresh) => {
  test('add, import and list, on the database that a service has open', async (t) => {
    const database = await fresh(t);
    const store = await database.open();
    const added = await ws01(database, [
      'user',
      'add',
      'DOMAIN\\用户',
      '--name',
      'Ada <&>',
      '--email',
      'Ada@EXAMPLE.com',
    ]);
    assert.deepEqual(added, { code: 0, stdout: 'Registered DOMAIN\\用户.\n', stderr: '' });
    assert.deepEqual(await rows(database), [['DOMAIN\\用户', 1, 'Ada <&>', 'Ada@example.com']]);

    const csv =
      '\ufeffID,Email,Name\r\nbob,bob@example.com,"Bob ""the\nbuilder"""\r\nDOMAIN\\用户,,\r\n';
    const wrong = await ws01(database, ['user', 'import', '-', '--json'], csv);
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /standard input:2: name must be one line/);
    const imported = await ws01(
      database,
      ['user', 'import', '-', '--json'],
      csv.replace('\nbuilder', ' builder'),
    );
    assert.deepEqual([imported.code, imported.stdout], [0, '{"registered":2}\n']);
    assert.match(imported.stderr, /^Into the database: \S+\n$/);

    const listed = await ws01(database, ['user', 'list', '--registered', '--json']);
    assert.deepEqual(
      JSON.parse(listed.stdout).map((user: Record<string, unknown>) => [
        user.id,
        user.isRegistered,
        user.name,
        user.email,
      ]),
      [
        ['DOMAIN\\用户', true, null, null],
        ['bob', true, 'Bob "the builder"', 'bob@example.com'],
      ],
    );
    const shown = await ws01(database, ['user', 'list']);
    assert.match(
      shown.stdout,
      /^ID {11}REGISTERED {2}SINCE {20}EMAIL {12}NAME\nDOMAIN\\用户 {2}yes /,
    );
    await store.check();
  });
});

describe('user import', () => {
  const fresh: FreshDatabase = (t) => freshDatabase('sqlite', t);

  test('JSON lines: an absent field keeps what there is, null clears it', async (t) => {
    const database = await fresh(t);
    const first =
      '{"id":"ada","name":"Ada","email":"ada@example.com"}\n{"id":1001,"name":"Nr. 1001"}\n';
    assert.equal(
      (await ws01(database, ['user', 'import', '-'], first)).stdout,
      '2 users registered.\n',
    );
    assert.equal(
      (await ws01(database, ['user', 'import', '-'], '\n{"id":"ada","name":null}')).code,
      0,
    );
    assert.deepEqual(await rows(database), [
      ['1001', 1, 'Nr. 1001', null],
      ['ada', 1, null, 'ada@example.com'],
    ]);
  });

  test('all of a file or nothing, each problem by its line', async (t) => {
    const database = await fresh(t);
    const file = join(database.dataDir, 'users.csv');
    const lines = [
      'id,name,email',
      'ada,,',
      '"b\nb",,',
      'ada,,',
      'bob,,not-an-address',
      ',nobody,',
      'eve,,a@b.co;c@d.co',
    ];
    await writeFile(file, lines.join('\n'));
    const { code, stdout, stderr } = await ws01(database, ['user', 'import', file]);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^ws01: nothing was imported, since 5 of 6 records are wrong:\n/);
    assert.deepEqual(
      stderr.match(/users\.csv:\d+: \w+/g),
      ['3: id', '5: The', '6: email', '7: id', '8: email'].map((problem) => `users.csv:${problem}`),
    );
    assert.deepEqual(await rows(database), []);
  });
});
