import type { Service } from '../contract/service.ts';
import type { Interceptor, Invoke } from './handler-call.ts';

/**
 * The handlers of a contract, by operation.
 * @throws {TypeError} for an operation without one, and for a handler without an operation.
 */
export function compileHandlers(
  { operations }: Service,
  given: object | undefined,
  interceptors: readonly Interceptor<unknown>[],
): ReadonlyMap<string, Invoke> {
  const handlers = new Map<string, Invoke>();
  for (const { name } of operations) {
    const handler = (given as Record<string, unknown> | undefined)?.[name];
    // Every object has a function of some names.
    if (typeof handler !== 'function' || handler === Reflect.get(Object.prototype, name))
      throw new TypeError(`handlers.${name}: there must be a function.`);
    handlers.set(name, interceptors.length === 0 ? (handler as Invoke) : intercepted(handler as Invoke, interceptors));
  }
  for (const name of Object.keys(given ?? {})) {
    if (!handlers.has(name)) throw new TypeError(`handlers.${name}: the contract has no such operation.`);
  }
  return handlers;
}

function intercepted(handler: Invoke, interceptors: readonly Interceptor<unknown>[]): Invoke {
  return (input, call) => {
    const run = async (at: number): Promise<unknown> => {
      const interceptor = interceptors[at];
      return interceptor === undefined ? handler(input, call) : interceptor(call, input, () => run(at + 1));
    };
    return run(0);
  };
}
