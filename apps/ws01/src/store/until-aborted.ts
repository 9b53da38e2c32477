import type { Store } from './store.ts';

/**
 * The store for work that can be stopped: after the abort, whatever is asked of it throws the reason. So a job of many
 * writes ends after the one in progress, and all that was committed stays.
 */
export function untilAborted(store: Store, signal: AbortSignal): Store {
  return new Proxy(store, {
    get(target, name) {
      signal.throwIfAborted();
      const member = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
