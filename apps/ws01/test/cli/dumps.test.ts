import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { openFiles } from '../../src/adapters/files/open.ts';
import { examineDump, PostgresSnapshot } from '../../src/store/postgres/snapshot.ts';
import { ws01 } from '../kit/command.ts';
import { freshDatabase, type TestDatabase } from '../kit/database.ts';
import { pictureOf } from '../kit/images/containers.ts';
import { ImageDesk } from '../kit/images/desk.ts';

/** A folder with a `pg_dump` that is newer than any server. */
async function newerPrograms({ dataDir }: TestDatabase): Promise<string> {
  const programs = join(dataDir, 'programs');
  await mkdir(programs);
  await writeFile(join(programs, 'pg_dump'), '#!/bin/sh\necho pg_dump \\(PostgreSQL\\) 99.0\n', {
    mode: 0o755,
  });
  return programs;
}

test('PostgreSQL without a pg_dump that can copy it: said, with what to install', async (t) => {
  const database = await freshDatabase('postgres', t);
  await database.open();
  const target = `${database.dataDir}/copy`;
  const { code, stderr } = await ws01(database, ['backup', target], '', { PATH: '/nowhere' });
  assert.equal(code, 78);
  assert.match(
    stderr,
    /^ws01: (A copy of PostgreSQL needs pg_dump, which is not in PATH|pg_dump \d+ cannot copy PostgreSQL \d+): install postgresql-client-\d+ /,
  );
  await assert.rejects(readdir(target), { code: 'ENOENT' });
  const opened = await database.open();
  const [row] = await opened.read((db) => db.selectFrom('backups').selectAll().execute());
  assert.match(row!.error!, /pg_dump/);
});

test('a backup of PostgreSQL that has to look again sees what has been uploaded meanwhile', async (t) => {
  const database = await freshDatabase('postgres', t);
  const store = await database.open();
  const disk = { kind: 'disk', folder: join(database.dataDir, 'files') } as const;
  const files = await openFiles(disk, database.dataDir);
  t.after(() => files.store.close());
  const desk = new ImageDesk(store, files);
  const programs = await newerPrograms(database);
  const { signal } = new AbortController();
  const snapshot = await PostgresSnapshot.open(database.databaseUrl!, { PATH: programs }, signal);
  t.after(() => snapshot.close());
  for (const images of [1, 2]) {
    await snapshot.take();
    await desk.upload(`i-${images}`, {}, undefined, pictureOf(`i-${images}`));
    assert.equal((await snapshot.imageFiles()).length, images - 1);
  }
  await snapshot.release();
  assert.equal((await snapshot.imageFiles()).length, 2);
});

test('what a killed check of a dump has left in the server goes with the next one; what another one works on stays', async (t) => {
  const database = await freshDatabase('postgres', t);
  const programs = await newerPrograms(database);
  const client = new pg.Client({ connectionString: database.databaseUrl! });
  await client.connect();
  const ask = async (text: string) => (await client.query(text)).rows;
  const [own] = await ask('select oid from pg_database where datname = current_database()');
  const [left, held, ofAnother] = [`${own.oid}_left`, `${own.oid}_held`, `1${own.oid}_held`].map(
    (name) => `ws01_verify_${name}`,
  );
  try {
    for (const name of [left, held, ofAnother])
      await ask(`create database ${name} template template0`);
    await ask(`select pg_advisory_lock(hashtextextended('${held}', 0))`);
    const examined = examineDump(join(programs, 'none'), database.databaseUrl!, { PATH: programs });
    await assert.rejects(examined, /psql failed/);
    const there = await ask(
      `select datname from pg_database where datname ~ '^ws01_verify_1?${own.oid}_'`,
    );
    assert.deepEqual(new Set(there.map(({ datname }) => datname)), new Set([held, ofAnother]));
  } finally {
    for (const name of [left, held, ofAnother]) await ask(`drop database if exists ${name}`);
    await client.end();
  }
});
