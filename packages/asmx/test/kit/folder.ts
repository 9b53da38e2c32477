import { mkdtemp, rm } from 'node:fs/promises';
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
