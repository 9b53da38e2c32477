import type { Logger } from 'pino';

/** So many names are logged; they are the clients' to choose. */
const MOST_TOLD = 1_000;

/** What one call has that its operation does not know. */
interface Ignored {
  readonly operation: string | undefined;
  readonly requestId: string;
  readonly names: Iterable<string>;
}

/**
 * Returns the function that logs ignored members of calls, each name of an operation once until the
 * next start.
 */
export function ignoredMembersLog(log: Logger): (ignored: Ignored) => void {
  const told = new Set<string>();
  return ({ operation, requestId, names }) => {
    for (const member of names) {
      const key = `${operation} ${member}`;
      if (told.size >= MOST_TOLD || told.has(key)) continue;
      told.add(key);
      log.warn(
        { operation, member, requestId },
        'a part of a call was ignored; its operation has no place for it',
      );
    }
  };
}
