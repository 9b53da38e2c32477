import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { GUARDED } from '../../src/contract/service.ts';
import { createAccess } from '../../src/domain/credentials/access.ts';
import type { Store } from '../../src/store/store.ts';
import { ws01 } from '../kit/command.ts';
import {
  emptyDatabase,
  type FreshDatabase,
  forEachEngine,
  freshDatabase,
} from '../kit/database.ts';

const SECRET = 'the-secret-of-the-old-shop';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The scopes that a text opens in a store, as the service would see it; the error's code when it opens nothing. */
async function opens(store: Store, text: string): Promise<string> {
  const access = createAccess({ store, clock: Date.now, limitFailures: false });
  const scopes = new Set<string>();
  let failure = '';
  for (const operation of GUARDED.values()) {
    try {
      await access.authorize(operation, text, '192.0.2.1');
      if (operation.access !== undefined) scopes.add(operation.access.scope);
    } catch (error) {
      failure = (error as { code: string }).code;
    }
  }
  return scopes.size > 0 ? [...scopes].sort().join(' ') : failure;
}

forEachEngine((_engine, fresh) => {
  test('create, list and revoke, on the database that a service has open', async (t) => {
    const database = await fresh(t);
    const store = await database.open();
    const created = await ws01(database, [
      'token',
      'create',
      '--scopes',
      'mail,articles',
      '--label',
      '后端 <&>',
    ]);
    assert.equal(created.code, 0, created.stderr);
    assert.match(created.stdout, /^ws1_[0-9A-Za-z]{38}\n$/);
    const token = created.stdout.trim();
    assert.equal(await opens(store, token), 'articles mail');

    const listed = await ws01(database, ['token', 'list', '--json']);
    const [only, ...others] = JSON.parse(listed.stdout);
    assert.deepEqual(others, []);
    const { id, createdAt, lastUsedAt, ...terms } = only;
    assert.match(id, UUID);
    assert.match(createdAt, /^20\d\d-.*Z$/);
    assert.ok(lastUsedAt === null || typeof lastUsedAt === 'string');
    assert.deepEqual(terms, {
      label: '后端 <&>',
      kind: 'service',
      scopes: ['articles', 'mail'],
      userId: null,
      state: 'active',
      expiresAt: null,
      revokedAt: null,
    });

    const shown = await ws01(database, ['token', 'list']);
    assert.match(shown.stdout, /^ID .* LABEL\n/);
    assert.ok(shown.stdout.includes('后端 <&>') && shown.stdout.includes(id));
    for (const { stdout, stderr } of [listed, shown])
      assert.ok(!`${stdout}${stderr}`.includes(token));

    const revoked = await ws01(database, ['token', 'revoke', id]);
    assert.deepEqual(revoked, { code: 0, stdout: `Revoked ${id}.\n`, stderr: '' });
    assert.equal(await opens(store, token), 'Unauthenticated');
  });

  test('import a list, each token with terms of its own', async (t) => {
    const database = await fresh(t);
    const store = await database.open();
    const list = [
      'token;kind;scopes;user;label',
      `${SECRET};;;;shop`,
      '"{C56A4180-65AA-42EC-A945-5FD21DEC0538}";user;"articles,images";ada;"phone ""app"""',
    ].join('\r\n');
    const imported = await ws01(
      database,
      ['token', 'import', '--list', '-', '--scopes', 'counts', '--json'],
      list,
    );
    assert.equal(imported.code, 0, imported.stderr);
    assert.equal(await opens(store, SECRET), 'counts');
    assert.equal(await opens(store, 'c56a4180-65aa-42ec-a945-5fd21dec0538'), 'articles images');
    const { added, present, ids } = JSON.parse(imported.stdout);
    assert.deepEqual([added, present, ids.length], [2, 0, 2]);

    const again = await ws01(
      database,
      ['token', 'import', '--list', '-', '--scopes', 'counts', '--json'],
      list,
    );
    assert.deepEqual(JSON.parse(again.stdout), { added: 0, present: 2, ids });
  });
});

