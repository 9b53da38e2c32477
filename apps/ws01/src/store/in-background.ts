import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from './store.ts';

const REST = 4;
const LONGEST_REST_MS = 500;

/**
 * Returns how long work of many writes rests for the sake of others after one that took so long;
 * both ms.
 */
export function restAfter(took: number): number {
  return Math.min(REST * took, LONGEST_REST_MS);
}

const background = new WeakSet<Store>();

/**
 * Whether the answers of this process wait for what is asked of a store by background work: SQLite
 * runs queries on the thread that answers.
 */
export function delaysAnswers(store: Store): boolean {
  return store.engine === 'sqlite' && background.has(store);
}

/**
 * The store for background work of many writes, in a process that answers calls. After each one the
 * work rests, so that the calls of others have their turn.
 * @param stopping as for {@link untilAborted}.
 */
export function inBackground(store: Store, stopping: AbortSignal): Store {
  const resting = untilAborted(store, stopping, async (work, options) => {
    const began = performance.now();
    const result = await store.write(work, options);
    await sleep(restAfter(performance.now() - began), undefined, { signal: stopping }).catch(
      () => {},
    );
    return result;
  });
  background.add(resting);
  return resting;
}

/**
 * The store for work of many writes that can be stopped. After the abort whatever is asked of it
 * throws the reason, so the work ends after the write in progress, and all that was committed
 * stays.
 * @param write replaces the store's own.
 */
export function untilAborted(
  store: Store,
  stopping: AbortSignal,
  write = store.write.bind(store),
): Store {
  return new Proxy(store, {
    get(target, name) {
      stopping.throwIfAborted();
      if (name === 'write') return write;
      const member = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
