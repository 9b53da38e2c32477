import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** An empty folder of a test's own, removed after it. @param prefix what its name begins with. */
export async function temporaryFolder(
  test: Pick<TestContext, 'after'>,
  prefix = 'ws01-',
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), prefix));
  test.after(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));
  return folder;
}

/**
 * The files in a folder and those below it: their paths, by name. None where there is no folder.
 * @throws {Error} if two have one name.
 */
export async function filesIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const files = new Map<string, string>();
  for (const { name, parentPath } of entries.filter((entry) => entry.isFile())) {
    assert.ok(!files.has(name), `${name} is there twice`);
    files.set(name, join(parentPath, name));
  }
  return files;
}
