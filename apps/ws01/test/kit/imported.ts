import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { ws01 } from './command.ts';
import { freshDatabase, type TestDatabase } from './database.ts';
import { readFolder, readLines, writeFolder } from './portable.ts';

/** What an import said. */
interface Run {
  readonly stdout: string;
  readonly database: TestDatabase;
  readonly folder: string;
  readonly code: number | null;
  readonly kinds: Record<string, { added: number; present: number; refused: number }>;
  readonly refused: readonly Record<string, unknown>[];
  readonly stderr: string;
}

/** Brings files in and tells what became of them. */
export async function bringIn(
  t: TestContext,
  files: Parameters<typeof writeFolder>[1],
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<Run> {
  const database = await freshDatabase('sqlite', t);
  const folder = await writeFolder(join(await temporaryFolder(t), 'in'), files);
  const { code, stdout, stderr } = await ws01(
    database,
    [
      'import',
      folder,
      ...(args.includes('--text') ? args.filter((arg) => arg !== '--text') : ['--json', ...args]),
    ],
    '',
    env,
  );
  const report = !stdout.startsWith('{') ? { kinds: {}, reasons: [] } : JSON.parse(stdout);
  const refused = report.reasons.length === 0 ? [] : await readLines(`${folder}.refused.jsonl`);
  return { database, folder, code, kinds: report.kinds, refused, stdout, stderr };
}

/** The records of a database, by kind. */
export async function exported(t: TestContext, database: TestDatabase) {
  const folder = join(await temporaryFolder(t), 'out');
  const { code, stderr } = await ws01(database, ['export', folder]);
  assert.equal(code, 0, stderr);
  return readFolder(folder);
}
