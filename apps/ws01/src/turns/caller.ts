import { AsyncLocalStorage } from 'node:async_hooks';

/** The caller of the current asynchronous work. */
const callers = new AsyncLocalStorage<string>();

type Enter = <T>(work: () => T) => T;

/**
 * The contexts of callers that were met lately: most requests come from the same few, and to enter
 * a context takes a third of the time that it takes to make one. Nothing else of the service is
 * kept in asynchronous contexts.
 */
const known = new Map<string, Enter>();
const MOST_KNOWN = 1_000;

/**
 * Runs work on behalf of a caller, with whom others take turns wherever work waits. Set once, where
 * a request comes in.
 * @param caller the network of the address that the request comes from.
 */
export function onBehalfOf<T>(caller: string, work: () => T): T {
  let enter = known.get(caller);
  if (enter === undefined) {
    enter = callers.run(caller, () => AsyncLocalStorage.snapshot());
    if (known.size === MOST_KNOWN) known.clear();
    known.set(caller, enter);
  }
  return enter(work);
}

/** The caller of the current work; empty for jobs of the service. */
export function caller(): string {
  return callers.getStore() ?? '';
}
