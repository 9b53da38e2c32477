import { credentialOf, type Operation } from '@ws01/asmx/contract';
import type { ErrorCode } from './errors.ts';

/**
 * The codes that an operation may answer, besides those of the protocol: what its help names, what the check of its
 * credential answers, and what any operation can meet.
 */
export function errorsOf(operation: Operation): ErrorCode[] {
  const named = Object.keys(operation.help?.errors ?? {}) as ErrorCode[];
  const checked: readonly ErrorCode[] =
    credentialOf(operation) === undefined ? [] : ['Unauthenticated', 'Forbidden', 'RateLimited'];
  // REFUSE_EMBEDDED_WRITES, and blocked users.
  const written: readonly ErrorCode[] = operation.readOnly ? [] : ['Forbidden'];
  return [...new Set<ErrorCode>([...named, ...checked, ...written, 'StorageUnavailable'])];
}
