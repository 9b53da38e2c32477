import { ProtocolError } from '../engine/errors.ts';
import { ReadError } from '../message/read-error.ts';

/** What a form or JSON reader refuses, as the wire's error; anything else as it is. */
export function asServiceError(error: unknown): unknown {
  if (!(error instanceof ReadError)) return error;
  const code = error.code === 'limit' ? 'TooLarge' : 'MalformedRequest';
  return new ProtocolError(code, error.message, {}, { cause: error });
}
