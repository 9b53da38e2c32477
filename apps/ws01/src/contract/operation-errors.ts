import type { ErrorCode } from './errors.ts';
import type { Ws01Operation } from './parameters.ts';

/**
 * The codes that an operation may answer, besides those of the protocol: what its help names, what the check of its
 * credential answers, and what any operation can meet.
 */
export function errorsOf({
  access,
  writes,
  help,
}: Pick<Ws01Operation, 'access' | 'writes' | 'help'>): ErrorCode[] {
  const named = Object.keys(help?.errors ?? {}) as ErrorCode[];
  const checked: readonly ErrorCode[] =
    access === undefined ? [] : ['Unauthenticated', 'Forbidden', 'RateLimited'];
  // REFUSE_EMBEDDED_WRITES, and blocked users.
  const written: readonly ErrorCode[] = writes ? ['Forbidden'] : [];
  return [...new Set<ErrorCode>([...named, ...checked, ...written, 'StorageUnavailable'])];
}
