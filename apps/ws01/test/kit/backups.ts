import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { filesIn } from '../../../../packages/asmx/test/kit/folder.ts';
import { openFiles } from '../../src/adapters/files/open.ts';
import type { S3Location } from '../../src/adapters/files/s3.ts';
import { laterThan } from './clock.ts';
import { ws01 } from './command.ts';
import { freshDatabase, type TestDatabase } from './database.ts';
import { pictureOf } from './images/containers.ts';
import { ImageDesk } from './images/desk.ts';

export const S3_KEYS = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };

/** A data folder with images, and a place beside it for backups. */
export async function started(t: TestContext, images: number, s3?: S3Location) {
  const database = await freshDatabase('sqlite', t);
  const store = await database.open();
  const disk = { kind: 'disk', folder: join(database.dataDir, 'files') } as const;
  const files = await openFiles(s3 === undefined ? disk : { kind: 's3', ...s3 }, database.dataDir);
  t.after(() => files.store.close());
  const desk = new ImageDesk(store, files);
  for (let index = 0; index < images; index++)
    await desk.upload(`i-${index}`, {}, undefined, pictureOf(`i-${index}`));
  const place = `${database.dataDir}-backups`;
  t.after(() => rm(place, { recursive: true, force: true }));
  return { database, store, files: files.store, desk, place };
}

/** Runs a command that must succeed; @returns its JSON. */
export async function done(
  database: TestDatabase,
  args: readonly string[],
  env: Record<string, string> = {},
) {
  const { code, stdout, stderr } = await ws01(database, [...args, '--json'], '', env);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

/** The image files of a data folder, by name, with their bytes. */
export async function contentsOf({ dataDir }: TestDatabase) {
  const files = new Map<string, string>();
  for (const [name, path] of await filesIn(join(dataDir, 'files/kept'))) {
    // Renditions are made anew when they are asked for.
    if (!name.includes('.')) files.set(name, await readFile(path, 'base64'));
  }
  return files;
}

/** Waits for it: backups are named by the second. */
export const nextSecond = () => laterThan(Math.floor(Date.now() / 1_000) * 1_000 + 999);
