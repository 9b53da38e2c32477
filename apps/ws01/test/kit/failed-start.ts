import type { TestContext } from 'node:test';
import { describeError } from '../../src/cli/failure.ts';
import type { TestDatabase } from './database.ts';
import { startService } from './service.ts';

/**
 * Starts a service that cannot start, in this process.
 * @returns the exit code that `ws01 serve` has for the reason, and what it says.
 * @throws {Error} if it starts.
 */
export async function failedStart(
  test: TestContext,
  database: TestDatabase,
  settings: Record<string, string> = {},
): Promise<{ readonly code: number; readonly told: string }> {
  const failure = await startService(test, database, settings).then(
    ({ url }) => Promise.reject(new Error(`It serves at ${url}.`)),
    describeError,
  );
  return { code: failure.exitCode, told: failure.text };
}
