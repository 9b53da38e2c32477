import { AsyncLocalStorage } from 'node:async_hooks';

/** The caller of the current asynchronous work. */
const callers = new AsyncLocalStorage<string>();

/**
 * Runs work on behalf of a caller, with whom others take turns wherever work waits. Set once, where a request comes in.
 * @param caller the network of the address that the request comes from.
 */
export function onBehalfOf<T>(caller: string, work: () => T): T {
  return callers.run(caller, work);
}

/** The caller of the current work; empty for jobs of the service. */
export function caller(): string {
  return callers.getStore() ?? '';
}