forEachEngine((_engine, fresh) => {
  test('import: hashes of an old site are taken for what they are, and upgraded at first use', async (t) => {
    const database = await fresh(t);
    const store = await database.open();
    const of = (kind: string, text: string, charset: BufferEncoding = 'utf8') =>
      createHash(kind).update(Buffer.from(text, charset)).digest();
    const guid = '0F8FAD5B-D9CB-469F-A165-70867728950E';
    const net = of('sha1', 'shop-of-1998').toString('hex').toUpperCase();
    const list = join(database.dataDir, 'hashes.csv');
    await writeFile(
      list,
      [
        'md5,sha1,sha256,label',
        `${of('md5', 'Old Secret 1').toString('hex')},,,md5`,
        `,${of('sha1', 'Old Secret 2').toString('base64')},,base64`,
        `,${net.replace(/(?<=.)(?=(?:..)+$)/g, '-')},,BitConverter`,
        `0x${of('md5', 'varbinary 3', 'utf16le').toString('hex')},,,HASHBYTES of nvarchar`,
        `,,${of('sha256', guid).toString('hex')},a GUID as it was`,
        `${of('md5', 'leaked 123456').toString('hex')},,,leaked`,
      ].join('\n'),
    );
    const imported = await ws01(database, ['token', 'import', '--list', list, '--scopes', 'mail']);
    assert.equal(imported.code, 0, imported.stderr);
    assert.match(imported.stdout, /^6 imported\.$/m);
    const lengths = async () =>
      (await store.read((db) => db.selectFrom('tokens').select('hash').execute()))
        .map(({ hash }) => hash.length)
        .sort((one, other) => one - other);
    assert.deepEqual(await lengths(), [16, 16, 16, 20, 20, 32]);
    assert.equal(await opens(store, 'old secret 1'), 'Unauthenticated');
    for (const secret of ['Old Secret 1', 'Old Secret 2', 'shop-of-1998', 'varbinary 3', guid]) {
      assert.equal(await opens(store, secret), 'mail', secret);
      assert.equal(await opens(store, secret), 'mail', `${secret} again`);
    }
    // Once it is known, a GUID is one in any of its forms.
    assert.equal(await opens(store, `{${guid.toLowerCase()}}`), 'mail');
    const revoked = await ws01(database, ['token', 'revoke', '--text'], 'leaked 123456');
    assert.equal(revoked.code, 0, revoked.stderr);
    assert.equal(await opens(store, 'leaked 123456'), 'Unauthenticated');
    assert.deepEqual(await lengths(), [16, 32, 32, 32, 32, 32]);
    const first = imported.stdout.split('\n', 1)[0]!;
    assert.equal((await ws01(database, ['token', 'revoke', first])).code, 0);
    assert.equal(
      (await ws01(database, ['token', 'import', '--list', list, '--scopes', 'mail'])).code,
      1,
    );
    const again = join(database.dataDir, 'again.csv');
    await writeFile(again, `md5\n${of('md5', 'Old Secret 1').toString('hex')}\n`);
    await ws01(database, ['token', 'import', '--list', again, '--scopes', 'mail']);
    assert.equal(await opens(store, 'Old Secret 1'), 'Unauthenticated', 'revoked is revoked');
  });
});

