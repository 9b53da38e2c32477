import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { ws01 } from '../kit/command.ts';
import { emptyDatabase, freshDatabase, type TestDatabase } from '../kit/database.ts';
import { earlierDatabase } from '../kit/earlier-database.ts';
import { blackPng } from '../kit/images/containers.ts';
import { readFolder, writeFolder } from '../kit/portable.ts';
import { everyKind } from '../kit/portable-records.ts';

const OPEN =
  'A service has the database of --from open, and would go on writing; stop it first. Nothing was copied.';
const placeOf = ({ databaseUrl, dataDir }: TestDatabase) => databaseUrl ?? dataDir;

it('ws01 copy takes everything from SQLite to PostgreSQL and back, and shows that it is the same', async (t) => {
  const folder = await temporaryFolder(t);
  const records = everyKind(blackPng(8, 8));
  const { hash } = records['image-files']!.find(({ format }) => format === 'png')!;
  const files = Object.fromEntries(
    Object.entries(records).map(([kind, rows]) => [`${kind}.jsonl`, rows]),
  );
  await writeFolder(join(folder, 'in'), {
    ...files,
    [`files/${String(hash).slice(0, 2)}/${hash}`]: blackPng(8, 8),
  });
  const sqlite = await freshDatabase('sqlite', t);
  const postgres = await freshDatabase('postgres', t);
  const back = await freshDatabase('sqlite', t);
  assert.equal((await ws01(sqlite, ['import', join(folder, 'in'), '--send-mail'])).code, 0);

  for (const [from, to] of [
    [sqlite, postgres],
    [postgres, back],
  ] as const) {
    const copied = await ws01(from, [
      'copy',
      '--from',
      placeOf(from),
      '--to',
      placeOf(to),
      '--json',
    ]);
    assert.equal(copied.code, 0, copied.stderr);
    const told = JSON.parse(copied.stdout).copied;
    assert.equal(told.articles.records, 3);
    assert.match(told.articles.sha256, /^[0-9a-f]{64}$/);
    assert.notEqual(told.articles.sha256, told.users.sha256);
  }
  assert.equal((await ws01(back, ['export', join(folder, 'out'), '--without-images'])).code, 0);
  const { audit, ...others } = await readFolder(join(folder, 'out'));
  const { audit: _, ...expected } = records;
  assert.deepEqual(others, expected);
  assert.deepEqual(audit!.map(({ action }) => action).slice(-3), [
    'data.import',
    'data.copy',
    'data.copy',
  ]);
  const store = await back.open();
  const { stored_as } = await store.read((db) =>
    db
      .selectFrom('image_files')
      .select('stored_as')
      .where('hash', '=', String(hash))
      .executeTakeFirstOrThrow(),
  );
  const original = await sqlite.open();
  assert.ok(
    await original.read((db) =>
      db
        .selectFrom('image_files')
        .select('hash')
        .where('stored_as', '=', stored_as)
        .executeTakeFirst(),
    ),
    'the same file',
  );

  const other = await freshDatabase('sqlite', t);
  const beside = await ws01(sqlite, ['copy', '--from', placeOf(sqlite), '--to', placeOf(other)]);
  assert.deepEqual([beside.code, beside.stderr], [1, `ws01: ${OPEN}\n`]);
  await original.close();
  await store.close();
  const again = await ws01(sqlite, ['copy', '--from', placeOf(sqlite), '--to', placeOf(postgres)]);
  assert.deepEqual(
    [again.code, again.stderr],
    [1, 'ws01: The database to copy into has users already; name an empty one.\n'],
  );
});

it('ws01 copy refuses a PostgreSQL database that a service has open', async (t) => {
  const postgres = await freshDatabase('postgres', t);
  const to = await freshDatabase('sqlite', t);
  const store = await postgres.open();
  const args = ['copy', '--from', placeOf(postgres), '--to', placeOf(to)];
  const beside = await ws01(postgres, args);
  assert.deepEqual([beside.code, beside.stderr], [1, `ws01: ${OPEN}\n`]);
  await store.close();
  assert.equal((await ws01(postgres, args)).code, 0);
});

it('ws01 copy says which of its two databases it cannot open', async (t) => {
  const old = await earlierDatabase('sqlite', t);
  const { databaseUrl } = await emptyDatabase('postgres', t);
  const { stderr } = await ws01(old, ['copy', '--from', old.dataDir, '--to', databaseUrl!]);
  assert.match(stderr, /^ws01: --from: The database is older than this version/);
  const gone = 'postgres://ws01@127.0.0.1:1/none';
  const back = await ws01(old, ['copy', '--from', databaseUrl!, '--to', gone]);
  assert.match(back.stderr, /^ws01: --from: The database has no tables yet/);
});
