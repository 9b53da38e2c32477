import { ProtocolError } from '../contract/errors.ts';

/** The client disconnected during its request, or its chunks could not be parsed: not a bug. */
export function cutOff(cause: unknown): ProtocolError {
  const message = 'The connection ended before the request body did.';
  return new ProtocolError('MalformedRequest', message, { status: 400 }, { cause });
}