describe('token', () => {
  test('import: names secrets that differ only in letter case', async (t) => {
    const database = await freshDatabase('sqlite', t);
    const secrets = 'OldSecret1\nanother-one\noldsecret1\nOLDSECRET1\n';
    const { code, stderr } = await ws01(database, ['token', 'import', '--scopes', 'mail'], secrets);
    assert.equal(code, 0);
    assert.match(stderr, /differ only in letter case are different here: lines 1 and 3 and 4\./);
  });

  const fresh: FreshDatabase = (t) => freshDatabase('sqlite', t);

  test('create: every option, as JSON', async (t) => {
    const database = await fresh(t);
    await database.open();
    const args =
      'token create --kind user --user ADA --new-user --scopes all --label app --expires 2100-01-31 --guid --json';
    const { code, stdout, stderr } = await ws01(database, args.split(' '));
    assert.equal(code, 0, stderr);
    const { id, token, createdAt: _, ...terms } = JSON.parse(stdout);
    assert.match(id, UUID);
    assert.match(token, UUID);
    assert.deepEqual(terms, {
      kind: 'user',
      scopes: ['articles', 'adverts', 'users', 'phone', 'counts', 'images', 'mail'],
      userId: 'ADA',
      label: 'app',
      state: 'active',
      expiresAt: '2100-01-31T23:59:59.999Z',
      revokedAt: null,
      lastUsedAt: null,
    });
  });

  test('import: secrets one a line, from standard input or a file, each with the terms of the options', async (t) => {
    const database = await fresh(t);
    const store = await database.open();
    const piped = await ws01(
      database,
      ['token', 'import', '--scopes', 'articles'],
      `${SECRET}\r\n`,
    );
    assert.equal(piped.code, 0, piped.stderr);
    assert.match(piped.stdout, /\n1 imported\.\n$/);
    assert.equal(await opens(store, SECRET), 'articles');

    const file = join(database.dataDir, 'secrets.txt');
    await writeFile(file, 'secret number one\n\n密码密码密码密码\n');
    const read = await ws01(database, [
      'token',
      'import',
      '--from',
      file,
      '--kind',
      'admin',
      '--scopes',
      'mail',
    ]);
    assert.equal(read.code, 0, read.stderr);
    assert.equal(await opens(store, 'secret number one'), 'mail');
    assert.equal(await opens(store, '密码密码密码密码'), 'mail');
    for (const { stdout, stderr } of [piped, read])
      assert.doesNotMatch(`${stdout}${stderr}`, /secret number|old-shop/);
  });

  test('import: short secrets with a warning, those of 4 to 7 characters only when allowed', async (t) => {
    const database = await fresh(t);
    const weak = ['token', 'import', '--scopes', 'articles'];
    const refused = await ws01(database, weak, '1234567\n');
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /must have 8 to 255 characters/);
    for (const [secret, warns] of [
      ['123', undefined],
      ['1234', true],
      ['x'.repeat(15), true],
      ['x'.repeat(16), false],
    ] as const) {
      const { code, stderr } = await ws01(database, [...weak, '--allow-weak'], `${secret}\n`);
      assert.equal(code, warns === undefined ? 1 : 0, stderr);
      assert.equal(
        /1 secret is shorter than 16 characters and may be guessed/.test(stderr),
        warns === true,
      );
      assert.ok(!stderr.includes(secret));
    }
    const help = await ws01(database, ['token', 'import', '--help']);
    assert.match(
      help.stdout,
      /--allow-weak\s+also accept secrets of 4 to 7 characters; an attacker/,
    );
  });

  test('import: all of a file or nothing, each problem by its line, no secret shown', async (t) => {
    const database = await fresh(t);
    const list = [
      '{"token":"a-good-secret"}',
      '{"token":"short"}',
      '{"token":"hush-hush","kind":"root"}',
      '{"token":"hush-hush","scopes":"everything"}',
      '{"token":"hush-hush","kind":"user"}',
      '{"token":"hush-hush","expires":"never"}',
    ].join('\n');
    const result = await ws01(database, ['token', 'import', '--list', '-'], list);
    assert.equal(result.code, 1);
    assert.equal(result.stdout, '');
    assert.doesNotMatch(result.stderr, /hush/);
    assert.deepEqual(
      result.stderr.match(/standard input:\d+/g),
      [3, 4].map((line) => `standard input:${line}`),
    );
    const rest = list.replaceAll('"root"', '"service"').replaceAll('"everything"', '"mail"');
    const second = await ws01(database, ['token', 'import', '--list', '-'], rest);
    assert.equal(second.code, 1);
    assert.deepEqual(
      second.stderr
        .match(/standard input:\d+: [^\n]*/g)!
        .map((line) => line.slice('standard input:'.length)),
      [
        '2: The token must have 8 to 255 characters.',
        '4: The token is on line 3 already.',
        '5: The token is on line 3 already.',
        second.stderr.match(/6: .*/)![0],
      ],
    );
    assert.deepEqual(JSON.parse((await ws01(database, ['token', 'list', '--json'])).stdout), []);
  });

  test('revoke: by the text of a leaked token; an unknown one is told', async (t) => {
    const database = await fresh(t);
    const store = await database.open();
    const { stdout: token } = await ws01(database, ['token', 'create']);
    const { code, stdout, stderr } = await ws01(
      database,
      ['token', 'revoke', '--text', '--json'],
      token,
    );
    assert.equal(code, 0, stderr);
    assert.equal(JSON.parse(stdout).state, 'revoked');
    assert.equal(await opens(store, token), 'Unauthenticated');

    const unknown = await ws01(database, ['token', 'revoke', '--text'], 'no-such-secret');
    assert.deepEqual(unknown, {
      code: 1,
      stdout: '',
      stderr: 'ws01: There is no token with that text.\n',
    });
    const unknownId = await ws01(database, ['token', 'revoke', 'x']);
    assert.deepEqual(unknownId, {
      code: 1,
      stdout: '',
      stderr: 'ws01: There is no token with the id x.\n',
    });
  });
});

test('an import names the database, and makes none beside that of a service', async (t) => {
  const database = await emptyDatabase('sqlite', t);
  const { dataDir } = database;
  const secret = 'a secret of the old site, long enough\n';
  const made = await ws01(database, ['token', 'import'], secret);
  assert.equal(made.code, 0, made.stderr);
  assert.match(
    made.stderr,
    new RegExp(`^Into a new database: ${RegExp.escape(join(dataDir, 'ws01.sqlite'))}$`, 'm'),
  );
  const again = await ws01(database, ['token', 'import'], `another ${secret}`);
  assert.match(
    again.stderr,
    new RegExp(`^Into the database: ${RegExp.escape(join(dataDir, 'ws01.sqlite'))}$`, 'm'),
  );

  // A service on PostgreSQL keeps its image files there, and its settings elsewhere.
  const other = join(dataDir, 'of PostgreSQL');
  await mkdir(join(other, 'files'), { recursive: true });
  await writeFile(join(other, 'files', 'database-id'), 'an id\n');
  const refused = await ws01(
    { dataDir: other, databaseUrl: undefined },
    ['token', 'import'],
    secret,
  );
  assert.equal(refused.code, 78);
  assert.match(
    refused.stderr,
    /^ws01: .* has the image files of another database, .* set DATABASE_URL or DATA_DIR [^\n]*\n$/,
  );
  assert.deepEqual(await readdir(other), ['files']);
});
