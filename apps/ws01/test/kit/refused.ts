import assert from 'node:assert/strict';
import { type ErrorCode, Ws01Error } from '../../src/contract/errors.ts';
import { translateFailure } from '../../src/failure/translate.ts';

/** Sees a call refused, as the front door says it: with which code and because of which parameter. @returns the error. */
export async function refused(
  call: Promise<unknown>,
  code: ErrorCode,
  parameter?: string,
): Promise<Ws01Error> {
  const outcome = await call.then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );
  assert.ok('error' in outcome, `not refused: ${JSON.stringify(outcome)}`);
  const error = translateFailure(outcome.error) ?? outcome.error;
  assert.ok(error instanceof Ws01Error, String(error));
  assert.deepEqual([error.code, error.parameter], [code, parameter], error.message);
  return error;
}
