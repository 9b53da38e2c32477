import { AsyncLocalStorage } from 'node:async_hooks';

/** The caller of the current asynchronous work. */
const callers = new AsyncLocalStorage<string>();

/**
 * Runs work on behalf of a caller: queues for the database are fair between callers.
 * @param caller identifies the caller, by the address of the call.
 */
export function onBehalfOf<T>(caller: string, work: () => T): T {
  return callers.run(caller, work);
}

/** The caller of the current work; empty for jobs of the service. */
export function caller(): string {
  return callers.getStore() ?? '';
}
