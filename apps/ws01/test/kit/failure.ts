import assert from 'node:assert/strict';
import { DependencyError } from '../../src/failure/dependency-error.ts';

/** The failure that work with a dependency ends in. */
export async function failureOf(work: Promise<unknown>): Promise<DependencyError> {
  const thrown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(thrown instanceof DependencyError, `failed with ${thrown}`);
  return thrown;
}
