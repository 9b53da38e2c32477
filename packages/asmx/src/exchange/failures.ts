import { type ErrorTable, ProtocolError, ServiceError } from '../contract/errors.ts';

/** An error without a code of the service is a bug: the caller gets only the request id, the log gets everything. */
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

/** Runs a callback that must not throw; if it does, the request is answered anyway. */
export function guarded<T>(promised: () => T): T | undefined {
  try {
    return promised();
  } catch (error) {
    warn(error);
    return undefined;
  }
}

/** Reports a callback that threw although it must not. */
export function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : new Error(String(error)));
}
