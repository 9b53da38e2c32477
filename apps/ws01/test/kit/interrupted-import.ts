import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { create } from 'tar';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { ws01 } from './command.ts';
import { freshDatabase, type TestDatabase } from './database.ts';
import { blackPng } from './images/containers.ts';
import { readFolder, readLines, writeFolder } from './portable.ts';

/** Rows of a transaction: few, so that there are many places to be interrupted at. */
const BATCH = 20;

/** How long after its first transaction an import is killed at most; ms. */
const LATEST_MS = 60;

const at = (n: number) => new Date(1_400_000_000_000 + n * 1000).toISOString();

/** An old service in a folder: articles with their revisions, some of them wrong, and images that belong to them. */
async function oldService(folder: string, articles: number, title = 'Article'): Promise<string> {
  const images = Array.from({ length: 8 }, (_, n) => {
    const bytes = blackPng(8 + n, 8);
    return {
      name: `upload/${n}.png`,
      bytes,
      hash: createHash('sha256').update(bytes).digest('hex'),
    };
  });
  return writeFolder(folder, {
    'articles.jsonl': Array.from({ length: articles }, (_, n) => ({
      guid: `article-${n}`,
      owner: `user-${n % 7}`,
      // One in a hundred says nothing.
      caption: n % 100 === 99 ? '' : `${title} ${n}`,
      category: `category-${n % 5}`,
      ip: `203.0.113.${n % 250}`,
      revision: 2,
      createdAt: at(n),
    })),
    'revisions.jsonl': Array.from({ length: articles }, (_, n) => ({
      article: `article-${n}`,
      revision: 1,
      caption: `Earlier ${n}`,
      recordedAt: at(n + 1),
    })),
    'reviews.jsonl': Array.from({ length: articles }, (_, n) => ({
      id: `review-${n}`,
      subject: `article-${n % 10}`,
      voter: `user:user-${n}`,
      positive: n % 3 === 0,
      rating: n % 5,
      createdAt: at(n),
    })),
    'images.jsonl': images.map(({ name, hash }, n) => ({
      guid: `image-${n}`,
      file: name,
      hash,
      linkGuid: `article-${n}`,
      createdAt: at(n),
    })),
    ...Object.fromEntries(images.map(({ name, bytes }) => [name, bytes])),
  });
}

/** Kills an import once it has brought something in, after so many ms. @returns whether it was killed. */
async function kill(
  database: TestDatabase,
  args: readonly string[],
  after: number,
): Promise<boolean> {
  const child = spawn(
    process.execPath,
    ['bin/ws01.js', 'import', ...args, '--batch', String(BATCH)],
    {
      env: {
        PATH: process.env.PATH ?? '',
        DATA_DIR: database.dataDir,
        ...(database.databaseUrl === undefined ? {} : { DATABASE_URL: database.databaseUrl }),
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  const exited = once(child, 'exit');
  // An archive is unpacked before.
  child.stderr.on('data', (piece: Buffer) => {
    if (/rows/.test(piece.toString())) sleep(after).then(() => child.kill('SIGKILL'));
  });
  const said = text(child.stderr);
  const [code, signal] = await exited;
  assert.ok(signal === 'SIGKILL' || code === 1, `${code}: ${await said}`);
  return signal === 'SIGKILL';
}

/** Everything that matters after an import, of the database and of the tables that are made of it. */
async function outcomeOf(t: TestContext, database: TestDatabase) {
  const folder = join(await temporaryFolder(t), 'out');
  const { code, stderr } = await ws01(database, ['export', folder]);
  assert.equal(code, 0, stderr);
  const { audit, 'image-files': files, ...records } = await readFolder(folder);
  const store = await database.open();
  const derived = await store.read(async (db) => ({
    tallies: await db.selectFrom('review_tallies').selectAll().orderBy('subject').execute(),
    totals: await db
      .selectFrom('image_totals')
      .select((eb) => [
        eb.fn.sum<number>('images').as('images'),
        eb.fn.sum<number>('icons').as('icons'),
      ])
      .execute(),
    images: await db
      .selectFrom('images')
      .select(['guid', 'search_text', 'linked_category', 'visibility'])
      .orderBy('guid')
      .execute(),
    imports: await db.selectFrom('imports').selectAll().execute(),
  }));
  const imported = audit!.filter(({ action }) => action === 'data.import');
  return {
    records,
    derived,
    files: files!.map(({ storedAt, ...file }) => file),
    imports: imported.map(({ details }) => ({ ...(details as object), operator: '' })),
  };
}

/**
 * Kills imports at many points, goes on, and shows that the outcome is that of one that nothing interrupted, with every
 * count and every refused row.
 */
export async function showResumption(
  t: TestContext,
  fresh: () => Promise<TestDatabase>,
  kills: number,
  articles: number,
) {
  const begin = async () => {
    const begun = await fresh();
    if (begun.engine === 'postgres') await begun.open();
    return begun;
  };
  let database = await begin();
  const folder = await temporaryFolder(t);
  const source = await oldService(join(folder, 'old'), articles);
  const whole = await freshDatabase(database.engine, t);
  if (whole.engine === 'postgres') await whole.open();
  const expected = await ws01(whole, [
    'import',
    source,
    '--json',
    '--refused',
    join(folder, 'expected.jsonl'),
  ]);
  assert.equal(expected.code, 1, expected.stderr);
  const expectedReport = JSON.parse(expected.stdout);

  // SQLite reads it from an archive, which is unpacked once and stays for those that go on.
  const packed = join(folder, 'old.tar');
  if (database.engine === 'sqlite')
    await create({ file: packed, cwd: source }, await readdir(source));
  const args = [
    database.engine === 'sqlite' ? packed : source,
    '--refused',
    join(folder, 'refused.jsonl'),
  ];
  let killed = 0;
  while (killed < kills) {
    const resumes = killed > 0 ? ['--resume'] : [];
    if (await kill(database, [...args, ...resumes], (LATEST_MS * killed) / kills)) killed++;
    // It had come to its end before the kill: all begins anew.
    else [database, killed] = [await begin(), 0];
  }
  const rest = await ws01(database, ['import', ...args, '--resume', '--update', '--json']);
  assert.match(rest.stderr, /were not looked for: run it again without --resume/);
  assert.equal(rest.code, 1, rest.stderr);
  const { kinds, reasons } = JSON.parse(rest.stdout);
  assert.deepEqual([kinds, reasons], [expectedReport.kinds, expectedReport.reasons]);
  assert.deepEqual(
    await readLines(join(folder, 'refused.jsonl')),
    await readLines(join(folder, 'expected.jsonl')),
  );
  assert.deepEqual(await outcomeOf(t, database), await outcomeOf(t, whole));

  // What a later export of the old service changes counts over all runs, too.
  const later = await oldService(join(folder, 'later'), articles, 'Edited');
  const update = [later, '--update', 'always', '--refused', join(folder, 'later.jsonl')];
  const isKilled = await kill(database, update, LATEST_MS / 2);
  const changed = await ws01(database, [
    ...['import', ...update, '--json', ...(isKilled ? ['--resume'] : [])],
  ]);
  const { added, changed: count } = JSON.parse(changed.stdout).kinds.articles;
  const taken = articles - Math.floor(articles / 100);
  if (isKilled) assert.deepEqual([added, count], [0, taken], changed.stderr);
}
