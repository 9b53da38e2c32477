import { ProtocolError } from '../engine/errors.ts';

/** The client went away within its request, or its chunks could not be parsed: nobody's defect. */
export function cutOff(cause: unknown): ProtocolError {
  const message = 'The connection ended before the request body did.';
  return new ProtocolError('MalformedRequest', message, { status: 400 }, { cause });
}
