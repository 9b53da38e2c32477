import { type ErrorTable, ProtocolError, ServiceError } from './errors.ts';

/** What has no code of the service is a defect: the caller learns only the request id, the log everything. */
export function asServiceError(
  error: unknown,
  errors: ErrorTable,
  translate: ((error: unknown) => ServiceError | undefined) | undefined,
): ServiceError {
  const known = error instanceof ServiceError ? error : guarded(() => translate?.(error));
  if (known !== undefined && Object.hasOwn(errors, known.code)) return known;
  const message = 'The server failed; the request id finds the reason in its log.';
  return new ProtocolError('Internal', message, {}, { cause: error });
}

/** Runs a function that was promised not to throw; if it does, the request is answered all the same. */
export function guarded<T>(promised: () => T): T | undefined {
  try {
    return promised();
  } catch (error) {
    warn(error);
    return undefined;
  }
}

/** Tells the operator of what the service was promised not to happen, and did. */
export function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : new Error(String(error)));
}
