import { AsyncLocalStorage } from 'node:async_hooks';

/** For whom a call is done, in all that it awaits. */
const callers = new AsyncLocalStorage<string>();

/**
 * Does work on behalf of somebody: where work waits for the database, those for whom it is done take turns.
 * @param caller tells callers apart; the address that a call comes from.
 */
export function onBehalfOf<T>(caller: string, work: () => T): T {
  return callers.run(caller, work);
}

/** On whose behalf this is done; empty for what the service does by itself. */
export function caller(): string {
  return callers.getStore() ?? '';
}
