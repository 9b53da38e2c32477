import assert from 'node:assert/strict';
import { type ErrorCode, Ws01Error } from '../../src/contract/errors.ts';

/** Sees a call refused, with which code and because of which parameter. @returns the error. */
export async function refused(call: Promise<unknown>, code: ErrorCode, parameter?: string): Promise<Ws01Error> {
  const outcome = await call.then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );
  assert.ok('error' in outcome, `not refused: ${JSON.stringify(outcome)}`);
  const { error } = outcome;
  assert.ok(error instanceof Ws01Error, String(error));
  assert.deepEqual([error.code, error.parameter], [code, parameter], error.message);
  return error;
}
